package warehouse

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// peek is what a plain client that comes by sees of the published file.
func peek(t *testing.T, path string) seen {
	t.Helper()
	s, err := tryPeek(t, path)
	if err != nil {
		t.Fatalf("the published file is not whole: %v", err)
	}
	return s
}

func tryPeek(t *testing.T, path string) (seen, error) {
	t.Helper()
	db := plainDuckDB(t)
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, s := range []string{"ATTACH " + quote(path) + " AS f (READ_ONLY)", "USE f"} {
		if _, err := db.Exec(s); err != nil {
			return seen{}, err
		}
	}
	return look(db)
}

// killWithin kills a process after some time, unless it ends before that.
func killWithin(t *testing.T, cmd *exec.Cmd, after time.Duration) (lasted time.Duration, survived bool) {
	t.Helper()
	start := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(after, func() { cmd.Process.Kill() })
	defer kill.Stop()
	err := cmd.Wait()
	return time.Since(start), err == nil
}

// A refresh killed at any moment leaves the published file as it was before or after it, and the
// next one finds its way.
func TestKilledRefresh(t *testing.T) {
	t.Parallel()
	r := try(t, "refresh killed at any moment, each fifth during a first build")
	dir := t.TempDir()
	projects := filepath.Join(dir, "projects")
	w := newWorld(t, 31, projects)
	w.fill(10, 30)
	count := func() (lines int64) {
		for _, path := range w.files() {
			lines += catalogued(t, []byte(w.read(path))).storedLines()
		}
		return lines
	}
	home := filepath.Join(dir, "home")
	l := layoutIn(t, home)
	rng := rand.New(rand.NewPCG(31, 1))
	took := map[bool]time.Duration{} // a first build; a change
	for _, first := range []bool{true, false} {
		start := time.Now()
		if !first {
			w.add(w.some(), w.lines("x", 1))
		}
		runRefresh(t, home, projects)
		took[first] = time.Since(start)
	}

	var before seen // zero while nothing is published
	var was string  // and the digest of that
	kills := rounds(30, 500)
	for kill := range kills {
		if kill%5 == 0 {
			if err := os.RemoveAll(home); err != nil {
				t.Fatal(err)
			}
			before = seen{}
		}
		for range 3 {
			path := w.some()
			if w.rng.IntN(4) == 0 {
				w.put(path, w.lines(path, 30))
			} else {
				w.add(path, w.lines(path, 1))
			}
		}
		lines := count()
		first := before.generation == 0
		lasted, survived := killWithin(t, refreshCommand(t, home, projects), time.Duration(rng.Int64N(int64(took[first])+1)))
		// Machines are busy at times: the moment follows what refreshes take.
		switch {
		case survived:
			r.happened("came through")
			took[first] = lasted
		case first:
			r.happened("killed while building")
			took[first] = took[first] * 21 / 20
		default:
			r.happened("killed")
			took[first] = took[first] * 21 / 20
		}

		switch {
		case !exists(l.Published):
			if !first {
				r.lose(before.lines, "kill %d: the published file is gone", kill)
			}
		case !first && digest(t, l.Published) == was:
			// As it was, to the byte.
		default:
			s, err := tryPeek(t, l.Published)
			if err != nil || s.generation != before.generation+1 || s.lines != lines || s.consumed != lines {
				r.lose(lines, "kill %d: neither the old state %+v nor the new one of %d lines: %+v, %v", kill, before, lines, s, err)
				break
			}
			r.lose(lostLines(t, home, projects, w.files()), "kill %d: published", kill)
			before, was = s, digest(t, l.Published)
		}
		if t.Failed() {
			return
		}
		if kill%3 != 2 {
			continue // killed again on top of it
		}
		sum := runRefresh(t, home, projects)
		if sum.Lines != lines {
			t.Errorf("kill %d: the next refresh has %d lines, want %d", kill, sum.Lines, lines)
		}
		checkTidy(t, l)
		r.lose(lostLines(t, home, projects, w.files()), "kill %d: after the next refresh", kill)
		before, was = peek(t, l.Published), digest(t, l.Published)
		if kill%24 == 23 {
			compareWithRebuild(t, l.Published, projects)
		}
	}
	if survived := r.times["came through"]; survived > kills*2/3 {
		t.Errorf("only %d of the refreshes were killed", kills-survived)
	}
}

