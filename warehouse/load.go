package warehouse

import (
	"context"
	"database/sql/driver"
	_ "embed"
	"errors"
	"fmt"

	duckdb "github.com/duckdb/duckdb-go/v2"

	"warehouse/schema"
)

// Loading: each full staging table (stage.go) becomes rows of raw and of the derived tables while the
// next one is filled.
//
// The rules are:
//
//   - A line is parsed once for raw: the projected rows stand in memory, and both raw and the
//     derived tables read them there. (A view in that place would be parsed again for each
//     expression of each filter: measured 143 s against 0.8 s.)
//   - A line that DuckDB does not take for JSON is repaired before it is loaded (repair.go).
//   - What was forgotten is taken out of a batch before it is loaded (forget_load.go).
//   - Rows that fill no row group stay in memory until a checkpoint, so one follows each few batches.
//   - New rows carry this refresh's generation; what they replace is deleted by its lower one,
//     so a file that fails half way keeps its old rows.

//go:embed sql/project.sql
var projectSQL string

// withStager runs produce on a second connection, projects the tables it fills on a third and
// loads them on the first, all three overlapping: each step alone leaves a core idle while it waits
// for its largest row group.
func (w *writer) withStager(ctx context.Context, set schema.Set, produce func(context.Context, *stager) error) (rows int64, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	second, err := w.beside(ctx)
	if err != nil {
		return 0, err
	}
	defer second.conn.Close()
	third, err := w.beside(ctx)
	if err != nil {
		return 0, err
	}
	defer third.conn.Close()
	batches, projected := make(chan string), make(chan string)
	done := make(chan error, 2)
	go func() {
		defer close(batches)
		s := &stager{writer: second, batches: batches}
		err := produce(ctx, s)
		if err == nil {
			err = s.flush(ctx)
		}
		done <- err
	}()
	go func() {
		defer close(projected)
		for n := 0; ; n++ {
			table, ok := <-batches
			if !ok {
				done <- nil
				return
			}
			name := fmt.Sprintf("s.main.p%d", n)
			err := third.projectLines(ctx, name, "SELECT * FROM s.main."+table)
			if err == nil {
				err = third.mend(ctx, name)
			}
			if err == nil {
				err = third.exec(ctx, "DROP TABLE s.main."+table)
			}
			if err == nil {
				select {
				case projected <- name:
					continue
				case <-ctx.Done():
					err = ctx.Err()
				}
			}
			cancel() // ends the producer
			for range batches {
			}
			done <- err
			return
		}
	}()
	for table := range projected {
		if err != nil {
			continue // drain, so that the others can end
		}
		var n int64
		if n, err = w.load(ctx, set, table); err != nil {
			cancel()
		}
		rows += n
	}
	if table := w.waiting; table != "" && err == nil {
		w.waiting = ""
		_, err = w.load(ctx, set, table)
	}
	for range 2 {
		// Where one fails the others are cancelled; the cause is worth more than that.
		if other := <-done; other != nil && (err == nil || errors.Is(err, context.Canceled)) {
			err = other
		}
	}
	return rows, err
}

// projectLines makes a table of rows of raw from a query that returns framed lines.
func (w *writer) projectLines(ctx context.Context, table, lines string) error {
	if err := w.exec(ctx,
		"CREATE OR REPLACE TEMP VIEW lines AS "+lines,
		"CREATE OR REPLACE TABLE "+table+" AS "+projectSQL,
	); err != nil {
		return fmt.Errorf("project: %w", err)
	}
	return nil
}

// load makes rows of raw and of the derived tables from a table of projected rows, and of those that
// wait, and drops it. It returns how many rows of raw it made, without those that waited.
func (w *writer) load(ctx context.Context, set schema.Set, table string) (int64, error) {
	if len(w.rules) > 0 {
		if err := w.leaveOut(ctx, table); err != nil {
			return 0, err
		}
	}
	var waited int64
	if w.waiting != "" {
		var err error
		if waited, err = w.count(ctx, "INSERT INTO "+table+" BY NAME SELECT * FROM "+w.waiting); err != nil {
			return 0, fmt.Errorf("load: %w", err)
		}
		if err := w.exec(ctx, "DROP TABLE "+w.waiting); err != nil {
			return 0, fmt.Errorf("load: %w", err)
		}
		w.waiting = ""
	}
	n, err := w.count(ctx, "INSERT INTO w.main.raw BY NAME SELECT * FROM "+table)
	if err != nil {
		return 0, fmt.Errorf("load: %w", err)
	}
	if err := w.derive(ctx, set, "SELECT * FROM "+table); err != nil {
		return 0, err
	}
	if err := w.noteNew(ctx, table); err != nil {
		return 0, err
	}
	if err := w.exec(ctx, "DROP TABLE "+table); err != nil {
		return 0, err
	}
	if w.batches++; w.batches%batchesKept == 0 {
		if err := w.exec(ctx, "CHECKPOINT w"); err != nil {
			return 0, fmt.Errorf("load: %w", err)
		}
		if err := w.relieve(ctx, loading); err != nil {
			return 0, fmt.Errorf("load: %w", err)
		}
	}
	return n - waited, nil
}

