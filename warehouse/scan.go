package warehouse

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"syscall"
	"unicode/utf8"

	"warehouse/warehouse/source/claude"
)

// The rules are:
//
//   - Nothing is opened but folders. Every entry is looked at with lstat first; one that cannot
//     be looked at is a row with a reason, never the end of the walk.
//   - A file is taken once, whatever number of paths lead to it: a path without a symlink before
//     one with, then the first in order. Folders behind symlinks are entered once, so loops end.
//   - The result depends on the tree alone, not on the order in which the system lists it.
//   - A folder that cannot be listed makes its root incomplete: what lies below is unknown, so
//     nothing of that host may be taken for deleted.

// Statuses of a file in the catalogue.
const (
	statusOK         = "ok"         // its lines are in raw
	statusFailed     = "failed"     // it could not be opened or read
	statusSkipped    = "skipped"    // not a regular file, or a link to nowhere
	statusIgnored    = "ignored"    // it was forgotten
	statusUnreadable = "unreadable" // a folder that could not be listed
)

// found is one path that the scan has something to say about.
type found struct {
	root      Root
	path      string
	device    uint64
	inode     uint64
	mtimeNS   int64
	size      int64
	sessionID string
	agentID   string
	status    string // ok, skipped, ignored or unreadable
	reason    string
	viaLink   bool
}

// tree is what a scan saw.
type tree struct {
	files []found
	// incomplete lists hosts with a folder that could not be listed.
	incomplete map[string]bool
	// missing lists roots that do not exist or hold no transcript at all: an unmounted disk
	// leaves an empty folder behind, so emptiness proves nothing.
	missing map[string]bool
}

func scan(ctx context.Context, roots []Root) (tree, error) {
	t := tree{incomplete: map[string]bool{}, missing: map[string]bool{}}
	for _, root := range roots {
		w := walker{ctx: ctx, root: root, tree: &t, dirs: map[[2]uint64]bool{}}
		before := len(t.files)
		info, err := os.Stat(root.Path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			t.missing[root.Path] = true
			continue
		case err != nil:
			w.unreadable(root.Path, err)
			continue
		case !info.IsDir():
			w.unreadable(root.Path, errors.New("not a folder"))
			continue
		}
		if err := w.enter(root.Path, false); err != nil {
			return tree{}, err
		}
		transcripts := 0
		for _, f := range t.files[before:] {
			if f.status == statusOK {
				transcripts++
			}
		}
		if transcripts == 0 {
			t.missing[root.Path] = true
		}
	}
	t.files = once(t.files)
	return t, nil
}

type walker struct {
	ctx  context.Context
	root Root
	tree *tree
	dirs map[[2]uint64]bool
}

func (w *walker) unreadable(path string, err error) {
	w.tree.incomplete[w.root.Host] = true
	w.tree.files = append(w.tree.files, found{root: w.root, path: path, status: statusUnreadable, reason: reason(err)})
}

func (w *walker) skip(path, why string) {
	path = strings.ToValidUTF8(path, "\uFFFD")
	w.tree.files = append(w.tree.files, found{root: w.root, path: path, status: statusSkipped, reason: why})
}

// enter walks a folder. viaLink is true below a symlink.
func (w *walker) enter(dir string, viaLink bool) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	info, err := os.Stat(dir)
	if err != nil {
		w.unreadable(dir, err)
		return nil
	}
	if id, ok := identity(info); ok {
		if w.dirs[id] {
			return nil
		}
		w.dirs[id] = true
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		w.unreadable(dir, err)
		return nil
	}
	// Real folders first, so that a folder reached both ways is known by its own path.
	var links []fs.DirEntry
	for _, e := range entries {
		if e.Type()&fs.ModeSymlink != 0 {
			links = append(links, e)
			continue
		}
		if err := w.entry(filepath.Join(dir, e.Name()), e, viaLink); err != nil {
			return err
		}
	}
	for _, e := range links {
		if err := w.link(filepath.Join(dir, e.Name()), e.Name()); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) entry(path string, e fs.DirEntry, viaLink bool) error {
	name := e.Name()
	switch {
	case e.IsDir():
		if claude.SkipDir(name) {
			return nil
		}
		if strings.HasSuffix(name, ".jsonl") {
			w.skip(path, "a folder")
		}
		return w.enter(path, viaLink)
	case !claude.IsTranscript(name):
		return nil
	}
	info, err := e.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return nil // gone between listing and looking
	}
	if err != nil {
		w.skip(path, reason(err))
		return nil
	}
	if !info.Mode().IsRegular() {
		w.skip(path, kindOf(info.Mode()))
		return nil
	}
	w.take(path, info, viaLink)
	return nil
}

func (w *walker) link(path, name string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		if claude.IsTranscript(name) {
			w.skip(path, "a link to nowhere")
		}
		return nil
	case info.IsDir():
		if claude.SkipDir(name) {
			return nil
		}
		return w.enter(path, true)
	case !claude.IsTranscript(name):
		return nil
	case !info.Mode().IsRegular():
		w.skip(path, kindOf(info.Mode()))
		return nil
	}
	w.take(path, info, true)
	return nil
}

func (w *walker) take(path string, info fs.FileInfo, viaLink bool) {
	if !utf8.ValidString(path) {
		// A path is a key in the database, whose text is UTF-8.
		w.skip(path, "its name is not UTF-8")
		return
	}
	f := found{
		root: w.root, path: path, mtimeNS: info.ModTime().UnixNano(), size: info.Size(),
		status: statusOK, viaLink: viaLink,
	}
	if id, ok := identity(info); ok {
		f.device, f.inode = id[0], id[1]
	}
	f.sessionID, f.agentID = claude.Identity(path)
	w.tree.files = append(w.tree.files, f)
}

// once keeps one path of each file and orders the result by path.
func once(files []found) []found {
	sort.SliceStable(files, func(i, j int) bool {
		a, b := files[i], files[j]
		if a.viaLink != b.viaLink {
			return !a.viaLink
		}
		return a.path < b.path
	})
	type key struct{ device, inode uint64 }
	seen := map[key]bool{}
	paths := map[string]bool{}
	kept := files[:0]
	for _, f := range files {
		k := key{f.device, f.inode}
		if paths[f.path] || (f.status == statusOK && k != key{} && seen[k]) {
			continue
		}
		paths[f.path] = true
		if f.status == statusOK {
			seen[k] = true
		}
		kept = append(kept, f)
	}
	sort.Slice(kept, func(i, j int) bool { return kept[i].path < kept[j].path })
	return kept
}

func identity(info fs.FileInfo) ([2]uint64, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return [2]uint64{}, false
	}
	return [2]uint64{uint64(st.Dev), st.Ino}, true
}

func kindOf(m fs.FileMode) string {
	switch {
	case m&fs.ModeNamedPipe != 0:
		return "a pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return fmt.Sprintf("not a regular file (%s)", m.Type())
}

// reason is the cause of a path error without the path, which stands beside it.
func reason(err error) string {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err.Error()
	}
	return err.Error()
}
