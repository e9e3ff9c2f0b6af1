package warehouse

import (
	"bufio"
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// Tests of what several processes do to one warehouse: the real program, and readers that are
// processes of their own and know the plain driver only. Locks of files are per process, so
// nothing here may be tried inside of one.

const readerEnv = "WAREHOUSE_TEST_READER" // path of the file; makes the test binary a reader

func TestMain(m *testing.M) {
	if path := os.Getenv(readerEnv); path != "" {
		os.Exit(plainReader(path))
	}
	code := m.Run()
	if *torture {
		printTrials(os.Stdout)
	}
	if binaryDir != "" {
		os.RemoveAll(binaryDir)
	}
	os.Exit(code)
}

var binaryDir string

// builtBinary builds the program once.
var builtBinary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "warehouse-binary")
	if err != nil {
		return "", err
	}
	binaryDir = dir
	path := filepath.Join(dir, "warehouse")
	if out, err := exec.Command("go", "build", "-o", path, "../cmd/warehouse").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return path, nil
})

// refreshCommand is a refresh by the real program; stdout is the summary as JSON.
func refreshCommand(t testing.TB, dir, projects string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := programCommand(t, dir, projects, append([]string{"refresh", "--json", "--max-age", "0"}, args...)...)
	cmd.Stdout, cmd.Stderr = &bytes.Buffer{}, &bytes.Buffer{}
	return cmd
}

// summaryOf is what a finished refresh printed.
func summaryOf(cmd *exec.Cmd, err error) (Summary, error) {
	if err != nil {
		return Summary{}, fmt.Errorf("refresh: %w\n%s", err, cmd.Stderr)
	}
	var sum Summary
	if err := json.Unmarshal(cmd.Stdout.(*bytes.Buffer).Bytes(), &sum); err != nil {
		return Summary{}, fmt.Errorf("summary: %w\n%s", err, cmd.Stdout)
	}
	return sum, nil
}

func runRefresh(t testing.TB, dir, projects string, args ...string) Summary {
	t.Helper()
	cmd := refreshCommand(t, dir, projects, args...)
	sum, err := summaryOf(cmd, cmd.Run())
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// seen is one whole look at a published file: its generation and what has to fit to it.
type seen struct {
	generation               int64
	lines, records, consumed int64 // rows of raw and records; lines by the catalogue
	items, itemLines         int64
}

func look(db *sql.DB) (s seen, err error) {
	err = db.QueryRow(`SELECT generation, (SELECT count(*) FROM raw), (SELECT count(*) FROM records WHERE data IS NOT NULL),
			(SELECT sum(lines) FROM source_files), (SELECT count(*) FROM content_items),
			(SELECT count(*) FROM content_items SEMI JOIN raw USING (source_file, source_line))
		FROM index_meta WHERE is_complete`).Scan(&s.generation, &s.lines, &s.records, &s.consumed, &s.items, &s.itemLines)
	return s, err
}

// plainReader opens the published file again and again, as a report that runs every moment would,
// and prints what it sees each time, until its standard input ends.
func plainReader(path string) int {
	ended := make(chan struct{})
	go func() {
		bufio.NewReader(os.Stdin).ReadString(0)
		close(ended)
	}()
	for {
		select {
		case <-ended:
			return 0
		default:
		}
		db, err := sql.Open("duckdb", path+"?access_mode=read_only")
		if err == nil {
			var s seen
			if s, err = look(db); err == nil {
				fmt.Println(s.generation, s.lines, s.records, s.consumed, s.items, s.itemLines)
			}
			db.Close()
		}
		// Between two looks the processor is the refresh's.
		time.Sleep(5 * time.Millisecond)
		if err != nil {
			fmt.Println("error:", strings.ReplaceAll(err.Error(), "\n", " "))
			return 1
		}
	}
}

// startReader starts such a process; stop ends it and returns the looks it had.
func startReader(t *testing.T, path string) (stop func() []seen) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), readerEnv+"="+path)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return func() []seen {
		stdin.Close()
		err := cmd.Wait()
		var looks []seen
		for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
			var s seen
			if _, serr := fmt.Sscan(line, &s.generation, &s.lines, &s.records, &s.consumed, &s.items, &s.itemLines); serr != nil {
				t.Errorf("reader, after %d looks: %s", len(looks), line)
				return looks
			}
			looks = append(looks, s)
		}
		if err != nil {
			t.Errorf("reader: %v", err)
		}
		return looks
	}
}

