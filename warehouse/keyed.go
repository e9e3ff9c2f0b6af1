package warehouse

import (
	"context"
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
//   - A key is touched when a file with a line of it lost or gained lines. Keys of lines that go
//     are noted before they go, those of new lines when all are there.
//   - The INSERT runs on the touched keys alone: the name of the view means, for its run, a
//     temporary table of their rows. Nothing is remembered between refreshes, so a standby that
//     catches up and a refresh take the same path.
//   - All rows are derived anew in a new file, with new views, and with other seeded rows.

// noteChanged remembers the files of a table's rows as changed.
func (w *writer) noteChanged(ctx context.Context, table string) error {
	if err := w.exec(ctx, "INSERT INTO s.main.touched SELECT DISTINCT source_file FROM "+table); err != nil {
		return fmt.Errorf("changed files: %w", err)
	}
	return nil
}

// noteKeys remembers the keys that the lines of some files have now.
func (w *writer) noteKeys(ctx context.Context, set schema.Set, files string) error {
	for _, o := range set.Keyed() {
		if err := w.exec(ctx,
			"CREATE TABLE IF NOT EXISTS s.main.keys_of_"+o.Name+" (key VARCHAR)",
			fmt.Sprintf("INSERT INTO s.main.keys_of_%s SELECT DISTINCT %s FROM w.main.%s WHERE source_file IN (SELECT source_file FROM %s)",
				o.Name, o.KeyColumn, o.KeyView, files)); err != nil {
			return fmt.Errorf("keys of %s: %w", o.Name, err)
		}
	}
	return nil
}

// deriveKeyed brings the keyed tables up to the lines and seeded rows that are there now.
func (r *refresh) deriveKeyed(ctx context.Context, w *writer, whole bool) error {
	if whole {
		for _, o := range r.set.Keyed() {
			if err := w.transaction(ctx, func() error { return w.exec(ctx, "DELETE FROM w.main."+o.Name, o.Fill) }); err != nil {
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
		touched := "SELECT key FROM s.main.keys_of_" + o.Name
		if err := w.exec(ctx,
			fmt.Sprintf("CREATE OR REPLACE TEMP TABLE %s AS SELECT * FROM w.main.%[1]s WHERE %s IN (%s)", o.KeyView, o.KeyColumn, touched)); err != nil {
			return fmt.Errorf("derive %s: %w", o.Name, err)
		}
		if err := w.transaction(ctx, func() error {
			return w.exec(ctx, fmt.Sprintf("DELETE FROM w.main.%s WHERE %s IN (%s)", o.Name, o.KeyColumn, touched), o.Fill)
		}); err != nil {
			return fmt.Errorf("derive %s: %w", o.Name, err)
		}
		if err := w.exec(ctx, "DROP TABLE temp."+o.KeyView); err != nil {
			return fmt.Errorf("derive %s: %w", o.Name, err)
		}
	}
	return nil
}
