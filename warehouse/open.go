package warehouse

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	duckdb "github.com/duckdb/duckdb-go/v2"

	"warehouse/migrations"
	"warehouse/schema"
)

// The two openers.
//
// OpenReadOnly is for everything that answers questions: it never writes, creates no file beside
// the database, and locks the connection so that no SQL can reach another file or undo the lock.
// openWriter is for the refresh alone, and opens the standby, never the published file.

// Reader is a read-only connection to a published warehouse.
type Reader struct {
	db   *sql.DB
	conn *sql.Conn
	side *sql.Conn // see beside
	path string
	Meta Meta

	places    Places          // what reports read beside the file
	variables map[string]bool // parameters of reports that ran on the connection
}

// Meta is the state that a file says it is in.
type Meta struct {
	ID         string
	Version    int
	Generation int64
	ImportHash string
	ViewsHash  string
	IndexHash  string
	Complete   bool
	Redact     bool // what is printed of it is to be redacted
}

// ReadOptions are choices of OpenReadOnly.
type ReadOptions struct {
	TimeZone   string // zone days are computed in; empty is the system's
	AllowStale bool   // open a file derived with other definitions too
	Threads    int    // threads of a query; 0 is one for each core
	Places     Places // where reports find what they read beside the file; zero is nowhere

	allowIncomplete bool // the refresh repairs such a file
}

// OpenReadOnly opens the published file. It returns ErrNoDatabase, ErrNotWarehouse, ErrNewer,
// ErrStale or ErrLocked, each with a hint, where the file cannot serve.
func OpenReadOnly(ctx context.Context, path string, opt ReadOptions) (*Reader, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, WithHint(fmt.Errorf("%w at %q", ErrNoDatabase, path), "make one with: warehouse refresh")
	} else if err != nil {
		return nil, err
	}
	go schema.Embedded() // reading the definitions takes a third of the time that DuckDB takes to open
	connector, err := duckdb.NewConnector("", nil)
	if err != nil {
		return nil, engineError(err)
	}
	r := &Reader{path: path, places: opt.Places, db: sql.OpenDB(connector)}
	r.db.SetMaxOpenConns(2)
	setup := []string{
		"SET enable_progress_bar = false",
		// Without a folder for what does not fit into memory, a query fails rather than make files
		// beside the database.
		"SET temp_directory = ''",
		// Attached, since only so can the size of row groups be said. DuckDB divides a scan among
		// threads by that size, not by the row groups that are there.
		"ATTACH " + quote(path) + " AS warehouse (READ_ONLY, ROW_GROUP_SIZE 2048)",
		"USE warehouse",
		"SET enable_external_access = false",
	}
	if opt.TimeZone != "" {
		setup = append(setup, "SET GLOBAL TimeZone = "+quote(opt.TimeZone))
	}
	if opt.Threads > 0 {
		setup = append(setup, fmt.Sprintf("SET threads = %d", opt.Threads))
	}
	// Without it the database's own files and their logs stay open to COPY and ATTACH, for writing
	// too. What is open already can still be read.
	setup = append(setup, "SET disabled_filesystems = 'LocalFileSystem'")
	if r.conn, err = r.connect(ctx, setup...); err == nil {
		// Last, since nothing can be set behind it, what a connection uses neither.
		r.side, err = r.connect(ctx, "USE warehouse", "SET lock_configuration = true")
	}
	if err != nil {
		r.Close()
		return nil, openError(path, err)
	}
	if r.Meta, err = readMeta(ctx, r.conn, ""); err != nil {
		r.Close()
		if !strings.Contains(err.Error(), "Catalog Error") && !errors.Is(err, sql.ErrNoRows) {
			return nil, openError(path, err) // damaged
		}
		return nil, notWarehouse(path, "no index_meta in it")
	}
	if err := r.Meta.check(path, opt.allowIncomplete); err != nil {
		r.Close()
		return nil, err
	}
	set, err := schema.Embedded()
	if err != nil {
		r.Close()
		return nil, err
	}
	if !opt.AllowStale && (r.Meta.ViewsHash != set.ViewsHash() || r.Meta.ImportHash != set.ImportHash() || r.Meta.IndexHash != indexHash(set)) {
		r.Close()
		return nil, WithHint(fmt.Errorf("%q is %w than this program's", path, ErrStale), "bring it up to date: warehouse refresh --max-age 0")
	}
	return r, nil
}

