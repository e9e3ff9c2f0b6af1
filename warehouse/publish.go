package warehouse

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
)

// Publishing: two copies and one rename.
//
// A DuckDB file is written by one process or read by many. So nobody ever writes the published
// file: the refresh writes the standby, and when that is whole the two change names. A reader
// keeps the file it opened, whatever happens to its name. A killed refresh leaves the published
// file as it was, and a standby that says it is not complete; the next run throws that away and
// copies the published file.
//
// The change of names: the published file gets a second name (a hard link), the standby is
// renamed over the published name, the second name is renamed to the standby's. At every instant
// the published name exists and is whole. tidy finishes what a kill left between two of these.
//
// What is deliberately not done: no log is replayed (a .wal beside a file that was not complete
// goes with it), no lock file is believed for its content (flock dies with its holder).

// lock takes the refresh lock, waiting up to wait, or without end where there is no file yet to
// fall back on. ok is false when another refresh held it for all that time.
func (l Layout) lock(ctx context.Context, wait time.Duration) (unlock func(), ok bool, err error) {
	if err := os.MkdirAll(l.Dir, 0o700); err != nil {
		return nil, false, fmt.Errorf("warehouse directory: %w", err)
	}
	fl := flock.New(l.Lock, flock.SetPermissions(0o600))
	deadline := time.Now().Add(wait)
	for {
		got, err := fl.TryLock()
		if err != nil {
			return nil, false, fmt.Errorf("refresh lock %q: %w", l.Lock, err)
		}
		if got {
			return func() { fl.Close() }, true, nil
		}
		if time.Now().After(deadline) && exists(l.Published) {
			fl.Close()
			return nil, false, nil
		}
		select {
		case <-ctx.Done():
			fl.Close()
			return nil, false, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// tidy finishes or takes back what a killed refresh left. The caller holds the lock.
func (l Layout) tidy() error {
	if exists(l.swap()) {
		// Between the renames the old file has only this name; before them it has two.
		if !exists(l.Standby) && !sameFile(l.swap(), l.Published) {
			if err := os.Rename(l.swap(), l.Standby); err != nil {
				return err
			}
		} else if err := os.Remove(l.swap()); err != nil {
			return err
		}
	}
	if sameFile(l.Standby, l.Published) {
		if err := os.Remove(l.Standby); err != nil {
			return err
		}
	}
	if exists(l.Standby + ".wal") {
		// Killed while it was written: of no use, and as large as the published file.
		if err := l.discardStandby(); err != nil {
			return err
		}
	}
	for _, left := range []string{l.copying(), l.copying() + ".wal", l.Stamp + ".tmp"} {
		if err := removeIfThere(left); err != nil {
			return err
		}
	}
	entries, err := os.ReadDir(l.Imports)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), forgottenTree) {
			if err := os.RemoveAll(filepath.Join(l.Imports, e.Name())); err != nil {
				return err
			}
		}
	}
	return os.RemoveAll(l.spill())
}

func (l Layout) copying() string { return l.Standby + ".new" }

// discardStandby removes the standby and its log.
func (l Layout) discardStandby() error {
	return errors.Join(removeIfThere(l.Standby), removeIfThere(l.Standby+".wal"))
}

// copyPublished makes the standby a copy of the published file. No database may be open on
// either in this process: closing a descriptor drops DuckDB's locks on the file.
func (l Layout) copyPublished() error {
	if err := l.discardStandby(); err != nil {
		return err
	}
	if err := copyFile(l.Published, l.copying()); err != nil {
		return fmt.Errorf("copy of %q: %w", l.Published, err)
	}
	return os.Rename(l.copying(), l.Standby)
}

func copyFile(from, to string) (err error) {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := dst.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			os.Remove(to)
		}
	}()
	if cloneFile(dst, src) == nil {
		return nil
	}
	_, err = io.Copy(dst, src)
	return err
}

// swapNames publishes the standby.
func (l Layout) swapNames(keepStandby bool) error {
	if err := syncFile(l.Standby); err != nil {
		return err
	}
	if err := os.Chmod(l.Standby, 0o600); err != nil {
		return err
	}
	// Without a second name the old file is gone with the rename: a kill leaves nothing of it.
	keep := keepStandby && exists(l.Published)
	if keep {
		if err := os.Link(l.Published, l.swap()); err != nil {
			return fmt.Errorf("swap: %w", err)
		}
	}
	if err := os.Rename(l.Standby, l.Published); err != nil {
		return fmt.Errorf("swap: %w", err)
	}
	if keep {
		if err := os.Rename(l.swap(), l.Standby); err != nil {
			return fmt.Errorf("swap: %w", err)
		}
	}
	return syncFile(l.Dir)
}

func syncFile(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

// stamp is what last-refresh holds.
type stamp struct {
	At          time.Time `json:"at"`
	Fingerprint string    `json:"fingerprint"`           // of the program's definitions and what it was asked to read
	PricesFile  string    `json:"prices_file,omitempty"` // the one --prices named
	Summary     Summary   `json:"summary"`
}

func (l Layout) writeStamp(s stamp) error {
	b, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(l.Stamp+".tmp", append(b, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(l.Stamp+".tmp", l.Stamp)
}

// readStamp returns the zero stamp where there is none that can be read.
func (l Layout) readStamp() stamp {
	var s stamp
	b, err := os.ReadFile(l.Stamp)
	if err != nil || json.Unmarshal(b, &s) != nil {
		return stamp{}
	}
	return s
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func sameFile(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// isFull tells whether an error, of the system or in DuckDB's words, says that a disk is full.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || strings.Contains(strings.ToLower(err.Error()), "no space left on device")
}

// diskHint says what helps where a disk is full.
func diskHint(dir string) string {
	return "free some space in " + filepath.Clean(dir) + ", or set WAREHOUSE_HOME to another disk"
}
