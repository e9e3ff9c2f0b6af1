package warehouse

import (
	"database/sql"
	"fmt"
	"sort"
	"strings"
	"testing"
)

// Comparing two warehouses, as any client would: both files attached read-only to an empty
// database of the plain driver.
//
// The rules are:
//
//   - Every table, every view and every macro is compared; the list is read from the files.
//   - Rows are compared as multisets. Two sums of hashes first, which cost one reading of each
//     side; where those differ, EXCEPT ALL both ways names the rows.
//   - Left out are the columns that say when or in which refresh something happened, and nothing
//     else: they differ between two ways to the same state by their meaning. So do the numbers of
//     passages: postings are compared by what the number stands for.

// occasions are the columns that tell the way, not the state.
var occasions = map[string]bool{
	"generation": true, "first_generation": true, "vanished_at": true, "refreshed_at": true, "warehouse_id": true,
	// The state of the hash holds bytes that are no longer part of it; prefix_hash is compared.
	"hash_state": true,
	"passage_id": true,
	// When rules came, and what was there then.
	"forgotten_at": true, "forgotten_files": true, "forgotten_lines": true,
}

// uncompared are the table of the migration tool, and how the word index is cut into rows.
var uncompared = map[string]bool{"goose_db_version": true, "posting_lists": true, "index_runs": true}

// identified are relations with what their numbers stand for.
var identified = map[string]string{
	"postings": "(SELECT term, p.kind, impact, source_file, source_line, item_index, passage_number FROM %[1]s.main.postings AS p LEFT JOIN %[1]s.main.passages USING (passage_id))",
}

// compareWarehouses reports every difference between the files and returns the number of
// relations it compared.
func compareWarehouses(t testing.TB, got, want string) int {
	t.Helper()
	db := attachBoth(t, got, want)
	defer db.Close() // its locks are the process's
	compareDefinitions(t, db)
	return compareRelations(t, db, func(string) bool { return true })
}

// compareTables leaves out the views, which take most of the time and follow from the tables: but for
// those that hang on the order of rows, and so they are compared at the end of each sequence of
// TestSameAnswer.
func compareTables(t testing.TB, got, want string) int {
	t.Helper()
	db := attachBoth(t, got, want)
	defer db.Close() // its locks are the process's
	compareDefinitions(t, db)
	rows, err := db.Query("SELECT table_name FROM duckdb_tables() WHERE database_name = 'want'")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	tables := map[string]bool{}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		tables[name] = true
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return compareRelations(t, db, func(name string) bool { return tables[name] })
}

// attachBoth is an empty database that sees the files as got and want.
func attachBoth(t testing.TB, got, want string) *sql.DB {
	t.Helper()
	db := plainDuckDB(t)
	db.SetMaxOpenConns(1)
	for alias, path := range map[string]string{"got": got, "want": want} {
		if _, err := db.Exec("ATTACH " + quote(path) + " AS " + alias + " (READ_ONLY)"); err != nil {
			t.Fatalf("attach %s: %v", alias, err)
		}
	}
	return db
}

