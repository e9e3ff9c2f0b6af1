package warehouse

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"syscall"
	"testing"
	"time"

	"warehouse/warehouse/source/claude"
)

// scanned is what a scan of the roots says, one line a path, relative to base.
func scanned(t *testing.T, base string, roots ...Root) (tree, string) {
	t.Helper()
	got, err := scan(context.Background(), roots)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range got.files {
		rel, err := filepath.Rel(base, f.path)
		if err != nil {
			t.Fatal(err)
		}
		s := fmt.Sprintf("%s %s %s", f.root.Host, rel, f.status)
		if f.reason != "" {
			s += ": " + f.reason
		}
		out = append(out, s)
	}
	if !sort.SliceIsSorted(got.files, func(i, j int) bool { return got.files[i].path < got.files[j].path }) {
		t.Error("files are not in the order of their paths")
	}
	return got, strings.Join(out, "\n")
}

func link(t *testing.T, make func(string, string) error, from, to string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := make(from, to); err != nil {
		t.Fatal(err)
	}
}

func TestScan(t *testing.T) {
	base := t.TempDir()
	p := filepath.Join(base, "p")
	in := func(name string) string { return filepath.Join(p, name) }
	writeFile(t, in("a/s1.jsonl"), "{}\n")
	writeFile(t, in("a/s1/subagents/agent-1.jsonl"), "{}\n")
	writeFile(t, in("a/s1/subagents/workflows/wf_1/agent-2.jsonl"), "{}\n")
	writeFile(t, in("a/s1/subagents/workflows/wf_1/journal.jsonl"), "{}\n")
	writeFile(t, in("a/s1/tool-results/t.jsonl"), "{}\n")
	writeFile(t, in("a/memory/m.jsonl"), "{}\n")
	writeFile(t, in("a/s1.jsonl.bak"), "{}\n")
	writeFile(t, in("a/notes.JSONL"), "{}\n")
	writeFile(t, in("a/empty.jsonl"), "")
	writeFile(t, in("a/folder.jsonl/inner.jsonl"), "{}\n")
	writeFile(t, in("a/\xff.jsonl"), "{}\n")
	writeFile(t, in("a/it's a ?name%.jsonl"), "{}\n")
	if err := syscall.Mkfifo(in("a/pipe.jsonl"), 0o600); err != nil {
		t.Fatal(err)
	}
	if l, err := net.Listen("unix", in("a/sock.jsonl")); err != nil {
		t.Fatal(err)
	} else {
		defer l.Close()
	}
	link(t, os.Symlink, "nowhere.jsonl", in("a/dangling.jsonl"))
	link(t, os.Symlink, "loop.jsonl", in("a/loop.jsonl"))
	link(t, os.Symlink, "pipe.jsonl", in("a/to-pipe.jsonl"))

	_, got := scanned(t, p, Root{LocalHost, claude.Agent, p})
	want := strings.Join([]string{
		"local a/dangling.jsonl skipped: a link to nowhere",
		"local a/empty.jsonl ok",
		"local a/folder.jsonl skipped: a folder",
		"local a/folder.jsonl/inner.jsonl ok",
		"local a/it's a ?name%.jsonl ok",
		"local a/loop.jsonl skipped: a link to nowhere",
		"local a/pipe.jsonl skipped: a pipe",
		"local a/s1.jsonl ok",
		"local a/s1/subagents/agent-1.jsonl ok",
		"local a/s1/subagents/workflows/wf_1/agent-2.jsonl ok",
		"local a/sock.jsonl skipped: a socket",
		"local a/to-pipe.jsonl skipped: a pipe",
		"local a/\uFFFD.jsonl skipped: its name is not UTF-8",
	}, "\n")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// A file is one file, whatever number of names lead to it, and which one it goes by depends on
// the names alone.
func TestScanTakesAFileOnce(t *testing.T) {
	base := t.TempDir()
	p, outside := filepath.Join(base, "p"), filepath.Join(base, "outside")
	in := func(name string) string { return filepath.Join(p, name) }
	writeFile(t, in("m/real.jsonl"), "{}\n")
	link(t, os.Link, in("m/real.jsonl"), in("z/hard.jsonl"))
	link(t, os.Symlink, in("m/real.jsonl"), in("a/soft.jsonl"))
	// A folder behind two links, one of which loops.
	writeFile(t, filepath.Join(outside, "s.jsonl"), "{}\n")
	link(t, os.Symlink, outside, in("b1"))
	link(t, os.Symlink, outside, in("b2"))
	link(t, os.Symlink, p, filepath.Join(outside, "back"))
	link(t, os.Symlink, in("m"), in("c"))
	// Two files with one content are two.
	writeFile(t, in("m/copy.jsonl"), "{}\n")

	_, got := scanned(t, p, Root{LocalHost, claude.Agent, p})
	want := "local b1/s.jsonl ok\nlocal m/copy.jsonl ok\nlocal m/real.jsonl ok"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}

	if err := os.Rename(in("m/real.jsonl"), in("zz.jsonl")); err != nil {
		t.Fatal(err)
	}
	os.Remove(in("a/soft.jsonl"))
	if _, got := scanned(t, p, Root{LocalHost, claude.Agent, p}); !strings.Contains(got, "local z/hard.jsonl ok") || strings.Contains(got, "zz.jsonl") {
		t.Errorf("after the first name went, got\n%s", got)
	}
}

