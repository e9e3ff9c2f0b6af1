package warehouse

import (
	"context"
	"database/sql"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/database"
)

// How things lie in the file, which no query shows: a setting that DuckDB ignores without a word
// costs a factor of five in size or time.

// attached opens a plain connection to a file under an alias, as anybody's database would.
func attached(t *testing.T, path, alias string) *sql.DB {
	t.Helper()
	db := plainDuckDB(t)
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("ATTACH " + quote(path) + " AS " + quoteName(alias) + " (READ_ONLY)"); err != nil {
		t.Fatal(err)
	}
	return db
}

func TestStorage(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := newWorld(t, 41, filepath.Join(dir, "projects"))
	w.fill(6, 400)
	opt := localRoot(t, filepath.Join(dir, "warehouse"), w.roots[0])
	mustRefresh(t, opt)
	for range 4 {
		path := w.some()
		w.add(path, w.lines(path, 60))
		mustRefresh(t, opt)
	}
	for _, path := range []string{opt.Layout.Published, opt.Layout.Standby} {
		db := attached(t, path, "f")
		if _, err := db.Exec("USE f"); err != nil {
			t.Fatal(err)
		}
		var version string
		if err := db.QueryRow("SELECT tags['storage_version'] FROM duckdb_databases() WHERE database_name = 'f'").Scan(&version); err != nil {
			t.Fatal(err)
		}
		if version != "v1.2.0+" {
			t.Errorf("%s: got storage version %q, want v1.2.0+", filepath.Base(path), version)
		}
		for _, c := range []struct{ table, column, compression string }{
			{"raw", "data", "ZSTD"}, {"content_items", "text", "ZSTD"}, {"content_items", "input", "ZSTD"},
		} {
			rows, err := db.Query("SELECT DISTINCT compression FROM pragma_storage_info('"+c.table+"') WHERE column_name = ? AND segment_type <> 'VALIDITY'", c.column)
			if err != nil {
				t.Fatal(err)
			}
			for rows.Next() {
				var compression string
				if err := rows.Scan(&compression); err != nil {
					t.Fatal(err)
				}
				// A group in which the column is NULL throughout has nothing to compress.
				if compression != c.compression && compression != "Constant" {
					t.Errorf("%s: %s.%s is stored as %s, want %s", filepath.Base(path), c.table, c.column, compression, c.compression)
				}
			}
			rows.Close()
		}
		for _, table := range []string{"raw", "content_items"} {
			var rows, groups, largest int64
			err := db.QueryRow(`SELECT sum(n), count(*), max(n) FROM (SELECT row_group_id, sum(count) AS n FROM pragma_storage_info('`+table+`')
				WHERE column_name = 'source_line' AND segment_type <> 'VALIDITY' GROUP BY ALL)`).Scan(&rows, &groups, &largest)
			if err != nil {
				t.Fatal(err)
			}
			if largest > 2048 || rows < 4*2048 || groups < rows/2048 {
				t.Errorf("%s: %s has %d rows in %d groups, the largest of %d; want groups of up to 2048", filepath.Base(path), table, rows, groups, largest)
			}
		}
	}
}

// The views name no database, so they work under whatever name somebody attaches the file.
func TestViewsUnderAnotherAlias(t *testing.T) {
	t.Parallel()
	trees, err := filepath.Abs("../testdata") // all of them: no view is empty
	if err != nil {
		t.Fatal(err)
	}
	opt := localRoot(t, filepath.Join(t.TempDir(), "warehouse"), trees)
	mustRefresh(t, opt)
	for _, alias := range []string{"w", "mine", "my own \"transcripts\""} {
		db := attached(t, opt.Layout.Published, alias)
		rows, err := db.Query("SELECT view_name FROM duckdb_views() WHERE database_name = ? AND NOT internal", alias)
		if err != nil {
			t.Fatal(err)
		}
		var views []string
		for rows.Next() {
			var v string
			if err := rows.Scan(&v); err != nil {
				t.Fatal(err)
			}
			views = append(views, v)
		}
		rows.Close()
		if len(views) < 10 {
			t.Fatalf("only %d views", len(views))
		}
		// A table of the same name in the client's own database is not taken for ours.
		if _, err := db.Exec("CREATE TABLE raw AS SELECT 'mine' AS source_file; CREATE TABLE content_items AS SELECT 1 AS x; CREATE TABLE replays AS SELECT 1 AS x"); err != nil {
			t.Fatal(err)
		}
		for _, v := range views {
			var n int64
			if err := db.QueryRow("SELECT count(*) FROM " + quoteName(alias) + "." + v).Scan(&n); err != nil {
				t.Errorf("as %s: %s: %v", alias, v, err)
			} else if n == 0 && v != "replays" && v != "broken_lines" {
				t.Errorf("as %s: %s is empty", alias, v)
			}
		}
	}
}

