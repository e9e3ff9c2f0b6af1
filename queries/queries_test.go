package queries

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"
)

const toolErrors = `-- Failing tool calls, one row per tool.
--
-- A call that was rejected did not run, so it
-- is no failure.
-- - a list keeps
--   its lines
--
-- Second paragraph.
--
-- Columns:
--   tool_name  name as the model wrote it
--   failures   failed calls; rejections
--              are not failures
--
-- Example:
--   warehouse query tool-errors --since 7d
--   warehouse query tool-errors \
--     --limit 5

SET VARIABLE since = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;   -- from, inclusive
SET VARIABLE project = getvariable('project')::VARCHAR;                           -- path prefix, glob or last component (default all)
-- A comment between the parameters is none.
SET VARIABLE mark   = coalesce(getvariable('mark'), 'it''s')::VARCHAR; -- a quote
SET VARIABLE "limit" = coalesce(getvariable('limit'), '20')::INTEGER;  -- rows to show

SELECT tool_name, count(*) AS failures
FROM tool_calls
WHERE called_at >= getvariable('since')   -- not getvariable('sicne')
LIMIT getvariable('limit');
`

func TestParse(t *testing.T) {
	q, err := Parse("tool-errors", toolErrors)
	if err != nil {
		t.Fatal(err)
	}
	body := toolErrors[strings.Index(toolErrors, "SELECT"):]
	want := Query{
		Name:        "tool-errors",
		Title:       "Failing tool calls, one row per tool.",
		Description: "A call that was rejected did not run, so it is no failure.\n- a list keeps\n  its lines\n\nSecond paragraph.",
		Columns: []Column{
			{"tool_name", "name as the model wrote it"},
			{"failures", "failed calls; rejections are not failures"},
		},
		Examples: []string{"warehouse query tool-errors --since 7d", "warehouse query tool-errors \\\n  --limit 5"},
		Params: []Param{
			{"since", "TIMESTAMPTZ", "1970-01-01", true, "from, inclusive", 20},
			{"project", "VARCHAR", "", false, "path prefix, glob or last component (default all)", 21},
			{"mark", "VARCHAR", "it's", true, "a quote", 23},
			{"limit", "INTEGER", "20", true, "rows to show", 24},
		},
		SQL:  toolErrors,
		Body: body,
	}
	if !reflect.DeepEqual(q, want) {
		t.Errorf("got\n%#v\nwant\n%#v", q, want)
	}

	crlf, err := Parse("tool-errors", strings.ReplaceAll(toolErrors, "\n", "\r\n"))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(crlf.Params, want.Params) || !reflect.DeepEqual(crlf.Columns, want.Columns) {
		t.Errorf("with CRLF got %#v", crlf)
	}
}

func TestParseEmptyDefault(t *testing.T) {
	q, err := Parse("x", edit(t, `'20')::INTEGER`, `'')::VARCHAR`))
	if err != nil {
		t.Fatal(err)
	}
	if p, _ := q.Param("limit"); !p.HasDefault || p.Default != "" {
		t.Errorf("got %#v, want an empty default", p)
	}
}

// edit replaces the first old in the fixture.
func edit(t *testing.T, old, new string) string {
	t.Helper()
	if !strings.Contains(toolErrors, old) {
		t.Fatalf("the fixture has no %q", old)
	}
	return strings.Replace(toolErrors, old, new, 1)
}

