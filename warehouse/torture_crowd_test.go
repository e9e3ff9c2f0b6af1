package warehouse

import (
	"os"
	"sync"
	"testing"
	"time"
)

// Two refreshers and eight readers, all processes of their own, on transcripts that change
// meanwhile: each look is at a state that was published, none goes back.
func TestTortureCrowd(t *testing.T) {
	refreshers, readers := try(t, "two refreshers at once, eight readers beside"), try(t, "eight readers, two refreshers beside")
	home, projects := newHome(t)
	w := newWorld(t, 91, projects)
	w.fill(4, 5)
	first := runRefresh(t, home, projects)
	published := map[int64]int64{first.Generation: first.Lines} // lines by generation
	var stops []func() []seen
	for range 8 {
		stops = append(stops, startReader(t, first.Database))
	}
	var mu sync.Mutex
	change := func() {
		mu.Lock()
		defer mu.Unlock()
		switch path := w.some(); w.rng.IntN(4) {
		case 0:
			// By rename, so that the other refresher never finds half of it.
			to := path + ".tmp"
			w.put(to, w.lines(path, 3))
			if err := os.Rename(to, path); err != nil {
				t.Error(err)
			}
		default:
			w.add(path, w.lines(path, 1))
		}
	}
	until := time.Now().Add(time.Minute)
	var running sync.WaitGroup
	for range 2 {
		running.Go(func() {
			for n := 0; n < 6 || *torture && time.Now().Before(until); n++ {
				change()
				cmd := refreshCommand(t, home, projects)
				sum, err := summaryOf(cmd, cmd.Run())
				if err != nil {
					t.Error(err)
					return
				}
				refreshers.happened(sum.Status)
				mu.Lock()
				if _, twice := published[sum.Generation]; twice && sum.Status == "refreshed" {
					t.Errorf("generation %d was published twice", sum.Generation)
				}
				if sum.Status == "refreshed" {
					published[sum.Generation] = sum.Lines
				}
				mu.Unlock()
			}
		})
	}
	running.Wait()
	generations := map[int64]bool{}
	for i, stop := range stops {
		last := int64(0)
		for _, s := range stop() {
			want, ok := published[s.generation]
			switch {
			case !ok || s.lines != want || s.consumed != want || s.items != s.itemLines || s.items == 0:
				readers.lose(max(1, want-s.lines, s.lines-want), "reader %d: not a state that was published: %+v, want %d lines", i, s, want)
			case s.generation < last:
				t.Errorf("reader %d: generation %d after %d", i, s.generation, last)
			}
			readers.happened("looks at a whole state")
			generations[s.generation], last = true, s.generation
		}
	}
	readers.note("%d states of %d seen", len(generations), len(published))
	if len(generations) < 2 {
		t.Errorf("the readers saw only %d states of %d", len(generations), len(published))
	}
	runRefresh(t, home, projects)
	checkTidy(t, layoutIn(t, home))
	refreshers.lose(lostLines(t, home, projects, w.files()), "at the end")
}
