// Reading one report.
//
// The rules are:
//
//   - Lines decide. A parameter is one line in one of two shapes; what looks like one and is in
//     neither is an error, wherever it stands.
//   - Text of a person's own header is taken as it comes: a comment that is no header is still a
//     comment. Parameters are held to the shapes there too.
//   - No SQL is understood besides the shapes and where a statement ends: what else is wrong,
//     DuckDB says when it runs.

package queries

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// types a parameter can have. A list would need a cast of its own from the text it is given as.
var types = []string{"TIMESTAMPTZ", "DATE", "INTEGER", "BIGINT", "DOUBLE", "VARCHAR", "BOOLEAN"}

// reserved are the words DuckDB 1.5 does not take as a variable's name without quotes, from
// duckdb_keywords(). SET VARIABLE limit is a syntax error; SET VARIABLE "limit" sets what
// getvariable('limit') reads.
var reserved = strings.Fields(`all analyse analyze and anti any array as asc asof asymmetric at
	authorization binary both by case cast check collate collation column columns concurrently
	constraint create cross default deferrable desc describe distinct do else end except false
	fetch for foreign freeze from full generated glob group having ilike in initially inner
	intersect into is isnull join lambda lateral leading left like limit map natural not notnull
	null offset on only or order outer overlaps pivot pivot_longer pivot_wider placing positional
	primary qualify references returning right select semi show similar some struct summarize
	symmetric table tablesample then to trailing true try_cast union unique unpack unpivot using
	variadic verbose when where window with`)