// DuckDB gives no space back. A file that is mostly free blocks is written anew.
func TestCompaction(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	projects := filepath.Join(dir, "projects")
	opt := localRoot(t, filepath.Join(dir, "warehouse"), projects)
	rng := rand.New(rand.NewPCG(42, 0))
	noise := func(n int) string {
		b := make([]byte, n*3/4)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		return base64.StdEncoding.EncodeToString(b)
	}
	large := func(lines int) string {
		var out strings.Builder
		for i := range lines {
			fmt.Fprintf(&out, `{"type":"user","uuid":"%d-%d","sessionId":"large","message":{"role":"user","content":[{"type":"tool_result","content":"%s"}]}}`+"\n", rng.Uint32(), i, noise(64<<10))
		}
		return out.String()
	}
	w := newWorld(t, 42, projects)
	path := filepath.Join(projects, "-home-dev-app", "large.jsonl")
	size := func() int64 {
		info, err := os.Stat(opt.Layout.Published)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	w.put(path, large(500))
	mustRefresh(t, opt)
	full := size()
	if full < 24<<20 {
		t.Fatalf("the file has %d bytes; the test is about large ones", full)
	}
	compacted := 0
	for _, lines := range []int{500, 400, 300} {
		w.put(path, large(lines))
		if mustRefresh(t, opt).Compacted {
			compacted++
		}
		checkTidy(t, opt.Layout)
		if s := size(); s > full*5/2 {
			t.Errorf("rewritten: %d bytes, where the first had %d", s, full)
		}
	}
	if compacted == 0 {
		t.Error("never written anew")
	}
	checkRestored(t, opt.Layout, w.files())
	w.put(path, w.lines(path, 3))
	mustRefresh(t, opt)
	// Below 16 MB free blocks are left: writing all anew would be the larger cost.
	const left = 16 << 20
	if s := size(); s > left {
		t.Errorf("with one small session: %d bytes, where the full one had %d", s, full)
	}
	compareWithFresh(t, opt)
	// The other copy is large still, and small after the next refresh.
	w.add(path, w.lines(path, 1))
	mustRefresh(t, opt)
	w.add(path, w.lines(path, 1))
	mustRefresh(t, opt)
	for _, p := range []string{opt.Layout.Published, opt.Layout.Standby} {
		if info, err := os.Stat(p); err != nil || info.Size() > left {
			t.Errorf("%s is large still: %v, %v", filepath.Base(p), info.Size(), err)
		}
	}
	compareWithFresh(t, opt)
}

// Goose has no DuckDB dialect; with ours a migration that fails leaves nothing of itself, and the
// ones before it stay.
func TestFailedMigrationRollsBack(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	w, err := openWriter(ctx, filepath.Join(dir, "f.duckdb"), filepath.Join(dir, "spill"), "512MB")
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	up := func(fsys fstest.MapFS) error {
		store, err := database.NewStoreFromQuerier("goose_db_version", querier{})
		if err != nil {
			t.Fatal(err)
		}
		p, err := goose.NewProvider(goose.DialectCustom, w.db, fsys, goose.WithStore(store), goose.WithDisableGlobalRegistry(true))
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Up(ctx)
		return err
	}
	tables := func() string {
		names, err := w.strings(ctx, "SELECT table_name FROM duckdb_tables() WHERE database_name = 'w' ORDER BY table_name")
		if err != nil {
			t.Fatal(err)
		}
		versions, err := w.strings(ctx, "SELECT version_id::VARCHAR FROM w.main.goose_db_version ORDER BY version_id")
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(names, " ") + ": " + strings.Join(versions, " ")
	}
	fsys := fstest.MapFS{
		"00001_one.sql": {Data: []byte("-- +goose Up\nCREATE TABLE one (i INTEGER);\nINSERT INTO one VALUES (1);\n")},
		"00002_two.sql": {Data: []byte("-- +goose Up\nCREATE TABLE two (i INTEGER);\nINSERT INTO one VALUES (2);\nINSERT INTO two SELECT 'no number';\n")},
	}
	if err := up(fsys); err == nil {
		t.Fatal("the migration did not fail")
	}
	if got, want := tables(), "goose_db_version one: 0 1"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	fsys["00002_two.sql"] = &fstest.MapFile{Data: []byte("-- +goose Up\nCREATE TABLE two (i INTEGER);\nINSERT INTO two VALUES (2);\n")}
	for range 2 {
		if err := up(fsys); err != nil {
			t.Fatal(err)
		}
		if got, want := tables(), "goose_db_version one two: 0 1 2"; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	var sum int
	if err := w.conn.QueryRowContext(ctx, "SELECT (SELECT sum(i) FROM w.main.one) + (SELECT sum(i) FROM w.main.two)").Scan(&sum); err != nil || sum != 3 {
		t.Errorf("got %d, %v; want 3", sum, err)
	}
}

// A database that keeps what its memory does not hold in files opens connections all the same.
func TestConnectionsBehindASpill(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	dir := t.TempDir()
	spill := filepath.Join(dir, "spill")
	w, err := openWriter(ctx, filepath.Join(dir, "w.duckdb"), spill, "64MB")
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	if err := w.exec(ctx, "CREATE TABLE s.main.much AS SELECT random() AS r FROM range(16_000_000)"); err != nil {
		t.Fatal(err)
	}
	if !exists(spill) {
		t.Fatal("nothing was written to files")
	}
	second, err := w.db.Conn(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	var n int64
	if err := second.QueryRowContext(ctx, "SELECT count(*) FROM s.main.much").Scan(&n); err != nil || n != 16_000_000 {
		t.Errorf("got %d rows, %v", n, err)
	}
}
