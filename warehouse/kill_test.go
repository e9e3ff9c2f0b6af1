package warehouse

import (
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

var rounds = flag.Int("rounds", 8, "rounds of six first refreshes at once; 80 for a thorough run")

// peek is what a plain client that comes by sees of the published file.
func peek(t *testing.T, path string) seen {
	t.Helper()
	db := plainDuckDB(t)
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, s := range []string{"ATTACH " + quote(path) + " AS f (READ_ONLY)", "USE f"} {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("the published file does not open: %v", err)
		}
	}
	s, err := look(db)
	if err != nil {
		t.Fatalf("the published file is not whole: %v", err)
	}
	return s
}

// A refresh killed at any moment leaves the published file as it was before or after it, and the
// next one finds its way.
func TestKilledRefresh(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	projects := filepath.Join(dir, "projects")
	w := newWorld(t, 31, projects)
	for range 20 {
		path := w.newSession()
		w.put(path, w.lines(path, 40))
	}
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

	died, survived := 0, 0
	var before seen // zero while nothing is published
	kills := 50
	if testing.Short() {
		kills = 12
	}
	for kill := range kills {
		if kill%5 == 0 {
			// Every fifth dies during a first build.
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
		cmd := refreshCommand(t, home, projects)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rng.Int64N(int64(took[before.generation == 0]*11/10) + 1)))
		cmd.Process.Kill()
		// Machines are busy at times: what is slept follows what refreshes take.
		if cmd.Wait() == nil {
			survived++
			took[before.generation == 0] = took[before.generation == 0] * 9 / 10
		} else {
			died++
			took[before.generation == 0] = took[before.generation == 0] * 21 / 20
		}

		if exists(l.Published) {
			s := peek(t, l.Published)
			isOld := s == before && s.generation > 0
			isNew := s.generation == before.generation+1 && s.lines == lines && s.consumed == lines
			if !isOld && !isNew {
				t.Fatalf("kill %d: neither the old state %+v nor the new one of %d lines: %+v", kill, before, lines, s)
			}
			before = s
		} else if before.generation > 0 {
			t.Fatalf("kill %d: the published file is gone", kill)
		}
		if kill%3 != 2 {
			continue // killed again on top of it
		}
		sum := runRefresh(t, home, projects)
		if sum.Lines != lines {
			t.Errorf("kill %d: the next refresh has %d lines, want %d", kill, sum.Lines, lines)
		}
		checkTidy(t, l)
		before = peek(t, l.Published)
		if kill%12 == 11 {
			checkRestored(t, l, w.files())
			compareWithRebuild(t, l.Published, projects)
		}
	}
	t.Logf("%d died, %d came through", died, survived)
	if died < kills/3 {
		t.Errorf("only %d of the refreshes were killed", died)
	}
}

// Six first refreshes at once: one builds, the others wait for it and find nothing to do.
func TestFirstRefreshesAtOnce(t *testing.T) {
	t.Parallel()
	projects, err := filepath.Abs("../testdata/sample/projects")
	if err != nil {
		t.Fatal(err)
	}
	alone := runRefresh(t, filepath.Join(t.TempDir(), "alone"), projects)
	if alone.RowsWritten == 0 {
		t.Fatal("the sample has no lines")
	}
	for round := range *rounds {
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
	}
}

// While another refresh holds the lock, one that does not want to wait takes what there is; with
// nothing there yet it waits.
func TestRefreshWhileAnotherRuns(t *testing.T) {
	dir := t.TempDir()
	home, projects := filepath.Join(dir, "home"), filepath.Join(dir, "projects")
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
	dir := t.TempDir()
	home, projects := filepath.Join(dir, "home"), filepath.Join(dir, "projects")
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
	dir := t.TempDir()
	home, projects := filepath.Join(dir, "home"), filepath.Join(dir, "projects")
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