// Six first refreshes at once: one builds, the others wait for it and find nothing to do.
func TestFirstRefreshesAtOnce(t *testing.T) {
	t.Parallel()
	r := try(t, "six first refreshes at once")
	projects, err := filepath.Abs("../testdata/sample/projects")
	if err != nil {
		t.Fatal(err)
	}
	paths := newTree(t, projects).files()
	alone := runRefresh(t, filepath.Join(t.TempDir(), "alone"), projects)
	if alone.RowsWritten == 0 {
		t.Fatal("the sample has no lines")
	}
	for round := range rounds(8, 80) {
		home := filepath.Join(t.TempDir(), fmt.Sprint("home", round))
		sums := make([]Summary, 6)
		errs := make([]error, len(sums))
		var wg sync.WaitGroup
		for i := range sums {
			cmd := refreshCommand(t, home, projects, "--wait", "10m")
			wg.Go(func() { sums[i], errs[i] = summaryOf(cmd, cmd.Run()) })
		}
		wg.Wait()
		var rows, built int64
		for i, sum := range sums {
			if errs[i] != nil {
				t.Fatalf("round %d: %v", round, errs[i])
			}
			rows += sum.RowsWritten
			if sum.Status == "refreshed" {
				built++
				r.happened("built")
			} else {
				r.happened("waited for that and found it " + sum.Status)
			}
			if sum.Database != layoutIn(t, home).Published || sum.Lines != alone.Lines {
				t.Errorf("round %d: got %+v", round, sum)
			}
		}
		if rows != alone.RowsWritten || built != 1 {
			t.Errorf("round %d: %d builds wrote %d rows, want 1 and %d", round, built, rows, alone.RowsWritten)
		}
		checkTidy(t, layoutIn(t, home))
		if s := peek(t, sums[0].Database); s.generation != 1 || s.lines != alone.Lines {
			t.Errorf("round %d: published: %+v", round, s)
		}
		r.lose(lostLines(t, home, projects, paths), "round %d", round)
	}
}

// While another refresh holds the lock, one that does not want to wait takes what there is; with
// nothing there yet it waits.
func TestRefreshWhileAnotherRuns(t *testing.T) {
	home, projects := newHome(t)
	w := newWorld(t, 33, projects)
	first := runRefresh(t, home, projects)
	unlock, ok, err := layoutIn(t, home).lock(t.Context(), 0)
	if err != nil || !ok {
		t.Fatalf("lock: %v %v", ok, err)
	}
	defer unlock()
	w.add(w.some(), w.lines("x", 1))
	sum := runRefresh(t, home, projects, "--wait", "100ms")
	if sum.Status != "busy" || sum.Database != first.Database || sum.RowsWritten != 0 {
		t.Errorf("got %+v", sum)
	}
	if s := peek(t, first.Database); s.generation != first.Generation {
		t.Errorf("published: %+v", s)
	}
	if err := os.Remove(first.Database); err != nil {
		t.Fatal(err)
	}
	cmd := refreshCommand(t, home, projects, "--wait", "0s")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(300 * time.Millisecond)
	if exists(first.Database) {
		t.Error("built while another refresh held the lock")
	}
	unlock()
	if sum, err = summaryOf(cmd, cmd.Wait()); err != nil || sum.Status != "refreshed" {
		t.Errorf("after the lock was free: %+v, %v", sum, err)
	}
}

// Somebody opened the published file for writing and left a log: the log goes, with a warning,
// and is never replayed into the file that is published next.
func TestStrayLogIsNotReplayed(t *testing.T) {
	home, projects := newHome(t)
	w := newWorld(t, 34, projects)
	first := runRefresh(t, home, projects)
	w.add(w.some(), w.lines("x", 1))
	runRefresh(t, home, projects)
	log := first.Database + ".wal"
	db, err := sql.Open("duckdb", first.Database)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	for _, s := range []string{"SET checkpoint_threshold = '1TB'", "PRAGMA disable_checkpoint_on_shutdown", "CREATE TABLE stray AS SELECT 42 AS answer", "DELETE FROM settings", "DELETE FROM indexed_files"} {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	db.Close()
	if !exists(log) {
		t.Fatal("the writer left no log")
	}
	w.add(w.some(), w.lines("x", 1))
	sum := runRefresh(t, home, projects)
	if len(sum.Warnings) != 1 {
		t.Errorf("got warnings %q, want one about the log", sum.Warnings)
	}
	checkTidy(t, layoutIn(t, home))
	compareWithRebuild(t, first.Database, projects)
}

// What was published is so, though the stamp cannot be written.
func TestStampThatCannotBeWritten(t *testing.T) {
	home, projects := newHome(t)
	w := newWorld(t, 35, projects)
	runRefresh(t, home, projects)
	l := layoutIn(t, home)
	if err := os.Remove(l.Stamp); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(l.Stamp, "in-the-way"), "")
	w.add(w.some(), w.lines("x", 1))
	for _, want := range []string{"refreshed", "unchanged"} {
		sum := runRefresh(t, home, projects)
		if sum.Status != want || len(sum.Warnings) != 1 {
			t.Errorf("got %s with warnings %q, want %s with one", sum.Status, sum.Warnings, want)
		}
		checkTidy(t, l)
		if n := lostLines(t, home, projects, w.files()); n > 0 {
			t.Errorf("%d lines lost", n)
		}
	}
}
