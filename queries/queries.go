// Package queries holds the canned reports, one file each, and reads their headers.
//
// The rules are:
//
//   - The file's name is the report's name: tool-errors.sql is "tool-errors".
//   - The header is the leading comment: a title with the grain that ends with a full stop, text,
//     "Columns:", where they apply "Totals: column, column", "Chart: label, value" and
//     "Reads: name, name", and "Example:" or "Examples:".
//   - A parameter is declared where it executes, on a SET VARIABLE line of its own, before the
//     first statement. The line gives name, type, default and description; nothing restates them.
//     A parameter without default whose description ends in "(required)" has to be given to the
//     command; where the file is pasted it is NULL, as others are.
//   - A name means the same, with the same type, in every file.
//   - What a report needs of files beside the warehouse the program reads, never SQL: the header
//     names it ("Reads:"), and it arrives in a variable of that name, which the file declares like a
//     parameter with an empty default (reads.go).
//   - Behind the statement that gives the rows, directly below it, there may be a second one: the
//     notes. It begins with SELECT at the start of a line and gives one column of text; each of
//     its rows is a line below a table, a chart or Markdown. Formats for programs do not run it.
//     Nothing stands behind it.
//   - A near-miss is an error naming file and line, since a declaration that is quietly taken for
//     something else gives a report that ignores what was asked.
//
// A person's own file is read by the same rules, but needs no header. Several statements in it are
// a script, whose last one gives the rows; only a file that describes its columns and is laid out
// as above has notes, so that a copy of a report prints what the report does. Files can be pasted
// into `duckdb -readonly` as they are.
package queries

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed *.sql
var files embed.FS

// Query is one report.
type Query struct {
	Name        string
	Title       string // first line: what it shows, with the grain
	Description string // paragraphs with a blank line between them
	Columns     []Column
	Totals      []string // columns summed below a table
	Chart       Chart    // zero without one
	Examples    []string // command lines; a continued one holds line ends
	Reads       []Source // what the program reads beside the warehouse
	Params      []Param  // in the order of the file
	SQL         string   // the whole file
	Body        string   // what follows the last parameter: the statements to run
	Notes       string   // end of the file from the second statement on, empty without one
	Disk        bool     // a person's own file, not an embedded one
	HeaderError error    // why the leading comment of a person's own file is taken for no header
}

// Rows is the file without the notes: the script whose last statement gives the rows.
func (q Query) Rows() string { return strings.TrimSuffix(q.SQL, q.Notes) }

// Chart names the columns that are drawn as bars.
type Chart struct {
	Label string
	Value string
}

// Column is a documented column of the result.
type Column struct {
	Name        string
	Description string
}

// Param is a declared parameter. Its value is given as text, before the declaring line casts it.
type Param struct {
	Name        string
	Type        string
	Default     string
	HasDefault  bool // without a default the value is NULL
	Description string
	Line        int
}

// Required tells whether the command cannot do without a value.
func (p Param) Required() bool {
	return !p.HasDefault && strings.HasSuffix(p.Description, "(required)")
}

// Param returns the declaration of a parameter.
func (q Query) Param(name string) (Param, bool) {
	for _, p := range q.Params {
		if p.Name == name {
			return p, true
		}
	}
	return Param{}, false
}

var embedded = sync.OnceValues(func() ([]Query, error) { return load(files) })

// All returns the embedded reports, sorted by name. With an error it still returns those that
// could be read.
func All() ([]Query, error) {
	all, err := embedded()
	return slices.Clone(all), err
}

// Lookup returns an embedded report.
func Lookup(name string) (Query, bool) {
	all, _ := embedded()
	for _, q := range all {
		if q.Name == name {
			return q, true
		}
	}
	return Query{}, false
}

func load(fsys fs.FS) ([]Query, error) {
	names, err := fs.Glob(fsys, "*.sql")
	if err != nil {
		return nil, err
	}
	slices.SortFunc(names, func(a, b string) int {
		return strings.Compare(strings.TrimSuffix(a, ".sql"), strings.TrimSuffix(b, ".sql"))
	})
	var all []Query
	var errs []error
	for _, name := range names {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		q, err := Parse(name, string(text))
		if err != nil {
			errs = append(errs, err)
			continue
		}
		all = append(all, q)
	}
	return all, errors.Join(append(errs, agree(all))...)
}

// agree holds that a parameter is declared alike in every report. Defaults may differ, but not
// whether there is one: a report without one has to deal with NULL.
func agree(all []Query) error {
	type place struct {
		file string
		Param
	}
	first := map[string]place{}
	var errs []error
	for _, q := range all {
		for _, p := range q.Params {
			file := q.Name + ".sql"
			was, seen := first[p.Name]
			switch {
			case !seen:
				first[p.Name] = place{file, p}
			case was.Type != p.Type:
				errs = append(errs, fmt.Errorf("%s:%d: parameter %q is %s, but %s in %s:%d",
					file, p.Line, p.Name, p.Type, was.Type, was.file, was.Line))
			}
		}
	}
	return errors.Join(errs...)
}

// stem is the report's name in a file's name.
func stem(file string) string {
	base := path.Base(file)
	if ext := path.Ext(base); ext != "" && ext != base {
		return base[:len(base)-len(ext)]
	}
	return base
}