func (r *Reader) connect(ctx context.Context, setup ...string) (*sql.Conn, error) {
	conn, err := r.db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	for _, s := range setup {
		if _, err := conn.ExecContext(ctx, s); err != nil {
			conn.Close()
			return nil, err
		}
	}
	return conn, nil
}

// beside is a Reader of the same state for what runs at the same time.
func (r *Reader) beside() *Reader {
	return &Reader{db: r.db, conn: r.side, path: r.path, Meta: r.Meta, places: r.places}
}

// Close gives the file back; it can be opened by others at once.
func (r *Reader) Close() error {
	for _, conn := range []*sql.Conn{r.conn, r.side} {
		if conn != nil {
			conn.Close()
		}
	}
	return r.db.Close()
}

func openError(path string, err error) error {
	text := err.Error()
	switch {
	case strings.Contains(text, "Could not set lock"):
		return WithHint(fmt.Errorf("%q is %w: %s", path, ErrLocked, lockHolder(text)),
			"somebody has opened it for writing; close that program, and open with: duckdb -readonly")
	case strings.Contains(text, "TimeZone") || strings.Contains(text, "Unknown TimeZone"):
		return engineError(err)
	case strings.Contains(text, "version number"):
		return WithHint(fmt.Errorf("%q is %w of DuckDB than %s reads", path, ErrNewer, "this program"), "update warehouse")
	case exists(path+".wal") && (strings.Contains(text, "WAL") || strings.Contains(text, "wal")):
		return WithHint(fmt.Errorf("open %q: somebody wrote to it and left a log behind: %w", path, engineError(err)), "repair it with: warehouse refresh --max-age 0")
	case strings.Contains(text, "not a valid DuckDB database") || strings.Contains(text, "magic bytes"):
		return notWarehouse(path, "not a DuckDB file")
	case errors.Is(err, fs.ErrPermission) || strings.Contains(text, "Permission denied"):
		return fmt.Errorf("open %q: permission denied", path)
	}
	return fmt.Errorf("open %q: %w", path, engineError(err))
}

// lockHolder finds "(PID 123)" in DuckDB's message.
func lockHolder(text string) string {
	if _, rest, ok := strings.Cut(text, "held in "); ok {
		held, _, _ := strings.Cut(rest, ". ")
		return "held by " + held
	}
	return "held by another process"
}

// readMeta reads the state of the file attached under alias, or of the main one.
func readMeta(ctx context.Context, c *sql.Conn, alias string) (Meta, error) {
	if alias != "" {
		alias += "."
	}
	var m Meta
	err := c.QueryRowContext(ctx, "SELECT warehouse_id, version, generation, import_hash, views_hash, coalesce(index_hash, ''), is_complete, "+
		"EXISTS (FROM "+alias+"main.settings WHERE name = 'redact' AND value = 'on') FROM "+alias+"main.index_meta").
		Scan(&m.ID, &m.Version, &m.Generation, &m.ImportHash, &m.ViewsHash, &m.IndexHash, &m.Complete, &m.Redact)
	return m, err
}

// check refuses what no program of this version may read.
func (m Meta) check(path string, incomplete bool) error {
	if m.Version > migrations.Version {
		return WithHint(fmt.Errorf("%q is %w (layout %d, this program knows %d)", path, ErrNewer, m.Version, migrations.Version), "update warehouse")
	}
	if !m.Complete && !incomplete {
		return WithHint(fmt.Errorf("%q was left half written", path), "repair it with: warehouse refresh --max-age 0")
	}
	return nil
}

// writer is the refresh's connection: an in-memory database with the standby attached as w.
type writer struct {
	db       *sql.DB
	conn     *sql.Conn // loads, derives
	indexed  bool      // its word index is this program's
	newIndex bool      // the tables of its word index were just made, and are empty
	rules    []Rule    // that lines which are loaded are judged by
	waiting  string    // table of projected rows that are loaded with the next ones
	batches  int       // loaded so far
	path     string
	room     *room
	inStep   bool // see step
}

