package warehouse

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// importer imports into a warehouse in dir, on a machine whose own transcripts are in dir/local.
func importer(t testing.TB, dir string) func(host, from string, change ...func(*ImportOptions)) (ImportSummary, error) {
	t.Helper()
	writeFile(t, filepath.Join(dir, "local", "-home-dev-app", "local.jsonl"), "{}\n")
	return func(host, from string, change ...func(*ImportOptions)) (ImportSummary, error) {
		opt := ImportOptions{
			Layout: layoutIn(t, filepath.Join(dir, "warehouse")), Host: host, From: from, Home: dir,
			Getenv: func(name string) string {
				if name == "CLAUDE_PROJECTS_DIR" {
					return filepath.Join(dir, "local")
				}
				return ""
			},
		}
		for _, c := range change {
			c(&opt)
		}
		return Import(t.Context(), opt)
	}
}

func moved(o *ImportOptions) { o.Moved = true }

// listing is what lies below a folder: path, size, mode, whole seconds of the time.
func listing(t testing.TB, dir string) string {
	t.Helper()
	var out strings.Builder
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		fmt.Fprintf(&out, "%s %d %o %s\n", rel, info.Size(), info.Mode().Perm(), info.ModTime().UTC().Format("15:04:05.000000"))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestImport(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := importer(t, dir)
	source, tree := filepath.Join(dir, "mnt", "projects"), filepath.Join(dir, "warehouse", "imports", "laptop")
	at := time.Date(2025, 3, 1, 9, 0, 0, 123456000, time.UTC)
	put := func(path, content string) {
		t.Helper()
		writeFile(t, filepath.Join(source, path), content)
		if err := os.Chmod(filepath.Join(source, path), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(filepath.Join(source, path), at, at); err != nil {
			t.Fatal(err)
		}
		at = at.Add(time.Second)
	}
	put("-a/s1.jsonl", "{}\n{}\n")
	put("-a/s1/subagents/agent-1.jsonl", "{}\n")
	put("-a/s1/subagents/agent-1.meta.json", `{"agentType":"Explore"}`)
	put("-a/s1/tool-results/r.jsonl", "{}\n")
	put("-a/s1/tool-results/r.txt", "output")
	put("-a/memory/m.jsonl", "{}\n")
	put("-a/settings.json", "{}")
	put("-b/s2.jsonl", "{}\n")
	put("../outside/o.jsonl", "{}\n")
	for link, target := range map[string]string{"-c": "../outside", "-a/o.jsonl": "../../outside/o.jsonl", "-b/inside.jsonl": "s2.jsonl", "-b/nowhere.jsonl": "nothing"} {
		if err := os.Symlink(target, filepath.Join(source, link)); err != nil {
			t.Fatal(err)
		}
	}
	sum, err := run("laptop", filepath.Dir(source)) // the folder that holds projects means it
	if err != nil {
		t.Fatal(err)
	}
	const want = `-a/s1/subagents/agent-1.jsonl 3 600 09:00:01.123456
-a/s1/subagents/agent-1.meta.json 23 600 09:00:02.123456
-a/s1.jsonl 6 600 09:00:00.123456
-b/s2.jsonl 3 600 09:00:07.123456
`
	if got := listing(t, tree); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if sum.New != 3 || sum.Companion != 1 || sum.Files != 3 || sum.Bytes != 12 || sum.Written != 35 || len(sum.Skipped) != 3 || len(sum.Failures) != 0 {
		t.Errorf("got %+v", sum)
	}
	for _, folder := range []string{"", "laptop", "laptop/-a/s1"} {
		info, err := os.Stat(filepath.Join(dir, "warehouse", "imports", folder))
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%q: got %v, %v", folder, info.Mode(), err)
		}
	}
	m, err := layoutIn(t, filepath.Join(dir, "warehouse")).ReadManifest("laptop")
	if err != nil || m.Source != source || m.Files != 3 || m.Egress != EgressBlocked || m.Interrupted() || !m.IsCopied {
		t.Errorf("manifest: %+v, %v", m, err)
	}

	// Again: what changed is copied, what is gone stays, a choice is kept.
	if err := layoutIn(t, filepath.Join(dir, "warehouse")).SetEgress("laptop", EgressAllowed); err != nil {
		t.Fatal(err)
	}
	put("-a/s1.jsonl", "{}\n{}\n{}\n")
	put("-b/s3.jsonl", "{}\n")
	put("-a/s1/subagents/agent-1.jsonl", "[]\n") // same size, another time
	if err := os.Remove(filepath.Join(source, "-b/s2.jsonl")); err != nil {
		t.Fatal(err)
	}
	if sum, err = run("laptop", ""); err != nil { // from where it came before
		t.Fatal(err)
	}
	if sum.New != 1 || sum.Changed != 2 || sum.Unchanged != 0 || sum.KeptFiles != 1 || sum.Files != 4 || sum.Companion != 0 || sum.Egress != EgressAllowed {
		t.Errorf("again: got %+v", sum)
	}
	if b, err := os.ReadFile(filepath.Join(tree, "-a/s1/subagents/agent-1.jsonl")); err != nil || string(b) != "[]\n" {
		t.Errorf("got %q, %v", b, err)
	}
	if sum, err = run("laptop", source); err != nil || sum.Unchanged != 3 || sum.Written != 0 {
		t.Errorf("nothing changed: got %+v, %v", sum, err)
	}

	// One that cannot be copied does not stop the others.
	if err := os.Mkdir(filepath.Join(tree, "-b", "s4.jsonl"), 0o700); err != nil {
		t.Fatal(err)
	}
	put("-b/s4.jsonl", "{}\n")
	put("-b/s5.jsonl", "{}\n")
	if sum, err = run("laptop", source); err != nil || sum.New != 1 || len(sum.Failures) != 1 {
		t.Errorf("a folder in the way: got %+v, %v", sum, err)
	}
	// Nothing is written through a link that somebody put into the tree.
	if err := os.Symlink(filepath.Join(dir, "mnt", "outside"), filepath.Join(tree, "-d")); err != nil {
		t.Fatal(err)
	}
	put("-d/s6.jsonl", "{}\n")
	if sum, err = run("laptop", source); err != nil || len(sum.Failures) != 2 || exists(filepath.Join(dir, "mnt/outside/s6.jsonl")) {
		t.Errorf("a link in the tree: got %+v, %v", sum, err)
	}
}

// The next refresh reads an import, however young the last one is.
func TestImportIsReadNext(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := importer(t, dir)
	writeFile(t, filepath.Join(dir, "mnt", "-a", "s.jsonl"), "{}\n")
	opt := localRoot(t, filepath.Join(dir, "warehouse"), filepath.Join(dir, "local"))
	opt.MaxAge = time.Hour
	for i := range 3 {
		if _, err := run("laptop", filepath.Join(dir, "mnt")); err != nil {
			t.Fatal(err)
		}
		var err error
		getenv := func(name string) string {
			return map[string]string{"CLAUDE_PROJECTS_DIR": filepath.Join(dir, "local")}[name]
		}
		if opt.Roots, opt.Warnings, err = Sources(opt.Layout, getenv, ""); err != nil {
			t.Fatal(err)
		}
		if sum := mustRefresh(t, opt); sum.Status != "refreshed" || sum.Lines != int64(i+2) || len(sum.Warnings) > 0 {
			t.Errorf("%d: got %+v", i, sum)
		}
		appendFile(t, filepath.Join(dir, "mnt", "-a", "s.jsonl"), "{}\n")
	}
}

func TestImportRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := importer(t, dir)
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, path := range []string{"mnt/a/-p/s.jsonl", "mnt/b/-p/s.jsonl", "local/-p/s.jsonl", "warehouse/x/s.jsonl", "warehouse/imports/brought/-p/s.jsonl", "file"} {
		writeFile(t, in(path), "{}\n")
	}
	if err := os.MkdirAll(in("empty/-p"), 0o700); err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{"alias-of-local": "local", "alias-of-a": "mnt/a", "warehouse/imports/linked": "mnt/a"} {
		if err := os.Symlink(in(target), in(link)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := run("a", in("mnt/a")); err != nil {
		t.Fatal(err)
	}
	before := listing(t, in("warehouse"))
	for _, tt := range []struct{ host, from, want string }{
		{"", "mnt/b", "empty"},
		{"local", "mnt/b", "is this machine"},
		{"lap top", "mnt/b", "not letters, digits, - and _"},
		{"../x", "mnt/b", "not letters, digits, - and _"},
		{"läptop", "mnt/b", "not letters, digits, - and _"},
		{".lock", "mnt/b", "not letters, digits, - and _"},
		{"b", "nowhere", "no such file"},
		{"b", "file", "is not a folder"},
		{"b", "empty", "no transcripts below"},
		{"b", "local", "read as this machine's"},
		{"b", "local/-p", "read as this machine's"},
		{"b", "alias-of-local", "read as this machine's"},
		{"b", "", "nothing of it is in"},
		{"b", ".", "lie in one another"},
		{"b", "/", "lie in one another"},
		{"b", "warehouse", "lie in one another"},
		{"b", "warehouse/x", "lie in one another"},
		{"b", "warehouse/imports/a", "lie in one another"},
		{"b", "mnt", "host \"a\" is imported from"},
		{"b", "mnt/a", "host \"a\" is imported from"},
		{"b", "mnt/a/-p", "host \"a\" is imported from"},
		{"b", "alias-of-a", "host \"a\" is imported from"},
		{"A", "mnt/b", "upper and lower case"},
		{"a", "mnt/b", "stands for " + in("mnt/a")},
		{"a", "dev@desk:projects", "stands for " + in("mnt/a")},
		{"brought", "mnt/b", "a tree that was not imported"},
		{"linked", "", "is not a folder"},
		{"b", "dev@desk:projects", "on another machine"},
	} {
		from := tt.from
		if from != "" && !filepath.IsAbs(from) && !isRemote(from) {
			from = in(from)
		}
		sum, err := run(tt.host, from)
		if err == nil || !errors.Is(err, ErrImport) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("--host %q --from %q: got %+v, %v; want an error with %q", tt.host, tt.from, sum.Manifest, err, tt.want)
		}
	}
	if got := listing(t, in("warehouse")); got != before {
		t.Errorf("refused imports wrote something: got\n%s\nwant\n%s", got, before)
	}
	// The same source under another name is the same; another place has to be said.
	if _, err := run("a", in("alias-of-a")); err != nil {
		t.Error(err)
	}
	if err := os.Rename(in("mnt/a"), in("mnt/c")); err != nil {
		t.Fatal(err)
	}
	if _, err := run("a", in("mnt/c")); err == nil {
		t.Error("a label was given to another folder")
	}
	if sum, err := run("a", in("mnt/c"), moved); err != nil || sum.Unchanged != 1 || sum.Source != in("mnt/c") {
		t.Errorf("moved: got %+v, %v", sum, err)
	}
	if sum, err := run("a", "dev@desk:projects", moved); err != nil || sum.IsCopied || sum.Source != "dev@desk:projects" {
		t.Errorf("moved to where it cannot be reached: got %+v, %v", sum, err)
	}
	if sum, err := run("a", in("mnt/c"), moved); err != nil || !sum.IsCopied || sum.Unchanged != 1 {
		t.Errorf("and back: got %+v, %v", sum, err)
	}
	if sum, err := run("brought", in("mnt/b"), moved); err != nil || !sum.IsCopied || sum.Files != 1 {
		t.Errorf("a tree that was brought comes from a folder now: got %+v, %v", sum, err)
	}
	// A label with lines whose tree is gone, and one that was forgotten.
	opt := localRoot(t, in("warehouse"), in("local"))
	opt.Roots = append(opt.Roots, Root{"a", "claude-code", in("warehouse/imports/a")})
	mustRefresh(t, opt)
	for _, name := range []string{"a", "a.json"} {
		if err := os.Rename(in("warehouse/imports/"+name), in("away-"+name)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := run("a", in("mnt/c")); err == nil || !strings.Contains(err.Error(), "of a tree that is not there any more") {
		t.Errorf("got %v", err)
	}
	if _, err := Forget(t.Context(), opt, []Rule{{Kind: ForgetHost, Value: "a"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := run("a", in("mnt/c"), moved); err == nil || !strings.Contains(err.Error(), "was forgotten") {
		t.Errorf("got %v", err)
	}
	opt.Lift = []Rule{{Kind: ForgetHost, Value: "a"}}
	mustRefresh(t, opt)
	if _, err := run("a", in("mnt/c")); err != nil {
		t.Error(err)
	}
}

// A tree that others bring is registered where it lies, and its source is remembered.
func TestImportRegisters(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := importer(t, dir)
	var remote *RemoteError
	if _, err := run("desk", "dev@desk:.claude/projects"); !errors.As(err, &remote) || remote.Tree != filepath.Join(dir, "warehouse/imports/desk") {
		t.Fatalf("got %v", err)
	}
	if !isFolder(filepath.Dir(remote.Tree)) {
		t.Error("there is no folder that rsync could copy into")
	}
	writeFile(t, filepath.Join(remote.Tree, "-p", "s.jsonl"), "{}\n")
	sum, err := run("desk", "dev@desk:.claude/projects")
	if err != nil || sum.IsCopied || sum.Source != "dev@desk:.claude/projects" || sum.Files != 1 || sum.Egress != EgressBlocked {
		t.Errorf("got %+v, %v", sum, err)
	}
	if sum, err = run("desk", ""); err != nil || sum.Source != "dev@desk:.claude/projects" {
		t.Errorf("again: got %+v, %v", sum, err)
	}
	if _, err := run("desk", dir); err == nil {
		t.Error("the label was given to a folder")
	}
}

// A file that goes while the others are copied is no failure, one that has no place in the tree is;
// what could not be listed is not taken for gone.
func TestImportOfWhatChanges(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	source, tree := filepath.Join(dir, "source"), filepath.Join(dir, "tree")
	for _, name := range []string{"-a/s1.jsonl", "-a/s2.jsonl", "-b/s3.jsonl"} {
		writeFile(t, filepath.Join(source, name), "{}\n")
	}
	writeFile(t, filepath.Join(tree, "-a/old.jsonl"), "{}\n")
	if err := os.Symlink("nothing", filepath.Join(tree, "-b")); err != nil {
		t.Fatal(err)
	}
	files, err := listSource(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(source, "-a/s2.jsonl")); err != nil {
		t.Fatal(err)
	}
	sum := ImportSummary{Tree: tree}
	if err := sum.copyTree(t.Context(), source, files, nil); err != nil {
		t.Fatal(err)
	}
	if sum.New != 1 || sum.KeptFiles != 1 || len(sum.Failures) != 1 || sum.Failures[0].Path != filepath.Join(source, "-b/s3.jsonl") {
		t.Errorf("got %+v", sum)
	}
	files.failures = []Failure{{filepath.Join(source, "-c"), "permission denied"}}
	if err := sum.copyTree(t.Context(), source, files, nil); err != nil {
		t.Fatal(err)
	}
	if sum.KeptFiles != 0 || len(sum.Failures) != 2 {
		t.Errorf("a folder that cannot be listed: got %+v", sum)
	}
}
