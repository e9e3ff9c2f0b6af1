package warehouse

import (
	"bytes"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Transcripts that do not hold still: while they are read, and between two readings.

// changing runs change again and again beside what f does.
func changing(change, f func()) {
	stop := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
				change()
			}
		}
	})
	defer running.Wait()
	defer close(stop)
	f()
}

// Files that only grow, at any byte: whenever they are read, what is stored is a beginning of them.
func TestTortureAppendedWhileRead(t *testing.T) {
	r := try(t, "files that grow while they are read")
	home, projects := newHome(t)
	w := newWorld(t, 71, projects)
	var paths []string
	for range 3 {
		paths = append(paths, w.newSession())
		w.put(paths[len(paths)-1], w.lines(w.roots[0], 40))
	}
	text := w.lines(w.roots[0], 200)
	rng := rand.New(rand.NewPCG(71, 1))
	at := make([]int, len(paths)) // how much of text each got
	grow := func() {
		i := rng.IntN(len(paths))
		n := min(1+rng.IntN(3000), len(text)-at[i])
		appendFile(t, paths[i], text[at[i]:at[i]+n])
		at[i] = (at[i] + n) % len(text)
	}
	for round := range rounds(2, 40) {
		changing(grow, func() {
			for range 2 {
				runRefresh(t, home, projects)
				r.happened("refreshed meanwhile")
			}
			got := restored(t, home, projects)
			for _, path := range paths {
				now, have := []byte(w.read(path)), got[strings.TrimPrefix(path, projects+"/")]
				if len(have) == 0 || !bytes.HasPrefix(now, have) {
					r.lose(max(1, differingLines(have, now[:min(len(now), len(have))])), "round %d: %s was never like that", round, path)
				}
			}
		})
		runRefresh(t, home, projects)
		r.lose(lostLines(t, home, projects, w.files()), "round %d", round)
		if t.Failed() {
			return
		}
		if at[0] > 0 && round%10 == 9 { // or they get large
			for _, path := range paths {
				w.put(path, w.lines(path, 40))
			}
		}
	}
}

// Files that are cut off and written anew, in place and by rename, longer, shorter and of the same
// size, while they are read: as soon as they hold still, what is stored is what they are.
func TestTortureRewrittenWhileRead(t *testing.T) {
	r := try(t, "files that are rewritten while they are read")
	home, projects := newHome(t)
	w := newWorld(t, 72, projects)
	path := w.newSession()
	lines := strings.SplitAfter(strings.TrimSuffix(strings.Repeat(w.lines(path, 60), 10), "\n"), "\n")
	rng := rand.New(rand.NewPCG(72, 1))
	rewrite := func() {
		// The beginning and the end as they are: what looks there sees nothing.
		content := lines
		if rng.IntN(2) == 0 {
			from := 20 + rng.IntN(len(lines)-40)
			content = append(append(append([]string{}, lines[:from]...), lines[from+rng.IntN(2):]...), lines[:rng.IntN(3)]...)
		}
		text := []byte(strings.Join(content, ""))
		text[len(text)/2] ^= byte(rng.IntN(2)) // the same size, one letter another
		to := path
		if rng.IntN(3) == 0 {
			to += ".tmp"
		}
		writeFile(t, to, string(text[:rng.IntN(len(text))]))
		writeFile(t, to, string(text))
		if err := os.Rename(to, path); err != nil {
			t.Error(err)
		}
	}
	rewrite()
	for round := range rounds(2, 40) {
		changing(rewrite, func() {
			for range 2 {
				runRefresh(t, home, projects)
				r.happened("refreshed meanwhile")
			}
		})
		runRefresh(t, home, projects)
		r.lose(lostLines(t, home, projects, w.files()), "round %d", round)
		if t.Failed() {
			return
		}
	}
}

// Files that are cut off at any byte and grow again: shorter, longer or as long as before.
func TestTortureCutAndGrown(t *testing.T) {
	r := try(t, "files cut off at any byte and grown again")
	home, projects := newHome(t)
	w := newWorld(t, 73, projects)
	w.fill(4, 20)
	runRefresh(t, home, projects)
	for round := range rounds(4, 100) {
		path := w.some()
		size := int64(len(w.read(path)))
		cut := w.rng.Int64N(size + 1)
		if err := os.Truncate(path, cut); err != nil {
			t.Fatal(err)
		}
		more := w.lines(path, 12)
		what := "to another size"
		if rest := int(size - cut); w.rng.IntN(3) > 0 && rest > 0 {
			what = "to the size it had"
			more = (strings.Repeat(more, 1+rest/len(more)))[:rest]
		}
		w.add(path, more)
		sum := runRefresh(t, home, projects)
		r.happened(what)
		if sum.Replaced+sum.Appended+sum.Unchanged == 0 {
			t.Errorf("round %d: got %+v", round, sum)
		}
		r.lose(lostLines(t, home, projects, w.files()), "round %d: %s", round, path)
		if t.Failed() {
			return
		}
	}
}

// Clocks that jump: one letter of a file is another, its size the same, and its time anything but
// the one it had; the last refresh may have been in days to come.
func TestTortureClock(t *testing.T) {
	r := try(t, "clocks that jump back and forth")
	home, projects := newHome(t)
	w := newWorld(t, 74, projects)
	path := w.newSession()
	w.put(path, w.lines(path, 20))
	runRefresh(t, home, projects)
	l := layoutIn(t, home)
	content := []byte(w.read(path))
	last := int64(0)
	for round := range rounds(4, 100) {
		content[len(content)/2] ^= 1
		writeFile(t, path, string(content))
		now := time.Now().Unix()
		at := pick(w, -now, -1, 0, 1, now-86400, now, now+86400, now+100*365*86400, 9_300_000_000, 15_000_000_000) + w.rng.Int64N(1000)
		for at == last {
			at++
		}
		last = at
		// Chtimes would go by nanoseconds since 1970, of which there is no number behind 2262.
		if err := unix.UtimesNanoAt(unix.AT_FDCWD, path, []unix.Timespec{{Sec: at}, {Sec: at, Nsec: w.rng.Int64N(1e9)}}, 0); err != nil {
			t.Fatal(err)
		}
		s := l.readStamp()
		if s.At.IsZero() {
			t.Fatal("no stamp")
		}
		what := "last refresh long ago"
		if s.At = time.Now().Add(-time.Duration(1+w.rng.IntN(1000)) * time.Hour); w.rng.IntN(2) == 0 {
			what = "last refresh in days to come"
			s.At = time.Now().Add(time.Duration(1+w.rng.IntN(1000)) * time.Hour)
		}
		if err := l.writeStamp(s); err != nil {
			t.Fatal(err)
		}
		sum := runRefresh(t, home, projects, "--max-age", "5m")
		r.happened(what)
		if sum.Status != "refreshed" || sum.Replaced != 1 {
			t.Errorf("round %d: time %d: got %+v", round, at, sum)
		}
		r.lose(lostLines(t, home, projects, w.files()), "round %d: time %d", round, at)
		if t.Failed() {
			return
		}
		if round%50 == 5 {
			db := plainDuckDB(t)
			if _, err := db.Exec("ATTACH " + quote(l.Published) + " AS w (READ_ONLY)"); err != nil {
				t.Fatal(err)
			}
			checkViewsRead(t, db, "w")
			db.Close()
		}
	}
}