// openWriter attaches path for writing, with a limit of memory that a person asked for or the default.
// Storage version and row group size are named at every
// open: without them the next checkpoint merges row groups back to 122,880 rows and parallel
// scans are lost, and the default storage version ignores zstd without a word.
func openWriter(ctx context.Context, path, spill, memory string) (*writer, error) {
	w := &writer{path: path, room: newRoom(memory)}
	attach := "ATTACH IF NOT EXISTS " + quote(path) + " AS w (STORAGE_VERSION 'v1.2.0', ROW_GROUP_SIZE 2048)"
	// For the database, by its first connection. Later ones would fail where it has spilled by then:
	// the folder for that cannot be set any more.
	database := []string{
		"SET temp_directory = " + quote(spill),
		w.room.setting(),
		// A checkpoint is made at the end and between batches (load.go), not by a commit: the log of a
		// killed run is thrown away with its file.
		"SET checkpoint_threshold = '1TB'",
		// Row groups go to the disk one by one. The default of five is meant for larger ones: in 70
		// columns it takes a block each for 2048 values, 0.3 GB for the rows of message_usage of 3 GB.
		"SET write_buffer_row_group_count = 1",
		// Merging small row groups writes the last full ones of each table again: half of the
		// checkpoint behind one appended line, a tenth of a first refresh. See vacuumNow.
		"SET max_vacuum_tasks = 0",
		// FSST never made the file smaller (58.2 MB for 300 MB with and without), but building its
		// symbol tables took a fifth of the first refresh and a third of each checkpoint.
		"SET disabled_compression_methods = 'fsst'",
		attach,
		// Staged lines. With the default row group size the INSERT that reads them runs on one thread.
		"ATTACH IF NOT EXISTS ':memory:' AS s (ROW_GROUP_SIZE 2048)",
		"CREATE TABLE IF NOT EXISTS s.main.touched (source_file VARCHAR, from_line BIGINT)", // keyed.go
	}
	connection := []string{"SET enable_progress_bar = false", "SET TimeZone = 'UTC'", "USE w"}
	connector, err := duckdb.NewConnector("", func(exec driver.ExecerContext) error {
		setup := connection
		if w.conn == nil {
			setup = append(database, connection...)
		}
		for _, s := range setup {
			if _, err := exec.ExecContext(ctx, s, nil); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, openError(path, err)
	}
	w.db = sql.OpenDB(connector)
	if w.conn, err = w.db.Conn(ctx); err != nil {
		w.close()
		return nil, openError(path, err)
	}
	return w, nil
}

// beside is a writer of the same file for what runs at the same time. Its connection is to be closed,
// the file is not.
func (w *writer) beside(ctx context.Context) (*writer, error) {
	conn, err := w.db.Conn(ctx)
	if err != nil {
		return nil, fmt.Errorf("connect: %w", engineError(err))
	}
	return &writer{db: w.db, conn: conn, path: w.path, room: w.room}, nil
}

func (w *writer) close() error {
	if w.conn != nil {
		w.conn.Close()
	}
	return w.db.Close()
}

// exec runs statements in order, each one a step.
func (w *writer) exec(ctx context.Context, statements ...string) error {
	for _, s := range statements {
		if err := w.step(ctx, func() error { return w.now(ctx, s) }); err != nil {
			return err
		}
	}
	return nil
}

// whole runs statements in order, all of them or none.
func (w *writer) whole(ctx context.Context, statements ...string) error {
	return w.transaction(ctx, func() error { return w.now(ctx, statements...) })
}

// now runs statements in order.
func (w *writer) now(ctx context.Context, statements ...string) error {
	for _, s := range statements {
		if _, err := w.conn.ExecContext(ctx, s); err != nil {
			return statementError(s, err)
		}
	}
	return nil
}

// count runs a statement and returns the number of rows it changed.
func (w *writer) count(ctx context.Context, statement string) (n int64, err error) {
	err = w.step(ctx, func() error {
		res, err := w.conn.ExecContext(ctx, statement)
		if err != nil {
			return statementError(statement, err)
		}
		n, err = res.RowsAffected()
		return err
	})
	return n, err
}

// query runs a query, whose whole result is in memory when it returns.
func (w *writer) query(ctx context.Context, query string, args ...any) (rows *sql.Rows, err error) {
	err = w.step(ctx, func() error {
		rows, err = w.conn.QueryContext(ctx, query, args...)
		return engineError(err)
	})
	return rows, err
}

func statementError(statement string, err error) error {
	return fmt.Errorf("%.60s: %w", strings.Join(strings.Fields(statement), " "), engineError(err))
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func quoteName(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }
