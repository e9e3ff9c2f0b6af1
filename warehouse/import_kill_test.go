package warehouse

import (
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
	r := try(t, "import killed at any moment")
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
		return programCommand(t, home, filepath.Join(dir, "none"), "import", "--host", "laptop", "--from", source)
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
			have, err := os.ReadFile(path)
			if err != nil {
				t.Error(err)
			}
			r.lose(differingLines(have, []byte(texts[filepath.Base(path)])), "%s is not whole", path)
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
	for round := range rounds(12, 100) {
		if err := os.RemoveAll(filepath.Join(home, "imports")); err != nil {
			t.Fatal(err)
		}
		lasted, survived := killWithin(t, command(), time.Duration(rng.Int64N(int64(took)+1)))
		switch n, others := whole(); {
		case survived:
			r.happened("came through")
			took = lasted
		case n > 0 && n < 60 || others > 0:
			r.happened("killed between two files or in one")
		default:
			r.happened("killed before or behind that")
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
	if r.times["came through"] == r.tried {
		t.Error("none was killed")
	}
}
