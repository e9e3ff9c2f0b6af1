package warehouse

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	duckdb "github.com/duckdb/duckdb-go/v2"

	"warehouse/queries"
)

// The rules are:
//
//   - A parameter reaches SQL as the value of a variable, never as text of a statement.
//   - A script runs on one connection; its last statement is the result.
//   - DuckDB lets SQL write to the very file it has open, whatever else is locked, so statements
//     that write files are refused here by their kind, of which DuckDB's parser is the judge.
//   - Columns of type JSON are handed out as their text: the driver would decode them, and lose
//     big numbers on the way.

// Column is a column of a result; Type is DuckDB's name of it, JSON included.
type Column struct {
	Name string
	Type string
}

// Rows is a result. Values are what the duckdb driver returns, JSON as string.
type Rows struct {
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
	statements := splitSQL(script)
	if len(statements) == 0 {
		return nil, ErrNoStatement
	}
	last := len(statements) - 1
	for _, s := range statements[:last] {
		if err := r.allow(s); err != nil {
			return nil, err
		}
		if _, err := r.conn.ExecContext(ctx, s); err != nil {
			return nil, queryError(err)
		}
	}
	if err := r.allow(statements[last]); err != nil {
		return nil, err
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

// allowed are the kinds of statements that read, or change only what lives in memory. Of those
// that would change the warehouse DuckDB itself says that it is read-only.
var allowed = map[duckdb.StmtType]bool{
	duckdb.STATEMENT_TYPE_SELECT:       true,
	duckdb.STATEMENT_TYPE_RELATION:     true,
	duckdb.STATEMENT_TYPE_PRAGMA:       true,
	duckdb.STATEMENT_TYPE_CALL:         true,
	duckdb.STATEMENT_TYPE_SET:          true,
	duckdb.STATEMENT_TYPE_VARIABLE_SET: true,
	duckdb.STATEMENT_TYPE_TRANSACTION:  true,
	duckdb.STATEMENT_TYPE_CREATE:       true,
	duckdb.STATEMENT_TYPE_CREATE_FUNC:  true,
	duckdb.STATEMENT_TYPE_ALTER:        true,
	duckdb.STATEMENT_TYPE_DROP:         true,
	duckdb.STATEMENT_TYPE_INSERT:       true,
	duckdb.STATEMENT_TYPE_UPDATE:       true,
	duckdb.STATEMENT_TYPE_DELETE:       true,
	duckdb.STATEMENT_TYPE_VACUUM:       true,
	duckdb.STATEMENT_TYPE_ANALYZE:      true,
}

// explained is the beginning of an EXPLAIN of a query; EXPLAIN ANALYZE runs what it explains.
var explained = regexp.MustCompile(`(?is)^EXPLAIN(\s+ANALYZE)?(\s*\(\s*(ANALYZE|FORMAT)[^()]*\))?\s*\(*\s*(SELECT|FROM|WITH|VALUES|TABLE)\b`)

// allow refuses a statement that could write a file. Preparing it runs nothing, and fails for a
// text of several statements.
func (r *Reader) allow(statement string) error {
	var kind duckdb.StmtType
	err := r.conn.Raw(func(c any) error {
		stmt, err := c.(*duckdb.Conn).Prepare(statement)
		if err != nil {
			return err
		}
		defer stmt.Close()
		kind, err = stmt.(*duckdb.Stmt).StatementType()
		return err
	})
	if err != nil {
		return queryError(err)
	}
	if allowed[kind] || kind == duckdb.STATEMENT_TYPE_EXPLAIN && explained.MatchString(statement) {
		return nil
	}
	word, _, _ := strings.Cut(strings.Join(strings.Fields(statement), " "), " ")
	return queryError(fmt.Errorf("%.20s statements are disabled by configuration", strings.ToUpper(word)))
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

// ErrParameter is returned for a parameter that a report does not declare or whose value does
// not fit its type; the message says which.
var ErrParameter = errors.New("parameter")

// Run runs a report with parameters given as text. now is what relative times count from.
func (r *Reader) Run(ctx context.Context, q queries.Query, values map[string]string, now time.Time) (*Rows, error) {
	for name := range values {
		if _, ok := q.Param(name); !ok {
			return nil, declared(q, fmt.Sprintf("no parameter %q", name))
		}
	}
	for _, p := range q.Params {
		text, given := values[p.Name]
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
	return r.Query(ctx, q.SQL)
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
		names = append(names, p.Name+" ("+strings.ToLower(p.Type)+")")
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

// splitSQL cuts a script at the semicolons that are not inside a string, a quoted name or a comment.
func splitSQL(script string) []string {
	var out []string
	start, blank := 0, true
	for i := 0; i < len(script); {
		rest := script[i:]
		skip := 1
		switch c := script[i]; {
		case c == '\'' || c == '"':
			skip = quotedLength(rest, c)
			blank = false
		case strings.HasPrefix(rest, "--"):
			skip = until(rest, "\n")
		case strings.HasPrefix(rest, "/*"):
			skip = 2 + until(rest[2:], "*/")
		case c == '$':
			if tag := dollarTag.FindString(rest); tag != "" {
				skip = len(tag) + until(rest[len(tag):], tag)
			}
			blank = false
		case c == ';':
			if !blank {
				out = append(out, strings.TrimSpace(script[start:i]))
			}
			start, blank = i+1, true
		case c != ' ' && c != '\n' && c != '\t' && c != '\r':
			blank = false
		}
		i += skip
	}
	if !blank {
		out = append(out, strings.TrimSpace(script[start:]))
	}
	return out
}

var dollarTag = regexp.MustCompile(`^\$([A-Za-z_][A-Za-z0-9_]*)?\$`)

// until returns the length of s up to and with the first end, or all of it.
func until(s, end string) int {
	if i := strings.Index(s, end); i >= 0 {
		return i + len(end)
	}
	return len(s)
}

// quotedLength is the length of a quoted run at the start of s, doubled quotes included.
func quotedLength(s string, quote byte) int {
	for i := 1; i < len(s); i++ {
		if s[i] != quote {
			continue
		}
		if i+1 < len(s) && s[i+1] == quote {
			i++
			continue
		}
		return i + 1
	}
	return len(s)
}