var (
	queryName    = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*$`)
	looksLike    = regexp.MustCompile(`(?i)^\s*set[\s_]*variables?\b`)
	paramShape   = regexp.MustCompile(`^SET VARIABLE ("?)([a-z][a-z0-9_]*)("?) += (?:coalesce\(getvariable\('([^']*)'\), '((?:[^']|'')*)'\)|getvariable\('([^']*)'\))::([^\s;]+);(.*)$`)
	described    = regexp.MustCompile(`^ +-- (\S.*)$`)
	leading      = regexp.MustCompile(`^(?:\s+|--[^\n]*(?:\n|$))*`)
	givesRows    = regexp.MustCompile(`(?i)^(with|select|from)\b`)
	notesBegin   = regexp.MustCompile(`^SELECT\s`)
	nearRequired = regexp.MustCompile(`(?i)[(\[]?required\W*$`)
	getVariable  = regexp.MustCompile(`(?i)\bgetvariable\('((?:[^']|'')*)'\)`)
)

const shapes = `want SET VARIABLE name = coalesce(getvariable('name'), 'default')::TYPE;   -- description, or the same with getvariable('name')::TYPE`

// Parse reads a report that must have a header. Errors name the file, which is name with ".sql".
func Parse(name, text string) (Query, error) {
	name = strings.TrimSuffix(name, ".sql")
	p := parser{file: name + ".sql", strict: true}
	if !queryName.MatchString(name) {
		return Query{}, fmt.Errorf("%s: name is not lower-case words with hyphens between them", p.file)
	}
	return p.parse(Query{Name: name, SQL: text})
}

// ParseUser reads a person's own file. Errors name it as it was given.
func ParseUser(file, text string) (Query, error) {
	p := parser{file: file}
	// Some editors begin a file with a byte order mark, which would hide the first line's kind.
	text = strings.TrimPrefix(text, "\ufeff")
	return p.parse(Query{Name: stem(file), SQL: text, Disk: true})
}

type parser struct {
	file   string
	strict bool
}

func (p parser) errorf(line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: "+format, append([]any{p.file, line}, args...)...)
}

func (p parser) parse(q Query) (Query, error) {
	lines := strings.Split(q.SQL, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " \t\r")
	}
	n := 0
	for n < len(lines) && strings.HasPrefix(lines[n], "--") {
		n++
	}
	if err := p.header(&q, lines[:n]); err != nil {
		if p.strict {
			return Query{}, err
		}
		q = Query{Name: q.Name, Title: plainTitle(lines[:n]), SQL: q.SQL, Disk: true, HeaderError: err}
	}

	declared := map[string]int{} // lines of variables
	bodyAt := n                  // index of the line behind the last parameter
	first := -1                  // index of the first statement
	for i := n; i < len(lines); i++ {
		switch line := lines[i]; {
		case looksLike.MatchString(line):
			if first >= 0 {
				return Query{}, p.errorf(i+1, "SET VARIABLE behind the first statement, which is on line %d", first+1)
			}
			param, err := p.param(i+1, line)
			if err != nil {
				return Query{}, err
			}
			if was, ok := declared[param.Name]; ok {
				return Query{}, p.errorf(i+1, "parameter %q is declared on line %d already", param.Name, was)
			}
			declared[param.Name] = i + 1
			bodyAt = i + 1
			given, err := q.given(param)
			if err != nil {
				return Query{}, p.errorf(i+1, "%w", err)
			}
			if !given {
				q.Params = append(q.Params, param)
			}
		case first < 0 && line != "" && !strings.HasPrefix(strings.TrimSpace(line), "--"):
			first = i
		}
	}
	if first < 0 {
		return Query{}, p.errorf(len(lines), "no statement")
	}
	for i := first; i < len(lines); i++ {
		code, _, _ := strings.Cut(lines[i], "--")
		for _, m := range getVariable.FindAllStringSubmatch(code, -1) {
			if _, ok := declared[m[1]]; !ok {
				return Query{}, p.errorf(i+1, "parameter %q is read, but no SET VARIABLE line declares it", m[1])
			}
		}
	}
	for _, s := range q.Reads {
		if _, ok := declared[s.Name]; !ok {
			return Query{}, p.errorf(first+1, "%q is in \"Reads:\", but no line declares it: want %s", s.Name, s.Line())
		}
	}
	q.Body = q.SQL
	for range bodyAt {
		_, q.Body, _ = strings.Cut(q.Body, "\n")
	}
	q.Body = strings.TrimLeft(q.Body, " \t\r\n")
	notes, err := p.notes(q)
	if err != nil && p.strict {
		return Query{}, err
	}
	if err == nil && len(q.Columns) > 0 {
		q.Notes = notes
	}
	return q, nil
}

// notes returns the text from the second of two statements on, and an error where more than one is
// not laid out as rows and notes.
func (p parser) notes(q Query) (string, error) {
	parts := split(q.Body)
	if len(parts) < 2 {
		return "", nil
	}
	at := make([]int, len(parts)) // where each one begins in the file, behind the comment before it
	for i, part := range parts {
		at[i] = len(q.SQL) - len(q.Body) + part[0]
		at[i] += len(leading.FindString(q.SQL[at[i]:]))
	}
	line := func(i int) int { return strings.Count(q.SQL[:at[i]], "\n") + 1 }
	second := q.SQL[at[1]:]
	switch {
	case !givesRows.MatchString(q.SQL[at[0]:]):
		return "", p.errorf(line(0), "first of two statements does not begin with WITH, SELECT or FROM")
	case q.SQL[at[1]-1] != '\n' || !notesBegin.MatchString(second):
		return "", p.errorf(line(1), "second statement does not begin with SELECT at the start of a line, as notes do")
	case len(parts) > 2:
		return "", p.errorf(line(2), "a statement behind the notes, want nothing there")
	}
	return second, nil
}

// param reads a SET VARIABLE line.
func (p parser) param(n int, line string) (Param, error) {
	m := paramShape.FindStringSubmatch(line)
	if m == nil || m[1] != m[3] {
		return Param{}, p.errorf(n, "%s", shapes)
	}
	param := Param{
		Name:       m[2],
		Type:       m[7],
		Default:    strings.ReplaceAll(m[5], "''", "'"),
		HasDefault: m[4] != "",
		Line:       n,
	}
	if reads := m[4] + m[6]; reads != param.Name {
		return Param{}, p.errorf(n, "parameter %q is set from getvariable('%s')", param.Name, reads)
	}
	if m[1] == "" && slices.Contains(reserved, param.Name) {
		return Param{}, p.errorf(n, `parameter %q is a reserved word: want SET VARIABLE "%s"`, param.Name, param.Name)
	}
	if !slices.Contains(types, param.Type) {
		return Param{}, p.errorf(n, "parameter %q has type %q, want one of %s", param.Name, param.Type, strings.Join(types, ", "))
	}
	d := described.FindStringSubmatch(m[8])
	switch {
	case d != nil:
		param.Description = d[1]
	case strings.Trim(m[8], " \t-") == "":
		return Param{}, p.errorf(n, `parameter %q has no description: want "-- text" behind it`, param.Name)
	default:
		return Param{}, p.errorf(n, `parameter %q is followed by %q, want " -- description"`, param.Name, m[8])
	}
	switch {
	case !p.strict || !nearRequired.MatchString(param.Description):
	case param.HasDefault:
		return Param{}, p.errorf(n, "parameter %q is required and has a default, want one of both", param.Name)
	case !param.Required():
		return Param{}, p.errorf(n, `parameter %q: description ends in %q, want "(required)"`, param.Name, nearRequired.FindString(param.Description))
	}
	return param, nil
}

// plainTitle is the first text of a comment that is no header.
func plainTitle(lines []string) string {
	for _, line := range lines {
		if text := strings.TrimSpace(strings.TrimLeft(line, "-")); text != "" {
			return text
		}
	}
	return ""
}
