package warehouse

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warehouse/warehouse/source/claude"
)

// Sources that fail: alone, without taking what was read of them before, and not for ever.

// brokenFile returns a path of a regular file with a size that cannot be read.
func brokenFile(t *testing.T) string {
	t.Helper()
	paths, _ := filepath.Glob("/sys/class/net/*/phys_port_id")
	more, _ := filepath.Glob("/sys/class/net/*/speed")
	for _, path := range append(paths, more...) {
		info, err := os.Stat(path)
		if err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
			continue
		}
		if _, err := os.ReadFile(path); err != nil {
			return path
		}
	}
	t.Skip("no file here fails when it is read")
	return ""
}

// A file that was read before and now fails half way keeps its lines, through any number of
// refreshes and in both copies, and is read as soon as it can be.
func TestFileThatFailsKeepsItsLines(t *testing.T) {
	t.Parallel()
	broken := brokenFile(t)
	for _, tt := range []struct {
		name  string
		turns int // of the session before it fails; a long one is larger than the broken file says it is
	}{{"short", 1}, {"long", 20}} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			w := newWorld(t, 51, filepath.Join(dir, "projects"))
			opt := localRoot(t, filepath.Join(dir, "warehouse"), w.roots[0])
			path, other := w.newSession(), w.newSession()
			w.put(path, w.lines(path, tt.turns))
			w.put(other, w.lines(other, 2))
			content := w.read(path)
			first := mustRefresh(t, opt)

			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(broken, path); err != nil {
				t.Fatal(err)
			}
			lines := first.Lines
			for i := range 4 {
				sum := mustRefresh(t, opt)
				if sum.Failed != 1 || sum.Lines != lines {
					t.Errorf("refresh %d: got %d failed, %d lines; want 1, %d", i, sum.Failed, sum.Lines, lines)
				}
				s := peek(t, opt.Layout.Published)
				if s.lines != lines || s.consumed != lines || s.items != s.itemLines {
					t.Errorf("refresh %d: published %+v, want %d lines", i, s, lines)
				}
				more := w.lines(other, 1)
				w.add(other, more)
				lines += int64(strings.Count(more, "\n"))
			}
			mustRefresh(t, opt)
			if sum := mustRefresh(t, opt); sum.Status != "unchanged" || sum.Failed != 1 {
				t.Errorf("fails as before, and nothing else changed: got %s, %d failed", sum.Status, sum.Failed)
			}
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			w.put(path, content)
			if sum := mustRefresh(t, opt); sum.Failed != 0 {
				t.Errorf("readable again: %+v", sum.Failures)
			}
			checkRestored(t, opt.Layout, w.files())
			compareWithFresh(t, opt)
		})
	}
}

// Under retention keep the lines of a file that is gone stay, in both copies, until it is back.
func TestRetentionKeep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := newWorld(t, 52, filepath.Join(dir, "projects"))
	opt := localRoot(t, filepath.Join(dir, "warehouse"), w.roots[0])
	path := w.newSession()
	w.put(path, strings.TrimSuffix(w.lines(path, 3), "\n"))
	content := w.read(path)
	opt.Retention = "keep"
	first := mustRefresh(t, opt)
	opt.Retention = "" // it sticks
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	keep := w.some()
	lines := first.Lines
	for i := range 4 {
		sum := mustRefresh(t, opt)
		if want := b2i(i == 0); sum.Vanished != want || !sum.Kept || sum.Lines != lines {
			t.Errorf("refresh %d: got %d vanished, kept %v, %d lines; want %d vanished, %d lines", i, sum.Vanished, sum.Kept, sum.Lines, want, lines)
		}
		if s := peek(t, opt.Layout.Published); s.lines != lines || s.consumed != lines {
			t.Errorf("refresh %d: published %+v, want %d lines", i, s, lines)
		}
		more := w.lines(keep, 1)
		w.add(keep, more)
		lines += int64(strings.Count(more, "\n"))
	}
	w.put(path, content+"\n"+w.lines(path, 1))
	mustRefresh(t, opt)
	checkRestored(t, opt.Layout, w.files())
	opt.Retention = "keep" // for the one built from nothing
	compareWithFresh(t, opt)

	// A rename is no loss: the lines are there once, under the new name.
	if err := os.Rename(path, path+"2.jsonl"); err != nil {
		t.Fatal(err)
	}
	if sum := mustRefresh(t, opt); sum.Vanished != 0 {
		t.Errorf("renamed: %d vanished", sum.Vanished)
	}
	checkRestored(t, opt.Layout, w.files())
}

// A root that is missing or empty is taken for an unmounted disk, and what was read from it stays.
func TestRootThatIsMissing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := newWorld(t, 53, filepath.Join(dir, "laptop"), filepath.Join(dir, "projects"))
	opt := localRoot(t, filepath.Join(dir, "warehouse"), w.roots[1])
	opt.Roots = append(opt.Roots, Root{"laptop", "claude-code", w.roots[0]})
	first := mustRefresh(t, opt)
	if err := os.Rename(w.roots[0], w.roots[0]+".away"); err != nil {
		t.Fatal(err)
	}
	for _, empty := range []bool{false, true} {
		if empty {
			if err := os.Mkdir(w.roots[0], 0o700); err != nil {
				t.Fatal(err)
			}
		}
		sum := mustRefresh(t, opt)
		if sum.Status != "unchanged" || sum.Vanished != 0 || sum.Lines != first.Lines || len(sum.Warnings) != 1 {
			t.Errorf("empty %v: got %+v", empty, sum)
		}
	}
	if err := os.Remove(w.roots[0]); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(w.roots[0]+".away", w.roots[0]); err != nil {
		t.Fatal(err)
	}
	if sum := mustRefresh(t, opt); sum.Status != "unchanged" || len(sum.Warnings) != 0 {
		t.Errorf("back again: %+v", sum)
	}
}

