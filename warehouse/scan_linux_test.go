package warehouse

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"warehouse/warehouse/source/claude"
)

// unprivileged runs f without the right to read everything, which root has: for the thread of
// the goroutine alone, other threads stay as they are.
func unprivileged(t *testing.T, f func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		f()
		return
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	const nobody = 65534
	setfsuid := func(uid uintptr) uintptr {
		old, _, _ := syscall.RawSyscall(syscall.SYS_SETFSUID, uid, 0, 0)
		return old
	}
	setfsuid(nobody)
	defer setfsuid(0)
	if setfsuid(nobody) != nobody {
		t.Skip("cannot give up root's rights here")
	}
	f()
}

func TestScanOfUnreadableFolder(t *testing.T) {
	base, err := os.MkdirTemp("", "warehouse-scan")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(base)
	for _, name := range []string{"closed/s.jsonl", "open/s.jsonl"} {
		writeFile(t, filepath.Join(base, name), "{}\n")
	}
	for dir, mode := range map[string]os.FileMode{base: 0o755, filepath.Join(base, "open"): 0o755, filepath.Join(base, "closed"): 0} {
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
	}
	defer os.Chmod(filepath.Join(base, "closed"), 0o700)
	unprivileged(t, func() {
		got, list := scanned(t, base, Root{LocalHost, claude.Agent, base}, Root{"laptop", claude.Agent, filepath.Join(base, "open")})
		if want := "local closed unreadable: permission denied\nlocal open/s.jsonl ok"; list != want {
			t.Errorf("got\n%s\nwant\n%s", list, want)
		}
		if !got.incomplete[LocalHost] || got.incomplete["laptop"] {
			t.Errorf("incomplete: %v", got.incomplete)
		}
	})
}

// A file that may not be read fails alone, is not tried again in vain, and is taken as soon as
// it may be read, though neither its time nor its size changed.
func TestUnreadableFile(t *testing.T) {
	base, err := os.MkdirTemp("", "warehouse-scan")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(base)
	path := filepath.Join(base, "s.jsonl")
	writeFile(t, path, "{}\n")
	if err := os.Chmod(base, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	root := Root{LocalHost, claude.Agent, base}
	emit := func(line) error { return nil }
	var buf []byte
	var o outcome
	unprivileged(t, func() {
		seen, _ := scanned(t, base, root)
		c := candidate{found: seen.files[0]}
		if o, err = readFile(context.Background(), c, 1, &buf, emit); err != nil {
			t.Fatal(err)
		}
		if o.change != failed || o.opened || o.row.status != statusFailed || o.row.reason != "permission denied" || o.row.hasLines() {
			t.Fatalf("got %+v", o)
		}
		if p := compare(seen, []Root{root}, map[string]indexedFile{path: o.row}, planOptions{}); !p.empty() {
			t.Errorf("tried again: %+v", p)
		}
	})
	if t.Failed() || t.Skipped() {
		return
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	seen, _ := scanned(t, base, root)
	if p := compare(seen, []Root{root}, map[string]indexedFile{path: o.row}, planOptions{}); len(p.candidates) != 1 {
		t.Errorf("not tried again: %+v", p)
	}
}