// Roots may lie in one another or be named twice; hosts are told apart by their root.
func TestScanOfSeveralRoots(t *testing.T) {
	base := t.TempDir()
	writeFile(t, filepath.Join(base, "p/a/s.jsonl"), "{}\n")
	writeFile(t, filepath.Join(base, "laptop/a/s.jsonl"), "{}\n")
	root := func(host, dir string) Root { return Root{host, claude.Agent, filepath.Join(base, dir)} }
	_, got := scanned(t, base, root(LocalHost, "p"), root(LocalHost, "p/a"), root("laptop", "laptop"))
	if want := "laptop laptop/a/s.jsonl ok\nlocal p/a/s.jsonl ok"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// What is missing, empty or unreadable is told apart, since only a folder that was listed in
// full proves that a file is gone.
func TestScanOfRootsThatProveNothing(t *testing.T) {
	base := t.TempDir()
	in := func(name string) string { return filepath.Join(base, name) }
	if err := os.MkdirAll(in("empty/a"), 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, in("only-others/readme.txt"), "")
	writeFile(t, in("file"), "")
	writeFile(t, in("good/s.jsonl"), "")
	var roots []Root
	for _, name := range []string{"absent", "empty", "only-others", "file", "good"} {
		roots = append(roots, Root{"host-" + name, claude.Agent, in(name)})
	}
	got, list := scanned(t, base, roots...)
	for _, name := range []string{"absent", "empty", "only-others"} {
		if !got.missing[in(name)] || got.incomplete["host-"+name] {
			t.Errorf("%s: missing %v, incomplete %v", name, got.missing[in(name)], got.incomplete["host-"+name])
		}
	}
	if !got.incomplete["host-file"] || got.incomplete["host-good"] || got.missing[in("good")] {
		t.Errorf("incomplete: %v, missing: %v", got.incomplete, got.missing)
	}
	if want := "host-file file unreadable: not a folder\nhost-good good/s.jsonl ok"; list != want {
		t.Errorf("got\n%s\nwant\n%s", list, want)
	}
}

func TestScanCanBeCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := scan(ctx, []Root{{LocalHost, claude.Agent, t.TempDir()}}); err == nil {
		t.Error("a cancelled scan returned no error")
	}
}

