package warehouse

import (
	"context"
	_ "embed"
	"fmt"

	"warehouse/schema"
)

// Keyed tables: rows that depend on lines of several files, such as the winner among the copies
// of a response.
//
// The rules are:
//
//   - The table's header names a view and its key column; all rows of the table for one key
//     follow from the view's rows of that key, from seeded tables, and from the order of files,
//     which a change of a third file does not alter.
//   - A key is touched when a line of it is new or went, or when its file may have changed its place
//     in the order: it lost lines, or a new one is older than the others or says that it is a copy.
//     Keys of lines that go are noted before they go, those of new lines when all are there.
//   - The INSERT runs on the touched keys alone: the name of the view means, for its run, a
//     temporary table of their rows. Nothing is remembered between refreshes, so a standby that
//     catches up and a refresh take the same path.
//   - All rows are derived anew in a new file, with new views, and with other seeded rows.

//go:embed sql/touched.sql
var touchedSQL string

// noteNew remembers the lines of a table's rows, which are in raw already, as changed.
func (w *writer) noteNew(ctx context.Context, table string) error {
	if err := w.exec(ctx, "CREATE OR REPLACE TEMP VIEW batch AS SELECT * FROM "+table, touchedSQL, "DROP VIEW temp.batch"); err != nil {
		return fmt.Errorf("changed files: %w", err)
	}
	return nil
}

// noteGone remembers the files of a table's rows as changed.
func (w *writer) noteGone(ctx context.Context, table string) error {
	if err := w.exec(ctx, "INSERT INTO s.main.touched SELECT DISTINCT source_file, 0 FROM "+table); err != nil {
		return fmt.Errorf("changed files: %w", err)
	}
	return nil
}

// noteKeys remembers the keys that lines have now: those of the files of a table from its from_line on.
func (w *writer) noteKeys(ctx context.Context, set schema.Set, table string) error {
	for _, o := range set.Keyed() {
		if err := w.exec(ctx,
			"CREATE TABLE IF NOT EXISTS s.main.keys_of_"+o.Name+" (key VARCHAR)",
			fmt.Sprintf("INSERT INTO s.main.keys_of_%s SELECT DISTINCT %s FROM w.main.%s AS l JOIN %s AS t ON l.source_file = t.source_file AND l.source_line >= t.from_line",
				o.Name, o.KeyColumn, o.KeyView, table)); err != nil {
			return fmt.Errorf("keys of %s: %w", o.Name, err)
		}
	}
	return nil
}

// deriveKeyed brings the keyed tables up to the lines and seeded rows that are there now.
func (r *refresh) deriveKeyed(ctx context.Context, w *writer, whole bool) error {
	if whole {
		for _, o := range r.set.Keyed() {
			if err := w.whole(ctx, "DELETE FROM w.main."+o.Name, o.Fill); err != nil {
				return fmt.Errorf("derive %s: %w", o.Name, err)
			}
		}
		return nil
	}
	var changed int64
	if err := w.conn.QueryRowContext(ctx, "SELECT count(*) FROM s.main.touched").Scan(&changed); err != nil || changed == 0 {
		return engineError(err)
	}
	if err := w.noteKeys(ctx, r.set, "s.main.touched"); err != nil {
		return err
	}
	for _, o := range r.set.Keyed() {
		var keys int64
		if err := w.conn.QueryRowContext(ctx, "SELECT count(*) FROM s.main.keys_of_"+o.Name).Scan(&keys); err != nil {
			return engineError(err)
		}
		if keys == 0 {
			continue
		}
		touched := "SELECT key FROM s.main.keys_of_" + o.Name
		if err := w.exec(ctx,
			// In two steps, since the second one reads few row groups and the first one few columns.
			fmt.Sprintf("CREATE OR REPLACE TEMP TABLE lines_of_keys AS SELECT source_file, source_line FROM w.main.%s WHERE %s IN (%s)", o.KeyView, o.KeyColumn, touched),
			fmt.Sprintf("CREATE OR REPLACE TEMP TABLE %s AS SELECT l.* FROM w.main.%[1]s AS l JOIN temp.lines_of_keys AS k USING (source_file, source_line)", o.KeyView),
			"DROP TABLE temp.lines_of_keys"); err != nil {
			return fmt.Errorf("derive %s: %w", o.Name, err)
		}
		if err := w.whole(ctx, fmt.Sprintf("DELETE FROM w.main.%s WHERE %s IN (%s)", o.Name, o.KeyColumn, touched), o.Fill); err != nil {
			return fmt.Errorf("derive %s: %w", o.Name, err)
		}
		if err := w.exec(ctx, "DROP TABLE temp."+o.KeyView); err != nil {
			return fmt.Errorf("derive %s: %w", o.Name, err)
		}
	}
	return nil
}