// batchesKept is how many batches leave something in memory. A checkpoint takes 30 ms behind 100 MB of
// transcripts and 100 ms behind 3 GB.
const batchesKept = 4

// derive fills the derived tables from a query that returns rows of raw. The name raw in their
// files means that query here: a temporary view comes before a table of the same name.
func (w *writer) derive(ctx context.Context, set schema.Set, rows string) error {
	if err := w.exec(ctx, "CREATE OR REPLACE TEMP VIEW raw AS "+rows); err != nil {
		return fmt.Errorf("derive: %w", err)
	}
	for _, table := range set.Tables() {
		if err := w.exec(ctx, table.Fill); err != nil {
			return fmt.Errorf("derive %s: %w", table.Name, err)
		}
	}
	return w.exec(ctx, "DROP VIEW temp.raw")
}

// doomed names rows that something newer replaces: those of a file from a line on, written by a
// refresh in the given span.
type doomed struct {
	path       string
	fromLine   int64
	from, upTo int64 // generations, inclusive
}

// remove deletes the doomed rows from raw and the derived tables and returns how many rows of raw went.
func (w *writer) remove(ctx context.Context, set schema.Set, rows []doomed) (int64, error) {
	if len(rows) == 0 {
		return 0, nil
	}
	err := w.appendTable(ctx, "doomed", "(source_file VARCHAR, from_line BIGINT, from_generation BIGINT, up_to_generation BIGINT)", func(add func(...driver.Value) error) error {
		for _, d := range rows {
			if err := add(d.path, d.fromLine, d.from, d.upTo); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	if err := w.noteGone(ctx, "s.main.doomed"); err != nil {
		return 0, err
	}
	if err := w.noteKeys(ctx, set, "s.main.doomed"); err != nil {
		return 0, err
	}
	if w.indexed {
		if err := w.unindex(ctx); err != nil {
			return 0, err
		}
	}
	var removed int64
	names := []string{"raw"}
	for _, table := range set.Tables() {
		names = append(names, table.Name)
	}
	for _, name := range names {
		n, err := w.count(ctx, `DELETE FROM w.main.`+name+` AS t USING s.main.doomed AS d
			WHERE t.source_file = d.source_file AND t.source_line >= d.from_line
				AND t.generation BETWEEN d.from_generation AND d.up_to_generation`)
		if err != nil {
			return 0, fmt.Errorf("remove: %w", err)
		}
		if name == "raw" {
			removed = n
		}
	}
	if removed > 0 {
		// Only vacuuming gives the space of deleted rows back.
		return removed, w.exec(ctx, allowVacuum)
	}
	return removed, nil
}

// appendTable makes s.main.<name> anew, of the given columns or AS a query, and fills it.
func (w *writer) appendTable(ctx context.Context, name, definition string, fill func(add func(...driver.Value) error) error) error {
	if err := w.exec(ctx, "CREATE OR REPLACE TABLE s.main."+name+" "+definition); err != nil {
		return err
	}
	return w.appendRows(ctx, "s", name, fill)
}

// appendRows adds rows to a table, all of them or none; fill may run again.
func (w *writer) appendRows(ctx context.Context, database, name string, fill func(add func(...driver.Value) error) error) error {
	err := w.transaction(ctx, func() error {
		return w.conn.Raw(func(c any) error {
			app, err := duckdb.NewAppender(c.(driver.Conn), database, "main", name)
			if err != nil {
				return err
			}
			if err := fill(app.AppendRow); err != nil {
				app.Close()
				return err
			}
			return app.Close()
		})
	})
	if err != nil {
		return fmt.Errorf("append %s: %w", name, engineError(err))
	}
	return nil
}
