package warehouse

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Real transcripts, which lie beside the repository: sessions as they were saved while they grew,
// and a tree of many versions.

// corpus unpacks one of the shared corpora and returns the folder it holds.
func corpus(t *testing.T, name, folder string) string {
	t.Helper()
	archive, err := filepath.Abs(filepath.Join("../../shared/corpus", name))
	if err != nil {
		t.Fatal(err)
	}
	if !exists(archive) {
		t.Skipf("no %s: the shared folder is not beside the repository", archive)
	}
	dir := t.TempDir()
	if out, err := exec.Command("tar", "-xJf", archive, "-C", dir).CombinedOutput(); err != nil {
		t.Fatalf("unpack: %v\n%s", err, out)
	}
	return filepath.Join(dir, folder)
}

func TestGrowth(t *testing.T) {
	t.Parallel()
	root := corpus(t, "growth.tar.xz", "growth")
	sessions, err := os.ReadDir(root)
	if err != nil || len(sessions) != 6 {
		t.Fatalf("%d sessions, %v", len(sessions), err)
	}
	appends := make(chan int, len(sessions))
	t.Run("sessions", func(t *testing.T) {
		for _, session := range sessions {
			t.Run(session.Name(), func(t *testing.T) {
				t.Parallel()
				states, err := filepath.Glob(filepath.Join(root, session.Name(), "*.jsonl"))
				if err != nil || len(states) < 2 {
					t.Fatalf("%d states, %v", len(states), err)
				}
				appends <- playStates(t, session.Name(), states)
			})
		}
	})
	close(appends)
	n := 0
	for a := range appends {
		n += a
	}
	if n < 20 && !t.Failed() {
		t.Errorf("only %d of the steps are appends", n)
	}
}

// playStates refreshes after each state and returns how many of them only append.
func playStates(t *testing.T, session string, states []string) (appends int) {
	dir := t.TempDir()
	path := filepath.Join(dir, "projects", "-home-dev-app", "session-"+session+".jsonl")
	opt := localRoot(t, filepath.Join(dir, "warehouse"), filepath.Join(dir, "projects"))
	var old []byte
	for i, state := range states {
		content, err := os.ReadFile(state)
		if err != nil {
			t.Fatal(err)
		}
		writeFile(t, path, string(content))
		at := time.Date(2026, 10, 20, 12, i, 0, 0, time.UTC)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		sum := mustRefresh(t, opt)

		consumed := old[:bytes.LastIndexByte(old, '\n')+1]
		isAppend := i > 0 && len(content) > len(old) && bytes.HasPrefix(content, consumed)
		want := fmt.Sprintf("opened 1, read %d, added %d, appended 0, replaced %d", len(content), b2i(i == 0), b2i(i > 0))
		if isAppend {
			appends++
			want = fmt.Sprintf("opened 1, read %d, added 0, appended 1, replaced 0", len(content)-len(consumed))
		}
		got := fmt.Sprintf("opened %d, read %d, added %d, appended %d, replaced %d", sum.FilesOpened, sum.BytesRead, sum.Added, sum.Appended, sum.Replaced)
		if got != want {
			t.Errorf("state %d: got %s; want %s", i, got, want)
		}
		if isAppend && sum.BytesChecked > 2*windowSize {
			t.Errorf("state %d: %d bytes were compared with what was read before", i, sum.BytesChecked)
		}
		checkTidy(t, opt.Layout)
		checkRestored(t, opt.Layout, []string{path})

		// A state that is only longer is compared with what follows it.
		switch {
		case i == len(states)-1:
			compareAllWithFresh(t, opt)
		case !isAppend || i%4 == 0:
			compareWithFresh(t, opt)
		}
		if t.Failed() {
			t.Fatalf("state %d of session %s", i, session)
		}
		old = content
	}
	return appends
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestCorpus(t *testing.T) {
	t.Parallel()
	projects := corpus(t, "claude.tar.xz", "projects")
	opt := localRoot(t, filepath.Join(t.TempDir(), "warehouse"), projects)
	sum := mustRefresh(t, opt)
	var paths []string
	var lines, size int64
	err := filepath.WalkDir(projects, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".jsonl") {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		paths = append(paths, path)
		size += int64(len(b))
		lines += int64(bytes.Count(b, []byte("\n")))
		if len(b) > 0 && !bytes.HasSuffix(b, []byte("\n")) {
			lines++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if sum.Failed != 0 || sum.Skipped != 0 || sum.Added != len(paths) || sum.Lines != lines || sum.RowsWritten != lines || sum.Bytes != size {
		t.Errorf("got %+v; want %d files, %d lines, %d bytes, none failed", sum, len(paths), lines, size)
	}
	checkRestored(t, opt.Layout, paths)

	db := plainDuckDB(t)
	if _, err := db.Exec("ATTACH " + quote(opt.Layout.Published) + " AS w (READ_ONLY)"); err != nil {
		t.Fatal(err)
	}
	var records, torn int64
	if err := db.QueryRow("SELECT (SELECT count(*) FROM w.records), (SELECT count(*) FROM w.broken_lines WHERE parse_status = 'torn')").Scan(&records, &torn); err != nil {
		t.Fatal(err)
	}
	if records+torn != lines {
		t.Errorf("records has %d rows and %d lines are torn; want %d in all", records, torn, lines)
	}
}
