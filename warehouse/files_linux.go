package warehouse

import (
	"os"

	"golang.org/x/sys/unix"
)

// cloneFile shares src's blocks where the filesystem can (FICLONE: btrfs, xfs).
func cloneFile(dst, src *os.File) error {
	return unix.IoctlFileClone(int(dst.Fd()), int(src.Fd()))
}

// heldOpen reports whether any process has path open. A write lease is granted only where nobody
// has, so a reader that opened the file just before it lost its published name, and has not
// locked it yet, is seen too. Where the filesystem knows no leases (NFS) it reports false, and
// DuckDB's own lock decides.
func heldOpen(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	if _, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_WRLCK); err != nil {
		return err == unix.EAGAIN
	}
	unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_UNLCK)
	return false
}

// memoryBytes returns the machine's memory, 0 where unknown.
func memoryBytes() uint64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return uint64(info.Totalram) * uint64(info.Unit)
}
