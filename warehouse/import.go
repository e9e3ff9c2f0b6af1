package warehouse

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"warehouse/warehouse/source/claude"
)

// Importing: transcripts of another machine are copied to imports/<label>, where the next refresh
// reads them as those of that host; or others put them there, and they are registered.
//
// The rules are:
//
//   - A label stands for one source. Another one under the same label would look as if all of the
//     first had vanished.
//   - No file is read under two hosts: a source overlaps neither a folder of this machine, nor the
//     warehouse's own directory, nor the source of another label. Folders are compared by what they
//     are, not by their names alone.
//   - The manifest is written before the first file, so that an interrupted import is known for what
//     it is and can be repeated.
//   - One import at a time; a refresh does not wait for it, since each file is whole (import_copy.go).
//   - No connection is made: for a source on another machine there is a line for rsync to type.

// ErrImport is returned for an import that is refused: the message says why.
var ErrImport = errors.New("import")

func refused(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrImport, fmt.Errorf(format, args...))
}

// ImportOptions say what to import.
type ImportOptions struct {
	Layout   Layout
	Host     string
	From     string // folder, or user@host:folder; empty for where it came from before, or a tree that is there
	Moved    bool   // the source of the label is at From now
	Getenv   func(string) string
	Home     string
	Progress func(done, total int64) // bytes; may be nil
}

// ImportSummary says what an import did.
type ImportSummary struct {
	Manifest
	Tree      string
	New       int // transcripts
	Changed   int
	Unchanged int
	Companion int   // other files that were copied
	Written   int64 // bytes
	Failures  []Failure
	Skipped   []Failure // links and such
}

// RemoteError is returned, as an ErrImport, for a source on another machine whose tree is not there.
type RemoteError struct {
	Source string // user@host:folder
	Tree   string // where it has to be put
}

func (e *RemoteError) Error() string {
	return fmt.Sprintf("import: %s is on another machine, and nothing of it is in %s yet", e.Source, e.Tree)
}

func (e *RemoteError) Unwrap() error { return ErrImport }

// Import copies or registers the transcripts of another machine.
func Import(ctx context.Context, opt ImportOptions) (ImportSummary, error) {
	l := opt.Layout
	if err := CheckLabel(opt.Host); err != nil {
		return ImportSummary{}, WithHint(fmt.Errorf("%w: %w", ErrImport, err), Hints(err)...)
	}
	if err := l.knowsHost(ctx, opt); err != nil {
		return ImportSummary{}, err
	}
	unlock, err := l.lockImports()
	if err != nil {
		return ImportSummary{}, err
	}
	defer unlock()
	m, err := l.ReadManifest(opt.Host)
	isNew := errors.Is(err, ErrNotFound)
	if err != nil && !isNew {
		return ImportSummary{}, err
	}
	if opt.From == "" && m.IsCopied {
		opt.From = m.Source
	}
	if opt.From == "" || isRemote(opt.From) {
		return l.register(opt, m)
	}
	source, err := sourceFolder(opt.From)
	if err != nil {
		return ImportSummary{}, err
	}
	if err := l.checkSource(opt, source); err != nil {
		return ImportSummary{}, err
	}
	if err := l.checkLabelFree(opt, m, isNew, source); err != nil {
		return ImportSummary{}, err
	}
	files, err := listSource(ctx, source)
	if err != nil {
		return ImportSummary{}, err
	}
	if files.transcripts == 0 {
		return ImportSummary{}, WithHint(refused("no transcripts below %s", source), "name the folder that holds the projects, such as …/.claude/projects")
	}
	if isNew {
		m = Manifest{Host: opt.Host, Egress: EgressBlocked}
	}
	m.Agent, m.Source, m.IsCopied = claude.Agent, source, true
	m.StartedAt = time.Now().UTC().Truncate(time.Second)
	if err := l.writeManifest(m); err != nil {
		return ImportSummary{}, err
	}
	sum := ImportSummary{Manifest: m, Tree: l.tree(opt.Host)}
	if err := sum.copyTree(ctx, source, files, opt.Progress); err != nil {
		return sum, err
	}
	sum.ImportedAt = m.StartedAt
	return sum, l.finishImport(sum.Manifest)
}

// finishImport says that the tree is whole, and lets the next refresh look, however young the last is.
func (l Layout) finishImport(m Manifest) error {
	if err := l.writeManifest(m); err != nil {
		return err
	}
	return removeIfThere(l.Stamp)
}

