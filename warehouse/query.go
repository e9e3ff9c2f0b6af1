package warehouse

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"warehouse/queries"
)

// The rules are:
//
//   - A parameter reaches SQL as the value of a variable, never as text of a statement.
//   - A script runs on one connection; its last statement is the result. The notes of a report run
//     behind its rows on the same one, where the variables are set.
//   - Columns of type JSON are handed out as their text: the driver would decode them, and lose
//     big numbers on the way.

// Column is a column of a result; Type is DuckDB's name of it, JSON included.
type Column struct {
	Name string
	Type string
}

// Rows is a result. Values are what the duckdb driver returns, JSON as string.
type Rows struct {
	// Limit is the value of the report's parameter limit, 0 where there is none: as many rows may
	// not be all.
	Limit int64
	// Warnings are what a person should know of files that a report read beside the warehouse.
	Warnings []string

	rows    *sql.Rows
	columns []Column
	dest    []any
}

// Columns describes the result.
func (r *Rows) Columns() []Column { return r.columns }

// Next returns a row, or io.EOF behind the last one.
func (r *Rows) Next() ([]any, error) {
	if !r.rows.Next() {
		if err := r.rows.Err(); err != nil {
			return nil, engineError(err)
		}
		return nil, io.EOF
	}
	values := make([]any, len(r.columns))
	for i := range values {
		r.dest[i] = &values[i]
	}
	if err := r.rows.Scan(r.dest...); err != nil {
		return nil, engineError(err)
	}
	return values, nil
}

// Close ends the result early.
func (r *Rows) Close() error { return r.rows.Close() }

// ErrNoStatement is returned for a script of blanks, comments and semicolons.
var ErrNoStatement = errors.New("no statement")

// Query runs a script of one or more statements and returns the result of the last.
func (r *Reader) Query(ctx context.Context, script string) (*Rows, error) {
	statements := queries.Split(script)
	if len(statements) == 0 {
		return nil, ErrNoStatement
	}
	last := len(statements) - 1
	for _, s := range statements[:last] {
		if _, err := r.conn.ExecContext(ctx, s); err != nil {
			return nil, queryError(err)
		}
	}
	statement, columns := r.describe(ctx, statements[last])
	rows, err := r.conn.QueryContext(ctx, statement)
	if err != nil {
		return nil, queryError(err)
	}
	if columns == nil {
		types, err := rows.ColumnTypes()
		if err != nil {
			rows.Close()
			return nil, engineError(err)
		}
		for _, t := range types {
			columns = append(columns, Column{t.Name(), t.DatabaseTypeName()})
		}
	}
	return &Rows{rows: rows, columns: columns, dest: make([]any, len(columns))}, nil
}

// describe returns a statement with its JSON columns cast to text, and the columns as they were;
// no columns where the statement is not a query.
func (r *Reader) describe(ctx context.Context, statement string) (string, []Column) {
	rows, err := r.conn.QueryContext(ctx, "SELECT column_name, column_type FROM (DESCRIBE "+statement+"\n)")
	if err != nil {
		return statement, nil
	}
	defer rows.Close()
	var columns []Column
	json := false
	for rows.Next() {
		var c Column
		if rows.Scan(&c.Name, &c.Type) != nil {
			return statement, nil
		}
		columns = append(columns, c)
		json = json || strings.Contains(c.Type, "JSON")
	}
	if rows.Err() != nil || !json {
		return statement, nil
	}
	names, out := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		names[i] = fmt.Sprintf("c%d", i)
		out[i] = names[i]
		switch {
		case c.Type == "JSON":
			out[i] += "::VARCHAR"
		case strings.Contains(c.Type, "JSON"):
			out[i] += "::" + strings.ReplaceAll(c.Type, "JSON", "VARCHAR")
		}
		out[i] += " AS " + quoteName(c.Name)
	}
	return "SELECT " + strings.Join(out, ", ") + " FROM (" + statement + "\n) AS q(" + strings.Join(names, ", ") + ")", columns
}

// ErrParameter is returned for a parameter that a report does not declare, that it requires and
// was not given, or whose value does not fit its type; the message says which.
var ErrParameter = errors.New("parameter")

// sets notes that a script sets a variable.
func (r *Reader) sets(name string) {
	if r.variables == nil {
		r.variables = map[string]bool{}
	}
	r.variables[name] = true
}

