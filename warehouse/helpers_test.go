package warehouse

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/duckdb/duckdb-go/v2"

	"warehouse/warehouse/source/claude"
)

// plainDuckDB is what any client has: the driver and an empty database in memory.
func plainDuckDB(t testing.TB) *sql.DB {
	t.Helper()
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	// Tests run beside one another, on tables of a few rows: more threads only wait for each other.
	for _, s := range []string{"SET TimeZone = 'UTC'", "SET threads = 1"} {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

// layoutIn is the layout of a warehouse in dir.
func layoutIn(t testing.TB, dir string) Layout {
	t.Helper()
	l, err := Locate(filepath.Join(dir, "warehouse.duckdb"), func(string) string { return "" }, "")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// localRoot makes options for a warehouse in dir that reads the transcripts under projects.
func localRoot(t testing.TB, dir, projects string) RefreshOptions {
	return RefreshOptions{
		Layout: layoutIn(t, dir),
		Roots:  []Root{{LocalHost, claude.Agent, projects}},
		Wait:   time.Minute,
	}
}

func mustRefresh(t testing.TB, opt RefreshOptions) Summary {
	t.Helper()
	sum, err := Refresh(context.Background(), opt)
	if err != nil {
		t.Fatalf("refresh: %v", err)
	}
	return sum
}

func writeFile(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func appendFile(t testing.TB, path, content string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(content); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// checkTidy asserts that a refresh left nothing but the files a warehouse consists of.
func checkTidy(t testing.TB, l Layout) {
	t.Helper()
	entries, err := os.ReadDir(l.Dir)
	if err != nil {
		t.Fatal(err)
	}
	allowed := map[string]bool{}
	for _, path := range []string{l.Published, l.Standby, l.Lock, l.Stamp, l.Imports} {
		allowed[filepath.Base(path)] = true
	}
	for _, e := range entries {
		if !allowed[e.Name()] {
			t.Errorf("left behind: %s", e.Name())
		}
	}
}

// checkRestored asserts that exactly the given files are stored, each with the bytes it has.
func checkRestored(t testing.TB, l Layout, paths []string) {
	t.Helper()
	ctx := context.Background()
	r, err := OpenReadOnly(ctx, l.Published, ReadOptions{AllowStale: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	files, err := r.Files(ctx, "")
	if err != nil {
		t.Fatal(err)
	}
	stored, err := r.Forgotten(ctx)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	for _, p := range paths {
		session, _ := claude.Identity(p)
		want[p] = !rules(stored).path(p, session)
	}
	for _, f := range files {
		if !want[f.Path] {
			t.Errorf("stored, but not there: %s", f.Path)
			continue
		}
		delete(want, f.Path)
		have, err := os.ReadFile(f.Path)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if _, err := r.Restore(ctx, f, &out); err != nil {
			t.Error(err)
		} else if f.Forgotten > 0 {
			checkGaps(t, f, out.String(), string(have))
		} else if out.String() != string(have) {
			t.Errorf("restored %s: got %d bytes, want %d, or they differ", f.Path, out.Len(), len(have))
		}
	}
	for p, is := range want {
		if is {
			t.Errorf("not stored: %s", p)
		}
	}
}

// checkGaps asserts that a restored file is the one that is there without as many lines as it says.
func checkGaps(t testing.TB, f StoredFile, restored, whole string) {
	t.Helper()
	left := strings.SplitAfter(restored, "\n")
	var gaps int64
	for _, line := range strings.SplitAfter(whole, "\n") {
		if line == "" {
			continue
		}
		if len(left) > 0 && left[0] == line {
			left = left[1:]
		} else {
			gaps++
		}
	}
	if len(left) > 1 || len(left) == 1 && left[0] != "" || gaps != f.Forgotten {
		t.Errorf("restored %s: got %d gaps, want %d; %d lines are not in it", f.Path, gaps, f.Forgotten, len(left))
	}
}
