package warehouse

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"warehouse/warehouse/source/claude"
)

// Copying a tree of transcripts.
//
// The rules are:
//
//   - Copied are transcripts, as a scan knows them, and the files that say what a transcript is
//     (claude.IsCompanion). Side files, memories and settings stay where they are: what the warehouse
//     cannot write back it does not take.
//   - A file whose copy has its size and time is left. Every other one is copied whole under a name
//     that is no transcript's, gets the time of its source and is renamed: under its own name no
//     file is ever half. A kill leaves at most such a name, which the next import removes.
//   - Links are not followed: what they lead to inside the tree is copied itself, and what lies
//     outside of it was not asked for.
//   - What is gone at the source stays: an import is a copy to keep. It is counted where all of the
//     source could be listed.
//   - Files that cannot be read are reported and do not stop the others.

const importing = ".importing"

// sourceTree is what there is to copy.
type sourceTree struct {
	files       []sourceFile
	transcripts int
	failures    []Failure
	skipped     []Failure
}

type sourceFile struct {
	path         string // below the source, with slashes
	size         int64
	at           time.Time
	isTranscript bool
}

func listSource(ctx context.Context, source string) (sourceTree, error) {
	var t sourceTree
	root, err := os.OpenRoot(source)
	if err != nil {
		return t, err
	}
	defer root.Close()
	err = fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			t.failures = append(t.failures, Failure{filepath.Join(source, path), reason(err)})
			return nil
		}
		name := d.Name()
		isTranscript := claude.IsTranscript(name)
		switch {
		case d.IsDir():
			if claude.SkipDir(name) && path != "." {
				return fs.SkipDir
			}
		case d.Type()&fs.ModeSymlink != 0:
			if _, err := root.Stat(path); err != nil && (isTranscript || isFolderBehind(filepath.Join(source, path))) {
				t.skipped = append(t.skipped, Failure{filepath.Join(source, path), "a link out of the tree"})
			}
		case !isTranscript && !claude.IsCompanion(name):
		case !d.Type().IsRegular():
			if isTranscript {
				t.skipped = append(t.skipped, Failure{filepath.Join(source, path), kindOf(d.Type())})
			}
		default:
			info, err := d.Info()
			if err != nil {
				return nil // gone between listing and looking
			}
			t.files = append(t.files, sourceFile{path, info.Size(), info.ModTime(), isTranscript})
			if isTranscript {
				t.transcripts++
			}
		}
		return nil
	})
	return t, err
}

func isFolderBehind(link string) bool {
	info, err := os.Stat(link)
	return err == nil && info.IsDir()
}

// countTree calls transcript for each transcript of a tree.
func countTree(dir string, transcript func(path string, size int64)) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && claude.SkipDir(d.Name()):
			return fs.SkipDir
		case d.Type().IsRegular() && claude.IsTranscript(d.Name()):
			if info, err := d.Info(); err == nil {
				transcript(path, info.Size())
			}
		}
		return nil
	})
}

// copyTree brings the tree up to date.
func (s *ImportSummary) copyTree(ctx context.Context, source string, t sourceTree, progress func(done, total int64)) error {
	s.Failures, s.Skipped = t.failures, t.skipped
	if err := os.MkdirAll(s.Tree, 0o700); err != nil {
		return err
	}
	if err := os.Chmod(s.Tree, 0o700); err != nil {
		return err
	}
	from, err := os.OpenRoot(source)
	if err != nil {
		return err
	}
	defer from.Close()
	// Whatever lies in the tree, nothing outside of it is written.
	to, err := os.OpenRoot(s.Tree)
	if err != nil {
		return err
	}
	defer to.Close()
	if err := removeLeftovers(s.Tree); err != nil {
		return err
	}
	var todo []sourceFile
	isNew := map[string]bool{}
	var total, done int64
	there := map[string]bool{}
	for _, f := range t.files {
		there[f.path] = true
		info, err := to.Lstat(f.path)
		if err == nil && info.Mode().IsRegular() && info.Size() == f.size && info.ModTime().Equal(f.at) {
			if f.isTranscript {
				s.Unchanged++
			}
			continue
		}
		isNew[f.path] = errors.Is(err, fs.ErrNotExist)
		todo = append(todo, f)
		total += f.size
	}
	for _, f := range todo {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := copyInto(from, to, f.path)
		switch {
		case errors.Is(err, errGone):
		case err != nil && isFull(err):
			return WithHint(fmt.Errorf("import: %w", err), diskHint(filepath.Dir(s.Tree)))
		case err != nil:
			s.Failures = append(s.Failures, Failure{filepath.Join(source, f.path), reason(err)})
		case !f.isTranscript:
			s.Companion++
		case isNew[f.path]:
			s.New++
		default:
			s.Changed++
		}
		s.Written += n
		if done += f.size; progress != nil {
			progress(done, total)
		}
	}
	s.Files, s.Bytes, s.KeptFiles = 0, 0, 0
	return countTree(s.Tree, func(path string, size int64) {
		s.Files++
		s.Bytes += size
		if rel, err := filepath.Rel(s.Tree, path); err == nil && !there[filepath.ToSlash(rel)] && len(t.failures) == 0 {
			s.KeptFiles++
		}
	})
}

// errGone is returned for a file that went since it was listed. What is missing in the tree is another
// matter.
var errGone = errors.New("gone")

// copyInto copies a file to the same place in another tree, and returns how many bytes it has.
func copyInto(from, to *os.Root, path string) (n int64, err error) {
	src, err := from.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, errGone
	}
	if err != nil {
		return 0, err
	}
	defer src.Close()
	before, err := src.Stat()
	if err != nil {
		return 0, err
	}
	if !before.Mode().IsRegular() {
		return 0, errors.New(kindOf(before.Mode()))
	}
	dir, name := filepath.Split(path)
	if err := to.MkdirAll(filepath.Clean(dir), 0o700); err != nil {
		return 0, err
	}
	tmp := dir + "." + name + importing
	dst, err := to.OpenFile(tmp, os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o600)
	if err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			to.Remove(tmp)
		}
	}()
	if cloneFile(dst, src) != nil {
		// What is written to it meanwhile is for the next import: its size will differ.
		_, err = io.Copy(dst, io.LimitReader(src, before.Size()))
	}
	if err := errors.Join(err, dst.Close()); err != nil {
		return 0, err
	}
	if err := to.Chtimes(tmp, before.ModTime(), before.ModTime()); err != nil {
		return 0, err
	}
	return before.Size(), to.Rename(tmp, path)
}

// removeLeftovers removes what a kill left in a tree.
func removeLeftovers(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, importing) && d.Type().IsRegular() {
			return os.Remove(path)
		}
		return err
	})
}