// register takes a tree that is there.
func (l Layout) register(opt ImportOptions, m Manifest) (ImportSummary, error) {
	tree := l.tree(opt.Host)
	switch {
	case m.IsCopied && m.Source != opt.From && !opt.Moved:
		return ImportSummary{}, inUse(opt, m)
	case !isFolder(tree) && exists(tree):
		return ImportSummary{}, refused("%s is not a folder", tree)
	case !isFolder(tree) && opt.From != "":
		return ImportSummary{}, &RemoteError{opt.From, tree}
	case !isFolder(tree):
		return ImportSummary{}, &RemoteError{"", tree}
	}
	roots, err := localRoots(opt.Getenv, opt.Home)
	if err != nil {
		return ImportSummary{}, err
	}
	for _, root := range roots {
		if overlap(tree, root.Path) {
			return ImportSummary{}, refused("%s is read as a folder of this machine already", tree)
		}
	}
	source := opt.From
	if source == "" {
		source = m.Source
	}
	was := m.Egress
	if m, err = l.registered(opt.Host, source); err != nil {
		return ImportSummary{}, err
	}
	if m.Files == 0 {
		return ImportSummary{}, WithHint(refused("no transcripts below %s", tree), "put them there first: warehouse import --help")
	}
	if was != "" {
		m.Egress = was
	}
	if err := os.Chmod(tree, 0o700); err != nil {
		return ImportSummary{}, err
	}
	return ImportSummary{Manifest: m, Tree: tree}, l.finishImport(m)
}

// registered describes a tree that other programs brought.
func (l Layout) registered(label, source string) (Manifest, error) {
	now := time.Now().UTC().Truncate(time.Second)
	m := Manifest{Host: label, Agent: claude.Agent, Source: source, StartedAt: now, ImportedAt: now, Egress: EgressBlocked}
	err := countTree(l.tree(label), func(_ string, size int64) {
		m.Files++
		m.Bytes += size
	})
	return m, err
}

