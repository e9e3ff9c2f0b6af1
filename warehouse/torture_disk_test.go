package warehouse

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Disks that are full, folders that may not be written, files and folders that may not be read.

// disk mounts a disk of its own, or skips the test where that may not be done.
func (r *trial) disk(options string) (dir string, remount func(options string)) {
	r.t.Helper()
	dir = filepath.Join(r.t.TempDir(), "disk")
	if err := os.Mkdir(dir, 0o700); err != nil {
		r.t.Fatal(err)
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "mode=0700,"+options, "none", dir).CombinedOutput(); err != nil {
		r.skip("no disk can be mounted here: " + strings.TrimSpace(string(out)))
	}
	r.t.Cleanup(func() { exec.Command("umount", "-l", dir).Run() })
	return dir, func(options string) {
		r.t.Helper()
		if out, err := exec.Command("mount", "-o", "remount,"+options, dir).CombinedOutput(); err != nil {
			r.t.Fatalf("remount: %v: %s", err, out)
		}
	}
}

// A disk that fills up at any moment of a refresh.
func TestTortureFullDisk(t *testing.T) {
	r := try(t, "disk that fills up during a refresh")
	disk, remount := r.disk("size=1g")
	home, projects := filepath.Join(disk, "home"), filepath.Join(t.TempDir(), "projects")
	w := newWorld(t, 81, projects)
	l := layoutIn(t, home)
	rng := rand.New(rand.NewPCG(81, 1))
	room := map[bool]int64{true: 16 << 20, false: 16 << 20} // what a first build needs, and a change
	for round := range rounds(4, 60) {
		first := round%4 == 0
		if first {
			if err := os.RemoveAll(home); err != nil {
				t.Fatal(err)
			}
		}
		path := w.newSession()
		w.put(path, w.lines(path, 10+w.rng.IntN(100)))
		var was string
		var before seen
		if !first {
			was, before = digest(t, l.Published), peek(t, l.Published)
		}
		var fs unix.Statfs_t
		if err := unix.Statfs(disk, &fs); err != nil {
			t.Fatal(err)
		}
		used := int64(fs.Blocks-fs.Bfree) * int64(fs.Bsize)
		remount(fmt.Sprint("size=", used+1+rng.Int64N(room[first])))
		cmd := refreshCommand(t, home, projects)
		err := cmd.Run()
		if err == nil {
			r.happened("found room")
			room[first] = room[first] * 8 / 10
		} else {
			r.happened("refused")
			room[first] = room[first] * 21 / 20
			if said := refusal(t, cmd, err); !strings.Contains(said, "the disk is full") {
				t.Errorf("round %d: said %q", round, said)
			}
			switch {
			case first && exists(l.Published):
				t.Errorf("round %d: refused, and published", round)
			case first:
			case !exists(l.Published) || digest(t, l.Published) != was:
				r.lose(before.lines, "round %d: refused, and the published file is not what it was", round)
			}
		}
		remount("size=1g")
		runRefresh(t, home, projects)
		checkTidy(t, l)
		r.lose(lostLines(t, home, projects, w.files()), "round %d", round)
		if t.Failed() {
			return
		}
	}
	if r.times["refused"] == 0 {
		t.Error("no disk was full")
	}
}

// A folder that may not be written: what is there is read, and nothing happens to it.
func TestTortureReadOnlyFolder(t *testing.T) {
	r := try(t, "folder that may not be written")
	disk, remount := r.disk("size=1g")
	home, projects := filepath.Join(disk, "home"), filepath.Join(t.TempDir(), "projects")
	w := newWorld(t, 82, projects)
	l := layoutIn(t, home)
	runRefresh(t, home, projects)
	for round := range rounds(1, 20) {
		was := digest(t, l.Published)
		remount("ro")
		r.lose(lostLines(t, home, projects, w.files()), "round %d: read only", round)
		path := w.newSession()
		w.put(path, w.lines(path, 5))
		cmd := refreshCommand(t, home, projects)
		if said := refusal(t, cmd, cmd.Run()); !strings.Contains(said, "read-only file system") {
			t.Errorf("round %d: said %q", round, said)
		}
		r.happened("refused")
		if digest(t, l.Published) != was {
			r.lose(peek(t, l.Published).lines, "round %d: the published file is not what it was", round)
		}
		remount("rw")
		runRefresh(t, home, projects)
		checkTidy(t, l)
		r.lose(lostLines(t, home, projects, w.files()), "round %d: writable again", round)
		if t.Failed() {
			return
		}
	}
}

// unprivilegedCommand is the command without the right to read everything, which root has.
func (r *trial) unprivilegedCommand(cmd *exec.Cmd) *exec.Cmd {
	r.t.Helper()
	if os.Geteuid() != 0 {
		return cmd
	}
	const dropRights = "--bounding-set=-dac_override,-dac_read_search"
	setpriv, err := exec.LookPath("setpriv")
	if err != nil || exec.Command(setpriv, dropRights, "true").Run() != nil {
		r.skip("root reads everything, and there is no setpriv")
	}
	cmd.Args = append([]string{setpriv, dropRights}, cmd.Args...)
	cmd.Path = setpriv
	return cmd
}

// Files and folders that may not be read keep their lines, and keep no other from being read.
func TestTortureUnreadable(t *testing.T) {
	r := try(t, "files and folders that may not be read")
	home, projects := newHome(t)
	w := newWorld(t, 83, projects)
	w.fill(6, 3)
	runRefresh(t, home, projects)
	for round := range rounds(4, 60) {
		closed, mode, what := w.removable(), os.FileMode(0o600), "a file"
		other := filepath.Join(projects, "-home-dev-keep", "00000000-keep.jsonl")
		if w.rng.IntN(2) == 0 {
			closed, mode, what = filepath.Dir(closed), 0o700, "a folder"
		} else {
			// It is not opened unless it changed: its time does.
			w.settle(closed)
		}
		w.add(other, w.lines(other, 1))
		if err := os.Chmod(closed, 0); err != nil {
			t.Fatal(err)
		}
		cmd := r.unprivilegedCommand(refreshCommand(t, home, projects))
		err := cmd.Run()
		if cmd.ProcessState.ExitCode() != 3 || !strings.Contains(cmd.Stderr.(interface{ String() string }).String(), closed+": permission denied") {
			t.Errorf("round %d: %v, want exit code 3 and a word about %s\n%s", round, err, closed, cmd.Stderr)
		}
		r.happened(what + " passed over")
		r.lose(lostLines(t, home, projects, w.files()), "round %d: %s", round, what)
		if err := os.Chmod(closed, mode); err != nil {
			t.Fatal(err)
		}
		path := w.some()
		w.add(path, w.lines(path, 1))
		runRefresh(t, home, projects)
		r.lose(lostLines(t, home, projects, w.files()), "round %d: readable again", round)
		if t.Failed() {
			return
		}
	}
}
