package schema

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Seeded tables: facts that the program brings in a CSV file beside the table's SQL file, and to
// which a person adds rows in a CSV file of the same form.
//
// The rules are:
//
//   - The columns of the CSV are those of CREATE TABLE but the last, source, which says whose row
//     it is. The first line names them, in any order; those that may be NULL or have a default can
//     be left out.
//   - Text and dates that are NOT NULL are the key: no two rows of a file have the same one.
//   - Numbers are plain and not negative; what does not fit its column is an error, never rounded.
//   - An empty field is the column's default, else NULL.

// SeedRow is a row of a seeded table as SQL literals, in the order of the table's columns.
type SeedRow []string

// The values of column source.
const (
	BuiltIn = "built-in"
	Own     = "own"
)

type seedColumn struct {
	name, kind   string
	size, scale  int // digits of a DECIMAL, and those behind the point
	notNull      bool
	defaultValue string
}

var (
	seedColumnRow = regexp.MustCompile(`^ +([a-z][a-z0-9_]*) +(VARCHAR|DATE|BIGINT|DECIMAL\((\d+), (\d+)\))( NOT NULL)?( DEFAULT '([^']*)')?,?$`)
	plainNumber   = regexp.MustCompile(`^(\d+)(?:\.(\d+))?$`)
)

// seedColumns reads the columns out of CREATE TABLE.
func (o Object) seedColumns() ([]seedColumn, error) {
	var columns []seedColumn
	lines := strings.Split(o.Create[0], "\n")
	for _, line := range lines[1 : len(lines)-1] {
		m := seedColumnRow.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("%s: column of a seeded table: %q", o.File, strings.TrimSpace(line))
		}
		c := seedColumn{name: m[1], kind: m[2], notNull: m[5] != "", defaultValue: m[7]}
		if m[3] != "" {
			c.kind = "DECIMAL"
			c.size, _ = strconv.Atoi(m[3])
			c.scale, _ = strconv.Atoi(m[4])
		}
		columns = append(columns, c)
	}
	if last := len(columns) - 1; last < 1 || columns[last].name != "source" {
		return nil, fmt.Errorf("%s: last column of a seeded table is not source", o.File)
	}
	return columns[:len(columns)-1], nil
}

// SeedRows reads rows for a seeded table from the text of a CSV file. Errors name the file as
// given and the line.
func (o Object) SeedRows(file, text, source string) ([]SeedRow, error) {
	columns, err := o.seedColumns()
	if err != nil {
		return nil, err
	}
	r := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff")))
	head, err := r.Read()
	if err == io.EOF {
		return nil, fmt.Errorf("%s: empty, want a line with the names of columns: %s", file, seedNames(columns))
	}
	if err != nil {
		return nil, seedSyntax(file, err)
	}
	at, err := seedHead(columns, head)
	if err != nil {
		return nil, fmt.Errorf("%s:1: %w", file, err)
	}
	var rows []SeedRow
	lines := map[string]int{} // by key
	for {
		fields, err := r.Read()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return nil, seedSyntax(file, err)
		}
		line, _ := r.FieldPos(0)
		var row SeedRow
		var key []string
		for i, c := range columns {
			value := ""
			if at[i] >= 0 {
				value = strings.TrimSpace(fields[at[i]])
			}
			literal, err := c.literal(value)
			if err != nil {
				return nil, fmt.Errorf("%s:%d: %s: %w", file, line, c.name, err)
			}
			row = append(row, literal)
			if c.notNull && (c.kind == "VARCHAR" || c.kind == "DATE") {
				key = append(key, c.name+" "+literal)
			}
		}
		k := strings.Join(key, ", ")
		if was, ok := lines[k]; ok {
			return nil, fmt.Errorf("%s:%d: %s is on line %d already", file, line, k, was)
		}
		lines[k] = line
		rows = append(rows, append(row, "'"+source+"'"))
	}
}

// seedHead finds each column in the first line, -1 where it is left out.
func seedHead(columns []seedColumn, head []string) ([]int, error) {
	for i := range head {
		head[i] = strings.TrimSpace(head[i])
	}
	for i, name := range head {
		switch {
		case !slices.ContainsFunc(columns, func(c seedColumn) bool { return c.name == name }):
			return nil, fmt.Errorf("unknown column %q; the columns are %s", name, seedNames(columns))
		case slices.Index(head, name) != i:
			return nil, fmt.Errorf("column %q stands there twice", name)
		}
	}
	at := make([]int, len(columns))
	for i, c := range columns {
		at[i] = slices.Index(head, c.name)
		if at[i] < 0 && c.notNull && c.defaultValue == "" {
			return nil, fmt.Errorf("no column %q; the columns are %s", c.name, seedNames(columns))
		}
	}
	return at, nil
}

func seedNames(columns []seedColumn) string {
	var names []string
	for _, c := range columns {
		names = append(names, c.name)
	}
	return strings.Join(names, ", ")
}

func seedSyntax(file string, err error) error {
	var syntax *csv.ParseError
	if errors.As(err, &syntax) {
		return fmt.Errorf("%s:%d: %w", file, syntax.Line, syntax.Err)
	}
	return fmt.Errorf("%s: %w", file, err)
}

// literal returns a field as SQL.
func (c seedColumn) literal(value string) (string, error) {
	if value == "" {
		value = c.defaultValue
	}
	if value == "" {
		if c.notNull {
			return "", errors.New("empty")
		}
		return "NULL", nil
	}
	number := plainNumber.FindStringSubmatch(value)
	switch {
	case c.kind == "VARCHAR":
		return "'" + strings.ReplaceAll(value, "'", "''") + "'", nil
	case c.kind == "DATE":
		if _, err := time.Parse(time.DateOnly, value); err != nil {
			return "", fmt.Errorf("got %q, want a day such as 2026-11-30", value)
		}
		return "DATE '" + value + "'", nil
	case strings.HasPrefix(value, "-"):
		return "", fmt.Errorf("got %q, want a number that is not negative", value)
	case number == nil:
		return "", fmt.Errorf("got %q, want a number", value)
	case c.kind == "BIGINT":
		if _, err := strconv.ParseInt(value, 10, 64); err != nil {
			return "", fmt.Errorf("got %q, want a whole number", value)
		}
	case len(strings.TrimLeft(number[1], "0")) > c.size-c.scale:
		return "", fmt.Errorf("got %q, want at most %d digits before the point", value, c.size-c.scale)
	case len(strings.TrimRight(number[2], "0")) > c.scale:
		return "", fmt.Errorf("got %q, want at most %d digits behind the point", value, c.scale)
	}
	return value, nil
}