// Verify finds what neither time nor size shows, and without it the same is not seen.
func TestVerify(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := newWorld(t, 54, filepath.Join(dir, "projects"))
	opt := localRoot(t, filepath.Join(dir, "warehouse"), w.roots[0])
	path := w.newSession()
	w.put(path, strings.Repeat(`{"type":"user","uuid":"u-1","message":{"role":"user","content":"version one "}}`+"\n", 300))
	mustRefresh(t, opt)
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	back := func() {
		t.Helper()
		if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
			t.Fatal(err)
		}
	}
	content := w.read(path)
	middle := len(content) / 2
	writeFile(t, path, content[:middle]+strings.Replace(content[middle:], "version one", "version two", 1))
	back()
	if sum := mustRefresh(t, opt); sum.Status != "unchanged" {
		t.Fatalf("seen without verify: %+v", sum)
	}
	opt.Verify = true
	if sum := mustRefresh(t, opt); sum.Replaced != 1 {
		t.Errorf("verify: %+v", sum)
	}
	checkRestored(t, opt.Layout, w.files())
	// Grown, and changed where no window looks.
	content = w.read(path)
	opt.Verify = false
	w.put(path, strings.Replace(content[:middle], "version one", "version 3.0", 200)+content[middle:]+w.lines(path, 1))
	opt.Verify = true
	if sum := mustRefresh(t, opt); sum.Replaced != 1 {
		t.Errorf("verify of a grown file: %+v", sum)
	}
	checkRestored(t, opt.Layout, w.files())
	if sum := mustRefresh(t, opt); sum.Status != "unchanged" || sum.BytesChecked == 0 {
		t.Errorf("verify with nothing changed: %+v", sum)
	}
	opt.Verify = false
	compareWithFresh(t, opt)
}

// Where a transcript was, something lies that is none: its lines go as if it had vanished, from
// both copies, and come back with it.
func TestPipeWhereATranscriptWas(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := newWorld(t, 55, filepath.Join(dir, "projects"))
	opt := localRoot(t, filepath.Join(dir, "warehouse"), w.roots[0])
	path, other := w.newSession(), w.newSession()
	w.put(path, w.lines(path, 3))
	w.put(other, w.lines(other, 1))
	mustRefresh(t, opt)
	for round := range 6 {
		content := w.read(other)
		switch round {
		case 1:
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		case 4:
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			w.put(path, content)
		}
		w.add(other, w.lines(other, 1))
		sum := mustRefresh(t, opt)
		if want := b2i(round == 1); sum.Vanished != want {
			t.Errorf("round %d: %d vanished, want %d", round, sum.Vanished, want)
		}
		checkRestored(t, opt.Layout, w.files())
		compareWithFresh(t, opt)
		if t.Failed() {
			t.Fatalf("round %d", round)
		}
	}
}

// One byte in the middle of a file, where no window looks: seen, unless the file only grew.
func TestChangeInTheMiddle(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		rename bool // the new state comes by a rename over the old
		grown  bool
	}{{"in place", false, false}, {"by rename", true, false}, {"by rename, grown", true, true}} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			w := newWorld(t, 56, filepath.Join(dir, "projects"))
			opt := localRoot(t, filepath.Join(dir, "warehouse"), w.roots[0])
			path := w.newSession()
			w.put(path, w.lines(path, 40))
			content := []byte(w.read(path))
			if len(content) < 4*windowSize {
				t.Fatalf("the file has %d bytes only", len(content))
			}
			mustRefresh(t, opt)
			content[len(content)/2] ^= 1
			if tt.grown {
				content = append(content, w.lines(path, 1)...)
			}
			to := path
			if tt.rename {
				to = path + ".tmp"
			}
			w.put(to, string(content))
			if err := os.Rename(to, path); err != nil {
				t.Fatal(err)
			}
			if sum := mustRefresh(t, opt); sum.Replaced != 1 {
				t.Errorf("got %+v", sum)
			}
			checkRestored(t, opt.Layout, w.files())
		})
	}
}

// A file that is rewritten while it is read, and longer then, is no file that only grew: what was
// read is the beginning of neither state, though its first and last bytes are those of the new one.
func TestRewrittenAndLongerWhileRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "s.jsonl")
	root := Root{LocalHost, claude.Agent, dir}
	content := strings.Repeat(`{"type":"user","message":{"role":"user","content":"as it was"}}`+"\n", 100_000)
	writeFile(t, path, content)
	far := len(content) / 10 / 64 * 64
	rewritten := content[:far] + strings.Replace(content[far:], "as it was", "different", 1) + content[:640]
	var buf []byte
	reading := func(known map[string]indexedFile, each func()) outcome {
		t.Helper()
		seen, _ := scanned(t, dir, root)
		p := compare(seen, []Root{root}, known, planOptions{})
		if len(p.candidates) != 1 {
			t.Fatalf("not to be opened: %+v", p)
		}
		o, err := readFile(t.Context(), p.candidates[0], 1, &buf, func(line) error { each(); return nil })
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	n := 0
	first := reading(nil, func() {
		// Behind the place of the change and before the last bytes.
		if n++; n == 50_000 {
			writeFile(t, path, rewritten)
		}
	})
	second := reading(map[string]indexedFile{path: first.row}, func() {})
	if second.change != replaced {
		t.Errorf("taken for change %d, want %d: replaced", second.change, replaced)
	}
	third, _ := scanned(t, dir, root)
	if p := compare(third, []Root{root}, map[string]indexedFile{path: second.row}, planOptions{}); !p.empty() {
		t.Errorf("holds still, and is read again: %+v", p)
	}
}