// isRemote tells whether a source is written as on another machine.
func isRemote(source string) bool {
	before, _, found := strings.Cut(source, ":")
	return found && before != "" && !strings.ContainsAny(before, `/\`) && !exists(source)
}

// sourceFolder resolves a source. A folder that holds projects, as ~/.claude does, means that.
func sourceFolder(from string) (string, error) {
	path, err := filepath.Abs(from)
	if err != nil {
		return "", err
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return "", refused("source %q: %s", from, reason(err))
	}
	if !isFolder(path) {
		return "", refused("source %q is not a folder", from)
	}
	if inner := filepath.Join(path, "projects"); filepath.Base(path) != "projects" && isFolder(inner) {
		path = inner
	}
	return path, nil
}

// checkSource refuses a source whose files would be read twice, or that the copy lies in.
func (l Layout) checkSource(opt ImportOptions, source string) error {
	if overlap(source, l.Dir) {
		return refused("source %s and the warehouse's own directory %s lie in one another", source, l.Dir)
	}
	roots, err := localRoots(opt.Getenv, opt.Home)
	if err != nil {
		return err
	}
	for _, root := range roots {
		if overlap(source, root.Path) {
			return WithHint(refused("source %s overlaps %s, which is read as this machine's", source, root.Path), "it needs no import: warehouse refresh")
		}
	}
	labels, err := l.Labels()
	if err != nil {
		return err
	}
	for _, label := range labels {
		if label == opt.Host {
			continue
		}
		if strings.EqualFold(label, opt.Host) {
			return refused("host label %q differs from %q in upper and lower case alone", opt.Host, label)
		}
		if m, err := l.ReadManifest(label); err == nil && m.IsCopied && overlap(source, m.Source) {
			return WithHint(refused("source %s overlaps %s, which host %q is imported from", source, m.Source, label),
				"import it again: warehouse import --host "+label, "or give it up first: warehouse forget --host "+label)
		}
	}
	return nil
}

// checkLabelFree refuses a label that stands for something else.
func (l Layout) checkLabelFree(opt ImportOptions, m Manifest, isNew bool, source string) error {
	switch {
	case opt.Moved, m.IsCopied && m.Source == source:
		return nil
	case isNew && !isEmpty(l.tree(opt.Host)):
		return WithHint(refused("host %q has a tree that was not imported from a folder, %s", opt.Host, l.tree(opt.Host)),
			"register it: warehouse import --host "+opt.Host, sameTree, "or choose another label")
	case isNew:
		return nil
	}
	return inUse(opt, m)
}

func inUse(opt ImportOptions, m Manifest) error {
	was := m.Source
	if !m.IsCopied {
		was = "a tree that other programs bring"
		if m.Source != "" {
			was = m.Source
		}
	}
	return WithHint(refused("host label %q stands for %s", opt.Host, was), sameTree,
		"choose another label, or give this one up first: warehouse forget --host "+opt.Host)
}

const sameTree = "where that is the same tree in a new place, add --moved"

// knowsHost refuses a label that the warehouse knows otherwise: one that was forgotten, or one with
// lines whose tree and manifest are gone.
func (l Layout) knowsHost(ctx context.Context, opt ImportOptions) error {
	r, err := OpenReadOnly(ctx, l.Published, ReadOptions{AllowStale: true})
	if errors.Is(err, ErrNoDatabase) {
		return nil
	}
	if err != nil {
		return err
	}
	defer r.Close()
	stored, err := r.Forgotten(ctx)
	if err != nil {
		return err
	}
	if rules(stored).host(opt.Host) {
		return WithHint(refused("host %q was forgotten and is kept out", opt.Host), "let it in again: warehouse forget --undo --host "+opt.Host)
	}
	if opt.Moved || exists(l.tree(opt.Host)) || exists(l.manifest(opt.Host)) {
		return nil
	}
	var files int64
	if err := r.conn.QueryRowContext(ctx, "SELECT count(*) FROM indexed_files WHERE host = ? AND first_generation > 0", opt.Host).Scan(&files); err != nil {
		return engineError(err)
	}
	if files > 0 {
		return WithHint(refused("host label %q has %s in the warehouse, of a tree that is not there any more", opt.Host, plural(int(files), "file")),
			sameTree, "choose another label, or give this one up first: warehouse forget --host "+opt.Host)
	}
	return nil
}

// lockImports makes the folder of trees and holds it against other imports.
func (l Layout) lockImports() (unlock func(), err error) {
	if err := os.MkdirAll(l.Imports, 0o700); err != nil {
		return nil, fmt.Errorf("imports: %w", err)
	}
	if err := os.Chmod(l.Imports, 0o700); err != nil {
		return nil, fmt.Errorf("imports: %w", err)
	}
	fl := flock.New(filepath.Join(l.Imports, ".lock"), flock.SetPermissions(0o600))
	for range 100 {
		got, err := fl.TryLock()
		if err != nil {
			return nil, fmt.Errorf("imports: %w", err)
		}
		if got {
			return func() { fl.Close() }, nil
		}
		time.Sleep(20 * time.Millisecond)
	}
	fl.Close()
	return nil, WithHint(fmt.Errorf("imports are %w", ErrLocked), "another import runs; try again when it has ended")
}

// forgottenTree begins the name of a tree that is being removed.
const forgottenTree = ".forgotten-"

// removeImport removes the tree and the manifest of a host, and nothing outside of imports.
func (l Layout) removeImport(label string) error {
	if err := CheckLabel(label); err != nil {
		return err
	}
	if !exists(l.tree(label)) && !exists(l.manifest(label)) {
		return nil
	}
	unlock, err := l.lockImports()
	if err != nil {
		return err
	}
	defer unlock()
	gone := filepath.Join(l.Imports, forgottenTree+label)
	if err := os.RemoveAll(gone); err != nil {
		return err
	}
	// Out of sight in one step; a link goes, not what it leads to.
	if err := os.Rename(l.tree(label), gone); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return errors.Join(removeIfThere(l.manifest(label)), os.RemoveAll(gone))
}

func isEmpty(dir string) bool {
	entries, err := os.ReadDir(dir)
	return errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0
}

// overlap tells whether one folder is the other, or lies in it.
func overlap(a, b string) bool { return within(a, b) || within(b, a) }

// within tells whether path is dir or lies below it, under whatever names.
func within(path, dir string) bool {
	path, dir = resolved(path), resolved(dir)
	for {
		if path == dir || sameFile(path, dir) {
			return true
		}
		up := filepath.Dir(path)
		if up == path {
			return false
		}
		path = up
	}
}

// resolved is a path without links, as far as it exists.
func resolved(path string) string {
	path, rest := filepath.Clean(path), ""
	for {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return filepath.Join(real, rest)
		}
		up := filepath.Dir(path)
		if up == path {
			return filepath.Join(path, rest)
		}
		path, rest = up, filepath.Join(filepath.Base(path), rest)
	}
}