func TestParseNearMisses(t *testing.T) {
	const top = `SET VARIABLE "limit" = coalesce(getvariable('limit'), '20')::INTEGER;  -- rows to show`
	for _, tt := range []struct{ name, old, new, want string }{
		{"lower case", top, strings.ToLower(top), "x.sql:24: want SET VARIABLE name"},
		{"indented", top, "  " + top, "x.sql:24: want SET VARIABLE name"},
		{"two blanks", top, strings.Replace(top, "SET ", "SET  ", 1), "x.sql:24: want SET VARIABLE name"},
		{"tab", top, strings.Replace(top, "SET ", "SET\t", 1), "x.sql:24: want SET VARIABLE name"},
		{"plural", top, strings.Replace(top, "VARIABLE", "VARIABLES", 1), "x.sql:24: want SET VARIABLE name"},
		{"no cast", "::INTEGER", "", "x.sql:24: want SET VARIABLE name"},
		{"cast inside", "'20')::INTEGER", "'20'::INTEGER)", "x.sql:24: want SET VARIABLE name"},
		{"bare number", "'20'", "20", "x.sql:24: want SET VARIABLE name"},
		{"no semicolon", "INTEGER;", "INTEGER", "x.sql:24: want SET VARIABLE name"},
		{"half quoted", `"limit" =`, `"limit =`, "x.sql:24: want SET VARIABLE name"},
		{"upper case name", `"limit" =`, `"Limit" =`, "x.sql:24: want SET VARIABLE name"},
		{"reserved word", `"limit" =`, `limit =`, `x.sql:24: parameter "limit" is a reserved word: want SET VARIABLE "limit"`},
		{"two names", "getvariable('limit'), '20'", "getvariable('top'), '20'", `x.sql:24: parameter "limit" is set from getvariable('top')`},
		{"no description", "  -- rows to show", "", `x.sql:24: parameter "limit" has no description`},
		{"empty description", "-- rows to show", "--", `x.sql:24: parameter "limit" has no description`},
		{"tight description", "-- rows to show", "--rows to show", `x.sql:24: parameter "limit" is followed by "  --rows to show"`},
		{"second statement on the line", "  -- rows", " SELECT 1; -- rows", `x.sql:24: parameter "limit" is followed by`},
		{"unknown type", "INTEGER;", "INT;", `x.sql:24: parameter "limit" has type "INT", want one of TIMESTAMPTZ`},
		{"list type", "INTEGER;", "VARCHAR[];", `x.sql:24: parameter "limit" has type "VARCHAR[]"`},
		{"declared twice", "SET VARIABLE mark   = coalesce(getvariable('mark')", "SET VARIABLE since = coalesce(getvariable('since')", `x.sql:23: parameter "since" is declared on line 20 already`},
		{"behind the body", "LIMIT getvariable('limit');", ";\nset variable a = 1;", "x.sql:30: SET VARIABLE behind the first statement, which is on line 26"},
		{"undeclared", "getvariable('since')   --", "getvariable('sicne')   --", `x.sql:28: parameter "sicne" is read, but no SET VARIABLE line declares it`},
		{"no header", toolErrors, "SELECT 1;", "x.sql:1: no title"},
		{"empty file", toolErrors, "", "x.sql:1: no title"},
		{"blank first line", "-- Failing", "\n-- Failing", "x.sql:1: no title"},
		{"tight title", "-- Failing", "--Failing", "x.sql:1: no title"},
		{"no full stop", "per tool.", "per tool", `x.sql:1: title "Failing tool calls, one row per tool" does not end`},
		{"title on two lines", "per tool.\n--\n", "per tool.\n", "x.sql:2: got \"-- A call that was rejected did not run, so it\" below the title"},
		{"lower case columns", "-- Columns:", "-- columns:", `x.sql:10: got "-- columns:", want "-- Columns:"`},
		{"one column", "-- Columns:", "-- Column:", `x.sql:10: got "-- Column:"`},
		{"columns without colon", "-- Columns:", "-- Columns", `x.sql:10: got "-- Columns"`},
		{"tight columns", "-- Columns:", "--Columns:", `x.sql:10: got "--Columns:"`},
		{"indented columns", "-- Columns:", "--  Columns:", `x.sql:10: got "--  Columns:"`},
		{"columns on one line", "-- Columns:", "-- Columns: tool_name", `x.sql:10: got "-- Columns: tool_name"`},
		{"misspelled columns", "-- Columns:", "-- Colums:", `x.sql:10: unknown section "Colums:"`},
		{"lower case example", "-- Example:", "-- example:", `x.sql:15: got "-- example:"`},
		{"second columns", "-- Example:", "-- Columns:", `x.sql:15: second "Columns:"`},
		{"text behind columns", "-- Example:", "-- Note.\n-- Example:", `x.sql:15: text behind the columns`},
		{"column with one blank", "--   tool_name  name", "--   tool_name name", `x.sql:11: got "--   tool_name name as`},
		{"column without description", "--   tool_name  name as the model wrote it", "--   tool_name", `x.sql:11: got "--   tool_name", want a column`},
		{"column indented less", "--   tool_name ", "--  tool_name ", `x.sql:11: got "--  tool_name`},
		{"column indented more", "--   failures ", "--    failures ", `x.sql:12: got "--    failures`},
		{"column twice", "--   failures ", "--   tool_name ", `x.sql:12: column "tool_name" is described twice`},
		{"tight text", "-- Second", "--Second", `x.sql:8: got "--Second paragraph.", want a blank`},
		{"example indented less", "--   warehouse", "-- warehouse", `x.sql:16: got "-- warehouse query`},
		{"no statement", toolErrors[strings.Index(toolErrors, "SELECT"):], "", "x.sql:26: no statement"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse("x", edit(t, tt.old, tt.new))
			if err == nil {
				t.Fatal("got no error")
			}
			if !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

func TestParseSectionsMayNotBeEmpty(t *testing.T) {
	for text, want := range map[string]string{
		"-- T.\nSELECT 1;":                  `x.sql:1: header without "-- Columns:"`,
		"-- T.\n--\n-- Columns:\nSELECT 1;": `x.sql:3: header without "-- Columns:"`,
		"-- T.\n--\n-- Columns:\n--   a  b\n--\n-- Example:\nSELECT a FROM b;": `x.sql:6: no command below "-- Example:"`,
	} {
		if _, err := Parse("x", text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func TestParseNames(t *testing.T) {
	for _, name := range []string{"Tool-errors", "tool_errors", "tool errors", "-", "", "a--b", "../a"} {
		if _, err := Parse(name, toolErrors); err == nil {
			t.Errorf("name %q: got no error", name)
		}
	}
	if q, err := Parse("tool-errors.sql", toolErrors); err != nil || q.Name != "tool-errors" {
		t.Errorf("got %q, %v", q.Name, err)
	}
}

func TestParseUser(t *testing.T) {
	const top = "SET VARIABLE top = coalesce(getvariable('top'), '20')::INTEGER;  -- rows to show\n"
	for _, tt := range []struct{ name, text, title, body string }{
		{"bare", "SELECT 1", "", "SELECT 1"},
		{"parameter", top + "SELECT getvariable('top');\n", "", "SELECT getvariable('top');\n"},
		{"comment", "--note\n-- more\n" + top + "\n  SELECT 1;", "note", "SELECT 1;"},
		{"near header", "-- T.\n--\n-- columns:\n" + top + "SELECT 1;", "T.", "SELECT 1;"},
		{"byte order mark", "\ufeff" + top + "SELECT 1;", "", "SELECT 1;"},
		{"blank lines first", "\n\n" + top + "SELECT 1;", "", "SELECT 1;"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			q, err := ParseUser("dir/mine.sql", tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if q.Name != "mine" || q.Title != tt.title || q.Body != tt.body || !q.Disk {
				t.Errorf("got %#v", q)
			}
		})
	}
	full, err := ParseUser("-", toolErrors)
	if err != nil {
		t.Fatal(err)
	}
	embedded, err := Parse("tool-errors", toolErrors)
	if err != nil {
		t.Fatal(err)
	}
	embedded.Name, embedded.Disk = "-", true
	if !reflect.DeepEqual(full, embedded) {
		t.Errorf("got\n%#v\nwant as embedded\n%#v", full, embedded)
	}
	for text, want := range map[string]string{
		"SELECT 1;\n" + top:                           "dir/mine.sql:2: SET VARIABLE behind the first statement",
		"set variable top = '1'::INTEGER;\nSELECT 1;": "dir/mine.sql:1: want SET VARIABLE",
		top + "-- nothing\n":                          "dir/mine.sql:3: no statement",
	} {
		if _, err := ParseUser("dir/mine.sql", text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

func TestEmbedded(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for i, q := range all {
		if i > 0 && all[i-1].Name >= q.Name {
			t.Errorf("%q stands behind %q", q.Name, all[i-1].Name)
		}
		if q.Disk {
			t.Errorf("%s: taken for a file on disk", q.Name)
		}
		if got, ok := Lookup(q.Name); !ok || !reflect.DeepEqual(got, q) {
			t.Errorf("lookup of %q gives %v, %v", q.Name, got, ok)
		}
		if len(q.Examples) == 0 {
			t.Errorf("%s.sql: no example", q.Name)
		}
		for _, e := range q.Examples {
			if !strings.Contains(e+" ", "warehouse query "+q.Name+" ") {
				t.Errorf("%s.sql: example %q does not run the report", q.Name, e)
			}
		}
		for _, line := range strings.Split(Help(q), "\n") {
			if utf8.RuneCountInString(line) > helpWidth {
				t.Errorf("%s: line of the help is too wide: %q", q.Name, line)
			}
		}
	}
	if _, ok := Lookup("broken-lines"); !ok {
		t.Error("no broken-lines")
	}
	if q, ok := Lookup("no-such"); ok {
		t.Errorf("lookup of no-such gives %q", q.Name)
	}
	all[0].Name = "changed"
	if again, _ := All(); again[0].Name == "changed" {
		t.Error("a caller can change the embedded list")
	}
}

func TestNamesMeanTheSame(t *testing.T) {
	file := func(param string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("-- T.\n--\n-- Columns:\n--   a  b\n\n" + param + " -- p\nSELECT 1 AS a;\n")}
	}
	integer := file("SET VARIABLE top = coalesce(getvariable('top'), '20')::INTEGER;")
	for _, tt := range []struct {
		name  string
		other *fstest.MapFile
		want  string
	}{
		{"another default", file("SET VARIABLE top = coalesce(getvariable('top'), '5')::INTEGER;"), ""},
		{"another type", file("SET VARIABLE top = coalesce(getvariable('top'), '5')::BIGINT;"),
			`b.sql:6: parameter "top" is BIGINT, but INTEGER in a.sql:6`},
		{"no default", file("SET VARIABLE top = getvariable('top')::INTEGER;"), ""},
		{"broken file", file("SET VARIABLE top = 5;"), "b.sql:6: want SET VARIABLE"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all, err := load(fstest.MapFS{"b.sql": tt.other, "a.sql": integer})
			if got := fmt.Sprint(err); tt.want == "" && err != nil || !strings.HasPrefix(got, tt.want) {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			if len(all) == 0 || all[0].Name != "a" {
				t.Errorf("got %v, want a first", all)
			}
		})
	}
}

func TestHelp(t *testing.T) {
	q, err := Parse("tool-errors", edit(t, "-- Second paragraph.",
		"-- Second paragraph, long enough that it has to be broken somewhere before the end of it, at a blank."))
	if err != nil {
		t.Fatal(err)
	}
	const want = `Failing tool calls, one row per tool.

A call that was rejected did not run, so it is no failure.
- a list keeps
  its lines

Second paragraph, long enough that it has to be broken somewhere before the end
of it, at a blank.

Parameters:
  name     type         default     description
  since    TIMESTAMPTZ  1970-01-01  from, inclusive
  project  VARCHAR      (none)      path prefix, glob or last component (default
                                    all)
  mark     VARCHAR      it's        a quote
  limit    INTEGER      20          rows to show

Columns:
  tool_name  name as the model wrote it
  failures   failed calls; rejections are not failures

Examples:
  warehouse query tool-errors --since 7d
  warehouse query tool-errors \
    --limit 5
`
	if got := Help(q); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := Help(Query{Name: "mine"}); got != "mine\n" {
		t.Errorf("without a header got %q", got)
	}
}
