package warehouse

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// An import killed at any moment leaves no part of a file under its name, and repeated it is whole.
func TestKilledImport(t *testing.T) {
	t.Parallel()
	binary, err := builtBinary()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	source := filepath.Join(dir, "source")
	// Files big enough that a kill falls inside of one, many enough that it falls between two.
	texts := map[string]string{}
	for n := range 60 {
		name := fmt.Sprintf("%d.jsonl", n)
		texts[name] = strings.Repeat(fmt.Sprintf(`{"n":%d,"type":"user","message":{"role":"user","content":%q}}`+"\n", n, strings.Repeat("wool ", 200)), 150+n)
		writeFile(t, filepath.Join(source, "-home-dev-app", name), texts[name])
	}
	home := filepath.Join(dir, "home")
	tree := filepath.Join(home, "imports", "laptop")
	command := func() *exec.Cmd {
		cmd := exec.CommandContext(context.Background(), binary, "import", "--host", "laptop", "--from", source)
		cmd.Env = append(os.Environ(), "WAREHOUSE_HOME="+home, "CLAUDE_PROJECTS_DIR="+filepath.Join(dir, "none"), "HOME="+dir)
		return cmd
	}
	// whole counts the transcripts of the tree, which all must be whole, and what else lies there.
	whole := func() (n, others int) {
		t.Helper()
		err := filepath.WalkDir(tree, func(path string, d fs.DirEntry, err error) error {
			switch {
			case errors.Is(err, fs.ErrNotExist):
				return nil
			case err != nil || d.IsDir():
				return err
			case strings.HasSuffix(path, importing):
				others++
				return nil
			}
			n++
			b, err := os.ReadFile(path)
			if err != nil || string(b) != texts[filepath.Base(path)] {
				t.Errorf("%s is not whole: %d bytes of %d, or others: %v", path, len(b), len(texts[filepath.Base(path)]), err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return n, others
	}
	start := time.Now()
	if out, err := command().CombinedOutput(); err != nil {
		t.Fatalf("import: %v\n%s", err, out)
	}
	took := time.Since(start)
	rng := rand.New(rand.NewPCG(61, 1))
	died, inside := 0, 0
	for round := range 12 {
		if err := os.RemoveAll(filepath.Join(home, "imports")); err != nil {
			t.Fatal(err)
		}
		cmd := command()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rng.Int64N(int64(took) + 1)))
		cmd.Process.Kill()
		if cmd.Wait() != nil {
			died++
		}
		if n, others := whole(); n > 0 && n < 60 || others > 0 {
			inside++
		}
		if out, err := command().CombinedOutput(); err != nil {
			t.Fatalf("round %d: repeated: %v\n%s", round, err, out)
		}
		if n, others := whole(); n != 60 || others != 0 {
			t.Fatalf("round %d: repeated, %d files are there, want 60, and %d others", round, n, others)
		}
		entries, err := os.ReadDir(filepath.Join(home, "imports"))
		if err != nil || len(entries) != 3 { // and the lock
			t.Fatalf("round %d: %v in the folder of imports, %v", round, entries, err)
		}
	}
	t.Logf("%d of 12 died, %d of them in the middle", died, inside)
	if died == 0 {
		t.Error("none was killed")
	}
}
