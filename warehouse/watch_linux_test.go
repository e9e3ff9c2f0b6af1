package warehouse

import (
	"encoding/binary"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// nameEvent is what the kernel says has happened to a name in a folder.
type nameEvent struct {
	name string
	mask uint32
}

// watchNames records what happens to the names in dir until it is asked. A moment in which a name
// is missing is too short for a reader to hit; the kernel forgets none.
func watchNames(t *testing.T, dir string) func() []nameEvent {
	t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		t.Skipf("inotify: %v", err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	if _, err := unix.InotifyAddWatch(fd, dir, unix.IN_MODIFY|unix.IN_DELETE|unix.IN_MOVED_FROM|unix.IN_MOVED_TO|unix.IN_CREATE); err != nil {
		t.Fatal(err)
	}
	return func() []nameEvent {
		var events []nameEvent
		buf := make([]byte, 64<<10)
		for {
			n, err := unix.Read(fd, buf)
			if err == unix.EAGAIN {
				return events
			}
			if err != nil {
				t.Fatalf("inotify: %v", err)
			}
			for b := buf[:n]; len(b) >= unix.SizeofInotifyEvent; {
				mask, length := binary.NativeEndian.Uint32(b[4:]), binary.NativeEndian.Uint32(b[12:])
				if mask&unix.IN_Q_OVERFLOW != 0 {
					t.Fatal("inotify: the queue ran over")
				}
				name := string(b[unix.SizeofInotifyEvent : unix.SizeofInotifyEvent+length])
				events = append(events, nameEvent{strings.TrimRight(name, "\x00"), mask})
				b = b[unix.SizeofInotifyEvent+length:]
			}
		}
	}
}

// checkPublishedEvents asserts that all that ever happened to the published name was to be taken
// over by another file: it was never missing, and what it named was never written.
func checkPublishedEvents(t *testing.T, events []nameEvent, published string, swaps int) {
	t.Helper()
	taken := 0
	for _, e := range events {
		switch {
		case e.name != published:
		case e.mask&unix.IN_MOVED_TO != 0:
			taken++
		default:
			t.Errorf("%s: event %#x, want nothing but renames over it", published, e.mask)
		}
	}
	if taken != swaps {
		t.Errorf("%s was replaced %d times, want %d", published, taken, swaps)
	}
}