func compareRelations(t testing.TB, db *sql.DB, in func(name string) bool) int {
	t.Helper()
	relations := columnsOf(t, db, "want")
	names := make([]string, 0, len(relations))
	for name := range relations {
		if !uncompared[name] && in(name) {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	for _, name := range names {
		compareRelation(t, db, name, relations[name])
	}
	return len(names)
}

// compareDefinitions compares names, types, comments and texts of everything in the files. DuckDB
// prints the names behind EXCLUDE in an order of its own each time.
func compareDefinitions(t testing.TB, db *sql.DB) {
	t.Helper()
	const definitions = `(
		SELECT 'column' AS kind, table_name AS name, column_name AS part, column_index::VARCHAR AS position, data_type AS text, comment
		FROM duckdb_columns() WHERE database_name = '%[1]s'
		UNION ALL
		SELECT 'view', view_name, '', '', regexp_replace(sql, 'EXCLUDE \([^)]*\)', 'EXCLUDE', 'g'), comment FROM duckdb_views() WHERE database_name = '%[1]s'
		UNION ALL
		SELECT 'table', table_name, '', '', '', comment FROM duckdb_tables() WHERE database_name = '%[1]s'
		UNION ALL
		SELECT function_type, function_name, parameters::VARCHAR, '', macro_definition, comment
		FROM duckdb_functions() WHERE database_name = '%[1]s'
	)`
	got, want := fmt.Sprintf(definitions, "got"), fmt.Sprintf(definitions, "want")
	for _, d := range difference(t, db, "FROM "+got, "FROM "+want) {
		t.Errorf("definitions differ: %s", d)
	}
}

type relationColumn struct{ name, kind string }

func columnsOf(t testing.TB, db *sql.DB, alias string) map[string][]relationColumn {
	t.Helper()
	rows, err := db.Query("SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE database_name = ? AND NOT internal ORDER BY table_name, column_index", alias)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	out := map[string][]relationColumn{}
	for rows.Next() {
		var table string
		var c relationColumn
		if err := rows.Scan(&table, &c.name, &c.kind); err != nil {
			t.Fatal(err)
		}
		out[table] = append(out[table], c)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func compareRelation(t testing.TB, db *sql.DB, name string, columns []relationColumn) {
	t.Helper()
	var list []string
	for _, c := range columns {
		switch {
		case occasions[c.name]:
		case strings.Contains(c.kind, "JSON"):
			list = append(list, quoteName(c.name)+"::"+strings.ReplaceAll(c.kind, "JSON", "VARCHAR")+" AS "+quoteName(c.name))
		default:
			list = append(list, quoteName(c.name))
		}
	}
	selected := "SELECT " + strings.Join(list, ", ") + " FROM "
	side := func(alias string) string {
		if text, ok := identified[name]; ok {
			return fmt.Sprintf("FROM "+text, alias)
		}
		return selected + alias + ".main." + quoteName(name)
	}
	digest := func(alias string) (rows int64, sum string) {
		t.Helper()
		err := db.QueryRow("SELECT count(*), coalesce(sum(hash(r)::HUGEINT), 0)::VARCHAR FROM ("+side(alias)+") AS r").Scan(&rows, &sum)
		if err != nil {
			t.Fatalf("%s of %s: %v", name, alias, err)
		}
		return rows, sum
	}
	gotRows, gotSum := digest("got")
	wantRows, wantSum := digest("want")
	if gotRows == wantRows && gotSum == wantSum {
		return
	}
	t.Errorf("%s differs: got %d rows, want %d", name, gotRows, wantRows)
	for _, d := range difference(t, db, side("got"), side("want")) {
		t.Errorf("%s: %s", name, d)
	}
}

// difference names some of the rows that one query returns more often than the other.
func difference(t testing.TB, db *sql.DB, got, want string) []string {
	t.Helper()
	var out []string
	for _, d := range []struct{ prefix, query string }{
		{"more than wanted: ", "SELECT d::VARCHAR FROM (" + got + " EXCEPT ALL " + want + ") AS d LIMIT 5"},
		{"missing: ", "SELECT d::VARCHAR FROM (" + want + " EXCEPT ALL " + got + ") AS d LIMIT 5"},
	} {
		rows, err := db.Query(d.query)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var s string
			if err := rows.Scan(&s); err != nil {
				t.Fatal(err)
			}
			out = append(out, d.prefix+fmt.Sprintf("%.1500s", s))
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		rows.Close()
	}
	return out
}

// generations are the ones that index_meta of some files says, 0 where it says not complete. The
// files must not be open in this process.
func generations(t testing.TB, paths ...string) (found []int64) {
	t.Helper()
	db := plainDuckDB(t)
	defer db.Close()
	db.SetMaxOpenConns(1)
	for i, path := range paths {
		var generation int64
		name := fmt.Sprint("f", i)
		if _, err := db.Exec("ATTACH " + quote(path) + " AS " + name + " (READ_ONLY)"); err != nil {
			t.Fatal(err)
		}
		if err := db.QueryRow("SELECT CASE WHEN is_complete THEN generation ELSE 0 END FROM " + name + ".main.index_meta").Scan(&generation); err != nil {
			t.Fatal(err)
		}
		found = append(found, generation)
	}
	return found
}