// Run runs a report with parameters given as text. now is what relative times count from.
func (r *Reader) Run(ctx context.Context, q queries.Query, values map[string]string, now time.Time) (*Rows, error) {
	for name := range values {
		if _, ok := q.Param(name); !ok {
			return nil, declared(q, fmt.Sprintf("no parameter %q", name))
		}
	}
	var limit int64
	for _, p := range q.Params {
		text, given := values[p.Name]
		if !given && p.Required() {
			return nil, declared(q, fmt.Sprintf("parameter %s is missing", p.Name))
		}
		if p.Name == "limit" {
			var err error
			if limit, err = r.limit(ctx, p, text, given); err != nil {
				return nil, err
			}
		}
		// A report that ran before on this connection left its values, and its defaults.
		if r.variables[p.Name] && !given {
			if _, err := r.conn.ExecContext(ctx, "RESET VARIABLE "+quoteName(p.Name)); err != nil {
				return nil, engineError(err)
			}
		}
		r.sets(p.Name)
		if !given {
			continue
		}
		if p.Type == "TIMESTAMPTZ" {
			text = moment(text, p.Name == "until", now)
		}
		var fits bool
		if err := r.conn.QueryRowContext(ctx, "SELECT try_cast(?::VARCHAR AS "+p.Type+") IS NOT NULL", text).Scan(&fits); err != nil {
			return nil, engineError(err)
		}
		if !fits {
			return nil, declared(q, fmt.Sprintf("parameter %s is %s, not %q", p.Name, p.Type, values[p.Name]))
		}
		if _, err := r.conn.ExecContext(ctx, "SET VARIABLE "+quoteName(p.Name)+" = "+quote(text)); err != nil {
			return nil, engineError(err)
		}
	}
	var warnings []string
	for _, s := range q.Reads {
		more, err := r.fill(ctx, s.Name, values)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", q.Name, err)
		}
		for _, w := range more {
			if !slices.Contains(warnings, w) {
				warnings = append(warnings, w)
			}
		}
	}
	rows, err := r.Query(ctx, q.Rows())
	if err != nil {
		return nil, err
	}
	rows.Limit, rows.Warnings = limit, warnings
	return rows, nil
}

// limit is the value of a parameter that says how many rows to show. Text that is no number is
// refused later, where it is given, and no limit where it is the default.
func (r *Reader) limit(ctx context.Context, p queries.Param, text string, given bool) (int64, error) {
	if !given {
		text = p.Default
	}
	var n sql.NullInt64
	err := r.conn.QueryRowContext(ctx, "SELECT try_cast(try_cast(?::VARCHAR AS "+p.Type+") AS BIGINT)", text).Scan(&n)
	if err != nil {
		return 0, engineError(err)
	}
	return n.Int64, nil
}

// Notes runs the notes of a report that Run has run on this connection, and returns their lines.
// Its rows have to be read to their end or closed before.
func (r *Reader) Notes(ctx context.Context, q queries.Query) ([]string, error) {
	if q.Notes == "" {
		return nil, nil
	}
	rows, err := r.Query(ctx, q.Notes)
	if err != nil {
		return nil, fmt.Errorf("notes of %s: %w", q.Name, err)
	}
	defer rows.Close()
	if n := len(rows.columns); n != 1 {
		return nil, fmt.Errorf("notes of %s: %d columns, want one of text", q.Name, n)
	}
	var lines []string
	for {
		values, err := rows.Next()
		switch {
		case err == io.EOF:
			return lines, nil
		case err != nil:
			return nil, fmt.Errorf("notes of %s: %w", q.Name, err)
		}
		switch v := values[0].(type) {
		case nil: // a note that does not apply
		case string:
			lines = append(lines, v)
		default:
			return nil, fmt.Errorf("notes of %s: %T, want text", q.Name, v)
		}
	}
}

func declared(q queries.Query, what string) error {
	return WithHint(fmt.Errorf("%s: %s%w", q.Name, what, silent{ErrParameter}), Declared(q))
}

// Declared says which parameters a report takes.
func Declared(q queries.Query) string {
	if len(q.Params) == 0 {
		return q.Name + ": it takes no parameters"
	}
	var names []string
	for _, p := range q.Params {
		text := p.Name + " (" + strings.ToLower(p.Type)
		if p.Required() {
			text += ", required"
		}
		names = append(names, text+")")
	}
	return q.Name + ": it takes " + strings.Join(names, ", ")
}

// silent wraps a sentinel that adds nothing to the message.
type silent struct{ error }

func (silent) Error() string   { return "" }
func (s silent) Unwrap() error { return s.error }

var (
	relative = regexp.MustCompile(`^([0-9]{1,6})(m|h|d|w)$`)
	bareDate = regexp.MustCompile(`^[0-9]{4}-[0-9]{2}-[0-9]{2}$`)
)

// moment turns 30m, 12h, 7d or 2w into that long before now, and the bare date of an upper bound
// into the end of its day. Everything else is left for DuckDB to read in the session's zone.
func moment(text string, upper bool, now time.Time) string {
	if m := relative.FindStringSubmatch(text); m != nil {
		var n int
		fmt.Sscan(m[1], &n)
		switch m[2] {
		case "m":
			now = now.Add(-time.Duration(n) * time.Minute)
		case "h":
			now = now.Add(-time.Duration(n) * time.Hour)
		case "d":
			now = now.AddDate(0, 0, -n)
		case "w":
			now = now.AddDate(0, 0, -7*n)
		}
		return now.UTC().Format("2006-01-02 15:04:05.000000+00")
	}
	if upper && bareDate.MatchString(text) {
		return text + " 23:59:59.999999"
	}
	return text
}

func queryError(err error) error {
	text := err.Error()
	e := engineError(err)
	switch {
	case strings.Contains(text, "read-only mode"), strings.Contains(text, "read only"):
		return WithHint(e, "the warehouse is read-only; keep tables of your own in another database and attach it: ATTACH '<file>' (READ_ONLY)")
	case strings.Contains(text, "disabled by configuration"), strings.Contains(text, "configuration has been locked"):
		return WithHint(e, "SQL here reaches the warehouse only; for files use: duckdb -readonly \"$(warehouse path)\"")
	case strings.Contains(text, "Table with name"):
		return WithHint(e, "list views and tables with: warehouse schema")
	case strings.Contains(text, "Referenced column"):
		return WithHint(e, "list the columns of a view with: warehouse schema NAME")
	}
	return e
}
