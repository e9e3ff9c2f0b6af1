package warehouse

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

func TestSizeBytes(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		text string
		want uint64
	}{
		{"1KB", 1000}, {"1kib", 1024}, {"512MB", 512_000_000}, {"2 GiB", 2 << 30}, {"3TB", 3_000_000_000_000},
		{"99999999999TB", 1<<63 - 1}, {"99999999999999999999999KB", 1<<63 - 1},
	} {
		if !ValidMemoryLimit(tt.text) {
			t.Errorf("%s: no size", tt.text)
		} else if got := sizeBytes(tt.text); got != tt.want {
			t.Errorf("%s: got %d bytes, want %d", tt.text, got, tt.want)
		}
	}
	for _, text := range []string{"", "0MB", "512", "MB", "-1GB", "1.5GB", "1GBs", "lots"} {
		if ValidMemoryLimit(text) {
			t.Errorf("%q is taken for a size", text)
		}
	}
}

// DuckDB's part of the memory follows what it is needed for, and has room for the longest line.
func TestRoom(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, tt := range []struct {
		limit string
		line  int64
		phase phase
		want  string // as DuckDB says it
	}{
		{"4GB", 0, loading, "1.8 GiB"},
		{"4GB", 0, indexing, "1.1 GiB"},
		{"1GB", 0, loading, "488.0 MiB"},
		{"1GB", 0, indexing, "286.0 MiB"},
		{"1GB", 1 << 20, loading, "488.0 MiB"},
		{"1GB", 20_000_000, loading, "610.0 MiB"},
		{"1GB", 20_000_000, indexing, "610.0 MiB"},
		{"1GB", 1 << 30, indexing, "953.0 MiB"}, // all that was asked for, and no more
		{"512MB", 0, loading, "488.0 MiB"},
		{"512MB", 0, indexing, "244.0 MiB"},
		{"64MB", 0, loading, "61.0 MiB"},
		{"64MB", 0, indexing, "61.0 MiB"},
	} {
		dir := t.TempDir()
		w, err := openWriter(ctx, filepath.Join(dir, "w.duckdb"), filepath.Join(dir, "spill"), tt.limit)
		if err != nil {
			t.Fatal(err)
		}
		err = errors.Join(w.raise(ctx, tt.line), w.relieve(ctx, tt.phase))
		got, failed := w.strings(ctx, "SELECT current_setting('memory_limit')")
		if err := errors.Join(err, failed, w.close()); err != nil {
			t.Fatal(err)
		}
		if got[0] != tt.want {
			t.Errorf("limit %s, line of %d bytes, phase %d: got %s, want %s", tt.limit, tt.line, tt.phase, got[0], tt.want)
		}
	}
}

// Less memory than is in use is no error: what is in use goes on.
func TestRoomInUse(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := t.TempDir()
	w, err := openWriter(ctx, filepath.Join(dir, "w.duckdb"), "", "512MB") // nowhere to put it
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	if err := w.exec(ctx, "CREATE TABLE s.main.much AS SELECT md5(i::VARCHAR) AS m FROM range(12_000_000) AS r(i)"); err != nil {
		t.Fatal(err)
	}
	if err := w.exec(ctx, "SET memory_limit = '244MiB'"); err == nil {
		t.Fatal("more is in use, and DuckDB takes the limit")
	}
	if err := w.relieve(ctx, indexing); err != nil {
		t.Error(err)
	}
	if err := w.exec(ctx, "CREATE TABLE s.main.more AS FROM range(1_000_000)"); err != nil {
		t.Error(err)
	}
}

// tooMuch needs more than 64 MB, and nowhere near the memory of a machine.
const tooMuch = "CREATE OR REPLACE TABLE s.main.much AS SELECT repeat('x', 20_000_000) || i AS text FROM range(10) AS r(i)"

// A statement that needs more than there is gets more, unless a person asked for a limit.
func TestRoomGrows(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for _, fixed := range []bool{false, true} {
		dir := t.TempDir()
		w, err := openWriter(ctx, filepath.Join(dir, "w.duckdb"), "", "64MB")
		if err != nil {
			t.Fatal(err)
		}
		w.room.fixed = fixed
		err = w.exec(ctx, tooMuch)
		switch {
		case fixed && (!isOutOfMemory(err) || w.room.raised > 0):
			t.Errorf("with a limit: got %v, %d bytes", err, w.room.raised)
		case !fixed && (err != nil || w.room.raised <= w.room.limit):
			t.Errorf("without one: got %v, %d bytes", err, w.room.raised)
		}
		if err := w.close(); err != nil {
			t.Error(err)
		}
	}
}

// What meets the limit beside others is repeated without them, a transaction as a whole.
func TestStepAlone(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := t.TempDir()
	w, err := openWriter(ctx, filepath.Join(dir, "w.duckdb"), "", "512MB")
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	other, err := w.beside(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer other.conn.Close()
	if err := w.exec(ctx, "CREATE TABLE s.main.attempts (n INTEGER)"); err != nil {
		t.Fatal(err)
	}
	begun, failed, ended := make(chan bool), make(chan bool), make(chan error, 1)
	var working atomic.Bool
	go func() {
		ended <- other.step(ctx, func() error {
			working.Store(true)
			close(begun)
			<-failed
			err := other.exec(ctx, "SELECT count(DISTINCT i) FROM range(1_000_000) AS r(i)") // takes a while
			working.Store(false)
			return err
		})
	}()
	<-begun
	n := 0
	err = w.transaction(ctx, func() error {
		n++
		if err := w.exec(ctx, fmt.Sprintf("INSERT INTO s.main.attempts VALUES (%d)", n)); err != nil {
			return err
		}
		if n > 1 {
			if working.Load() {
				t.Error("repeated beside another step")
			}
			return nil
		}
		err := w.exec(ctx, strings.ReplaceAll(tooMuch, "range(10)", "range(100)"))
		close(failed)
		return err
	})
	if err := errors.Join(err, <-ended); err != nil {
		t.Fatal(err)
	}
	if got, err := w.strings(ctx, "SELECT n::VARCHAR FROM s.main.attempts"); err != nil || n != 2 || !slices.Equal(got, []string{"2"}) {
		t.Errorf("%d attempts left %q, %v", n, got, err)
	}
}

func TestIndexWorn(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := t.TempDir()
	w, err := openWriter(ctx, filepath.Join(dir, "w.duckdb"), filepath.Join(dir, "spill"), "")
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	if err := w.exec(ctx, "CREATE TABLE index_runs (last_passage_id INTEGER, list_count INTEGER)"); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, runs string // runs behind those of the row before
		want       bool
	}{
		{"no run", "SELECT 0, 0 LIMIT 0", false},
		{"a first build of 30 runs and a small one", "SELECT 40_000 * i, 50_000 FROM range(1, 31) AS r(i) UNION ALL SELECT 1_201_000, 9_000", false},
		{"small ones with as many lists", "SELECT 1_201_000 + i, 100 FROM range(1, 15_000) AS r(i)", false},
		{"more small ones", "SELECT 1_220_000 + i, 100 FROM range(1, 3_000) AS r(i)", true},
	} {
		if err := w.exec(ctx, "INSERT INTO index_runs "+tt.runs); err != nil {
			t.Fatal(err)
		}
		if worn, err := w.indexWorn(ctx); err != nil || worn != tt.want {
			t.Errorf("%s: got %v, %v", tt.name, worn, err)
		}
	}
}