// A reader that opens the file at any moment sees one whole state and no error, while refreshes
// publish one after the other.
func TestReadersDuringRefreshes(t *testing.T) {
	t.Parallel()
	home, projects := newHome(t)
	w := newWorld(t, 21, projects)
	w.fill(4, 5)
	first := runRefresh(t, home, projects)
	published := map[int64]int64{first.Generation: first.Lines} // lines by generation
	stop := startReader(t, first.Database)
	events := watchNames(t, home)
	rounds := 30
	if testing.Short() {
		rounds = 15
	}
	for range rounds {
		switch path := w.some(); w.rng.IntN(4) {
		case 0:
			w.put(path, w.lines(path, 3))
		case 1:
			to := w.newSession()
			w.put(to, w.lines(to, 2))
		default:
			w.add(path, w.lines(path, 1))
		}
		sum := runRefresh(t, home, projects)
		if _, ok := published[sum.Generation]; ok || sum.Status != "refreshed" {
			t.Fatalf("got %s, generation %d again", sum.Status, sum.Generation)
		}
		published[sum.Generation] = sum.Lines
	}
	checkPublishedEvents(t, events(), filepath.Base(first.Database), rounds)
	generations := map[int64]bool{}
	looks := 0
	last := int64(0)
	for _, s := range stop() {
		looks++
		generations[s.generation] = true
		want, ok := published[s.generation]
		if !ok || s.lines != want || s.records != want || s.consumed != want || s.items != s.itemLines || s.items == 0 {
			t.Errorf("not a state that was published: %+v, want %d lines", s, want)
		}
		if s.generation < last {
			t.Errorf("generation %d after %d", s.generation, last)
		}
		last = s.generation
	}
	t.Logf("%d looks at %d generations", looks, len(generations))
	if len(generations) < 10 {
		t.Errorf("the reader saw only %d generations of %d", len(generations), rounds)
	}
}

// A reader that stays keeps what it opened and is in nobody's way.
func TestLongReader(t *testing.T) {
	t.Parallel()
	home, projects := newHome(t)
	w := newWorld(t, 22, projects)
	path := w.newSession()
	w.put(path, w.lines(path, 20))
	first := runRefresh(t, home, projects)

	const everything = "SELECT count(*) || '/' || sum(hash(r)::HUGEINT) || '/' || (SELECT sum(hash(s)::HUGEINT) FROM sessions AS s) FROM raw AS r"
	// Attached, since within one process the driver gives one database for one name.
	open := func() *sql.DB {
		db := plainDuckDB(t)
		db.SetMaxOpenConns(1)
		for _, s := range []string{"ATTACH " + quote(first.Database) + " AS f (READ_ONLY)", "USE f"} {
			if _, err := db.Exec(s); err != nil {
				t.Fatal(err)
			}
		}
		return db
	}
	content := func(db *sql.DB) (s string) {
		t.Helper()
		if err := db.QueryRow(everything).Scan(&s); err != nil {
			t.Fatal(err)
		}
		return s
	}
	var held []*sql.DB
	var was []string
	for i := range 4 {
		held = append(held, open())
		was = append(was, content(held[i]))
		if i > 0 && was[i] == was[i-1] {
			t.Errorf("refresh %d changed nothing", i)
		}
		w.add(path, w.lines(path, 3))
		if i == 2 {
			w.put(path, w.lines(path, 2))
		}
		sum := runRefresh(t, home, projects)
		if sum.Status != "refreshed" || sum.Generation != first.Generation+int64(i)+1 {
			t.Errorf("with %d readers: got %s, generation %d", len(held), sum.Status, sum.Generation)
		}
		for j, db := range held {
			if got := content(db); got != was[j] {
				t.Errorf("reader %d, after %d refreshes: got %s, want %s", j, i+1-j, got, was[j])
			}
		}
	}
	for _, db := range held {
		db.Close()
	}
	// As soon as they are gone the second copy is used again: refreshed in place, not copied anew.
	w.add(path, w.lines(path, 1))
	runRefresh(t, home, projects)
	before, err := os.Stat(layoutIn(t, home).Standby)
	if err != nil {
		t.Fatal(err)
	}
	w.add(path, w.lines(path, 1))
	runRefresh(t, home, projects)
	after, err := os.Stat(first.Database)
	if err != nil {
		t.Fatal(err)
	}
	if !os.SameFile(before, after) {
		t.Error("the standby was not reused after its readers had gone")
	}
	checkTidy(t, layoutIn(t, home))
	compareWithRebuild(t, first.Database, projects)
}

// compareWithRebuild builds a warehouse of the same tree and compares.
func compareWithRebuild(t *testing.T, database, projects string) {
	t.Helper()
	opt := localRoot(t, "", projects)
	opt.Layout.Published = database
	compareWithFresh(t, opt)
}

// compareWithFresh builds a warehouse with the same options elsewhere and compares the tables.
func compareWithFresh(t *testing.T, opt RefreshOptions) {
	t.Helper()
	against(t, opt, compareTables, 10)
}

// compareAllWithFresh compares the views, too.
func compareAllWithFresh(t *testing.T, opt RefreshOptions) {
	t.Helper()
	against(t, opt, compareWarehouses, 20)
}

func against(t *testing.T, opt RefreshOptions, compare func(testing.TB, string, string) int, atLeast int) {
	t.Helper()
	fresh := opt
	fresh.Layout = layoutIn(t, filepath.Join(t.TempDir(), "fresh"))
	mustRefresh(t, fresh)
	if n := compare(t, opt.Layout.Published, fresh.Layout.Published); n < atLeast {
		t.Errorf("only %d relations were compared", n)
	}
	if err := os.RemoveAll(fresh.Layout.Dir); err != nil {
		t.Fatal(err)
	}
}