// compare decides from the catalogue alone what has to be opened.
func TestCompare(t *testing.T) {
	root := Root{LocalHost, claude.Agent, "/p"}
	file := func(path string) found {
		return found{root: root, path: path, device: 1, inode: 2, mtimeNS: 1000, size: 10, status: statusOK}
	}
	row := indexedFile{path: "/p/a", host: LocalHost, root: "/p", device: 1, inode: 2, mtimeNS: 1000, size: 10, consumedBytes: 10,
		consumedLines: 1, status: statusOK, firstGeneration: 1, generation: 1}
	other := indexedFile{path: "/p/b", host: LocalHost, root: "/p", device: 1, inode: 3, status: statusOK, firstGeneration: 1}
	with := func(change func(*indexedFile)) indexedFile { r := row; change(&r); return r }
	vanishedAt := with(func(r *indexedFile) { r.vanishedAt.Valid = true; r.vanishedAt.Time = time.Unix(1, 0) })

	for _, tt := range []struct {
		name    string
		files   []found
		known   []indexedFile
		opt     planOptions
		missing bool
		broken  bool // a folder of the host could not be listed
		want    string
	}{
		{name: "the same", files: []found{file("/p/a")}, known: []indexedFile{row}, want: "unchanged 1"},
		{name: "new", files: []found{file("/p/a")}, want: "open /p/a"},
		{name: "other inode", files: []found{file("/p/a")}, known: []indexedFile{with(func(r *indexedFile) { r.inode = 9 })}, want: "open /p/a"},
		{name: "other device", files: []found{file("/p/a")}, known: []indexedFile{with(func(r *indexedFile) { r.device = 9 })}, want: "open /p/a"},
		{name: "other time", files: []found{file("/p/a")}, known: []indexedFile{with(func(r *indexedFile) { r.mtimeNS++ })}, want: "open /p/a"},
		{name: "earlier time", files: []found{file("/p/a")}, known: []indexedFile{with(func(r *indexedFile) { r.mtimeNS += 5e9 })}, want: "open /p/a"},
		{name: "other size", files: []found{file("/p/a")}, known: []indexedFile{with(func(r *indexedFile) { r.size++ })}, want: "open /p/a"},
		{name: "changed while read", files: []found{file("/p/a")}, known: []indexedFile{with(func(r *indexedFile) { r.mtimeNS = unsettled })}, want: "open /p/a whole"},
		{name: "verify", files: []found{file("/p/a")}, known: []indexedFile{row}, opt: planOptions{verify: true}, want: "open /p/a whole"},
		{name: "vanished", known: []indexedFile{row}, files: []found{file("/p/c")}, want: "open /p/c; gone /p/a; vanished 1"},
		{name: "vanished, kept", known: []indexedFile{row}, files: []found{{root: root, path: "/p/c", inode: 7, status: statusOK}}, opt: planOptions{keep: true},
			want: "open /p/c; record /p/a; vanished 1"},
		{name: "renamed, kept", known: []indexedFile{row}, files: []found{file("/p/c")}, opt: planOptions{keep: true}, want: "open /p/c; gone /p/a"},
		{name: "vanished before", known: []indexedFile{vanishedAt, other}, opt: planOptions{keep: true},
			files: []found{{root: root, path: "/p/b", device: 1, inode: 3, status: statusOK}}, want: "unchanged 1"},
		{name: "back again", files: []found{file("/p/a")}, known: []indexedFile{vanishedAt}, opt: planOptions{keep: true}, want: "open /p/a"},
		{name: "root missing", known: []indexedFile{row}, missing: true, want: "spared: /p is missing or empty: the 1 file read from it stay"},
		{name: "folder unreadable", known: []indexedFile{row}, broken: true, want: "spared: /p could not be listed in full: 1 file not found there stay"},
		{name: "pipe", files: []found{{root: root, path: "/p/a", status: statusSkipped, reason: "a pipe"}}, want: "record /p/a"},
		{name: "still a pipe", files: []found{{root: root, path: "/p/a", status: statusSkipped, reason: "a pipe"}},
			known: []indexedFile{{path: "/p/a", root: "/p", status: statusSkipped, reason: "a pipe"}}, want: ""},
		{name: "pipe where a transcript was", files: []found{{root: root, path: "/p/a", status: statusSkipped, reason: "a pipe"}, file("/p/z")},
			known: []indexedFile{row}, want: "open /p/z; record /p/a; gone /p/a; vanished 1"},
		{name: "no pipe any more", known: []indexedFile{{path: "/p/a", root: "/p", status: statusSkipped, reason: "a pipe"}}, files: []found{file("/p/z")},
			want: "open /p/z; gone /p/a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			known := map[string]indexedFile{}
			for _, k := range tt.known {
				known[k.path] = k
			}
			seen := tree{files: tt.files, missing: map[string]bool{"/p": tt.missing}, incomplete: map[string]bool{LocalHost: tt.broken}}
			p := compare(seen, []Root{root}, known, tt.opt)
			var got []string
			if p.unchanged > 0 {
				got = append(got, fmt.Sprint("unchanged ", p.unchanged))
			}
			for _, c := range p.candidates {
				s := "open " + c.found.path
				if c.verify {
					s += " whole"
				}
				got = append(got, s)
			}
			for _, r := range p.records {
				got = append(got, "record "+r.path)
			}
			for _, g := range p.gone {
				got = append(got, "gone "+g.path)
			}
			if p.vanished > 0 {
				got = append(got, fmt.Sprint("vanished ", p.vanished))
			}
			for _, w := range p.warnings {
				got = append(got, "spared: "+w)
			}
			if s := strings.Join(got, "; "); s != tt.want {
				t.Errorf("got %q, want %q", s, tt.want)
			}
		})
	}
}
