package warehouse

import (
	"context"
	"fmt"
	"strings"

	"warehouse/schema"
)

// Deriving: everything above raw can be dropped and made again from raw alone.
//
// The rules are:
//
//   - A stage is rebuilt when the fingerprint of its files differs from the one in index_meta.
//   - The views are rebuilt in one transaction: a reader of the copy that is published next
//     never sees half of them.
//   - Derived tables hold what one line says and nothing that depends on another line, so new
//     lines are added and replaced lines deleted without looking at the rest. What depends on
//     other lines (copies of a record, a call and its result) is a view's work, or that of a keyed
//     table (keyed.go).

// durable are the tables that migrations make; everything else in the file is derived.
var durable = []string{"raw", "indexed_files", "hosts", "settings", "forgotten", "index_meta", "goose_db_version"}

// project makes the macros of layer 0 and gives raw its pinned columns. raw is empty then: a
// changed projection fills a new file.
func (w *writer) project(ctx context.Context, set schema.Set) error {
	return w.transaction(ctx, func() error { return w.addPinned(ctx, set) })
}

func (w *writer) addPinned(ctx context.Context, set schema.Set) error {
	for _, o := range set {
		if o.Layer == 0 {
			if err := w.create(ctx, o); err != nil {
				return err
			}
		}
	}
	// DuckDB gives no way to add the columns of a query, so the names come from DESCRIBE.
	rows, err := w.query(ctx, `SELECT column_name, column_type FROM (DESCRIBE SELECT p.* FROM (SELECT pinned_columns(data) AS p FROM w.main.raw))`)
	if err != nil {
		return fmt.Errorf("pinned columns: %w", err)
	}
	var add []string
	for rows.Next() {
		var name, kind string
		if err := rows.Scan(&name, &kind); err != nil {
			rows.Close()
			return err
		}
		add = append(add, "ALTER TABLE w.main.raw ADD COLUMN "+quoteName(name)+" "+kind)
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("pinned columns: %w", engineError(err))
	}
	if err := w.exec(ctx, add...); err != nil {
		return fmt.Errorf("pinned columns: %w", err)
	}
	for _, o := range set {
		if o.Layer == 0 {
			if err := w.comment(ctx, "TABLE", "raw", "", o.Columns); err != nil {
				return err
			}
		}
	}
	return nil
}

// rebuild drops everything derived and makes it again from raw, but for the rows of seeded and keyed
// tables, which follow, and the word index, which has a fingerprint of its own.
func (w *writer) rebuild(ctx context.Context, set schema.Set) error {
	return w.transaction(ctx, func() error {
		if err := w.dropDerived(ctx, set); err != nil {
			return fmt.Errorf("drop views: %w", err)
		}
		for _, o := range set {
			if o.Layer == 0 || o.IndexOf != "" && w.indexed {
				continue
			}
			if err := w.create(ctx, o); err != nil {
				return err
			}
			w.newIndex = w.newIndex || o.IndexOf != ""
			if o.Fill != "" && o.KeyView == "" {
				if err := w.exec(ctx, o.Fill); err != nil {
					return fmt.Errorf("derive %s: %w", o.Name, err)
				}
			}
		}
		return nil
	})
}

// transaction runs f, which may run again (room.go), between BEGIN and COMMIT. Besides being whole or
// not at all, many small statements are one write of the log.
func (w *writer) transaction(ctx context.Context, f func() error) error {
	return w.step(ctx, func() error {
		if err := w.now(ctx, "BEGIN"); err != nil {
			return err
		}
		if err := f(); err != nil {
			w.now(context.WithoutCancel(ctx), "ROLLBACK")
			return err
		}
		return w.now(ctx, "COMMIT")
	})
}

func (w *writer) dropDerived(ctx context.Context, set schema.Set) error {
	stay := projection(set)
	tables := durable
	if w.indexed {
		for _, o := range set.Index() {
			tables = append(tables[:len(tables):len(tables)], o.Name)
		}
	}
	keep := "'" + strings.Join(tables, "', '") + "'"
	for _, kind := range []struct{ drop, list string }{
		{"VIEW", "SELECT view_name FROM duckdb_views() WHERE database_name = 'w' AND NOT internal"},
		{"MACRO TABLE", "SELECT DISTINCT function_name FROM duckdb_functions() WHERE database_name = 'w' AND NOT internal AND function_type = 'table_macro'"},
		{"MACRO", "SELECT DISTINCT function_name FROM duckdb_functions() WHERE database_name = 'w' AND NOT internal AND function_type = 'macro'"},
		{"TABLE", "SELECT table_name FROM duckdb_tables() WHERE database_name = 'w' AND NOT internal AND table_name NOT IN (" + keep + ")"},
	} {
		names, err := w.strings(ctx, kind.list)
		if err != nil {
			return err
		}
		for _, name := range names {
			if kind.drop == "MACRO" && stay[name] {
				continue
			}
			if err := w.exec(ctx, "DROP "+kind.drop+" w.main."+quoteName(name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// projection lists the macros of layer 0, which have a fingerprint of their own and stay.
func projection(set schema.Set) map[string]bool {
	names := map[string]bool{}
	for _, o := range set {
		if o.Layer == 0 {
			names[o.Name] = true
			for _, part := range o.Parts {
				names[part] = true
			}
		}
	}
	return names
}

func (w *writer) create(ctx context.Context, o schema.Object) error {
	if err := w.exec(ctx, o.Create...); err != nil {
		return fmt.Errorf("%s: %w", o.File, err)
	}
	columns := o.Columns
	if o.Kind == schema.Macro {
		columns = nil
	}
	kinds := map[string]string{o.Name: strings.ToUpper(string(o.Kind))}
	for _, part := range o.Parts {
		kinds[part] = "MACRO"
	}
	for name := range kinds {
		for _, s := range o.Create {
			if strings.HasPrefix(s, "CREATE OR REPLACE MACRO "+name+"(") && strings.Contains(s, ") AS TABLE\n") {
				kinds[name] = "MACRO TABLE"
			}
		}
	}
	for _, part := range o.Parts {
		if err := w.comment(ctx, kinds[part], part, "Part of "+o.Name+".", nil); err != nil {
			return err
		}
	}
	return w.comment(ctx, kinds[o.Name], o.Name, o.Comment(), columns)
}

// comment attaches what a header says, in one round trip.
func (w *writer) comment(ctx context.Context, kind, name, text string, columns []schema.Column) error {
	var b strings.Builder
	if text != "" {
		fmt.Fprintf(&b, "COMMENT ON %s %s IS %s;\n", kind, quoteName(name), quote(text))
	}
	for _, c := range columns {
		fmt.Fprintf(&b, "COMMENT ON COLUMN %s.%s IS %s;\n", quoteName(name), quoteName(c.Name), quote(c.Description))
	}
	if b.Len() == 0 {
		return nil
	}
	if err := w.exec(ctx, b.String()); err != nil {
		return fmt.Errorf("comment on %s: %w", name, err)
	}
	return nil
}

func (w *writer) strings(ctx context.Context, query string) ([]string, error) {
	rows, err := w.query(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, rows.Err()
}
