package schema

import (
	"encoding/csv"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// What the two parsers accept, they have read whole: put together again it is the input, but for
// blanks and what carries no meaning. Inputs that are always run are in testdata/fuzz.

func FuzzParse(f *testing.F) {
	f.Add("2_failed_calls.sql", viewFile)
	f.Add("1_parts.sql", tableFile)
	f.Add("3_totals.sql", keyedFile)
	f.Fuzz(func(t *testing.T, name, text string) {
		o, err := parse(name, text)
		if err != nil {
			if !strings.HasPrefix(err.Error(), name+":") {
				t.Fatalf("%q: an error that does not name the file: %v", name, err)
			}
			return
		}
		if fmt.Sprintf("%d_%s.sql", o.Layer, o.Name) != name || o.Title == "" || len(o.Create) == 0 {
			t.Fatalf("%q: %q: accepted as %+v", name, text, o)
		}
		if o.Kind != Table && (o.Fill != "" || o.IndexOf != "") {
			t.Fatalf("%q: rows for a %s", text, o.Kind)
		}
		lines := strings.Split(text, "\n")
		n := slices.IndexFunc(lines, func(l string) bool { return !strings.HasPrefix(l, "--") })
		if n < 0 {
			t.Fatalf("%q: accepted without a statement", text)
		}
		checkHeader(t, o, lines[:n])
		checkStatements(t, o, strings.Join(lines[n:], "\n"))
	})
}

// checkHeader compares the words of a header with those of what was made of it.
func checkHeader(t *testing.T, o Object, lines []string) {
	t.Helper()
	want := strings.Fields(o.Title + " " + o.Description)
	if len(o.Columns) > 0 {
		want = append(want, "Columns:")
	}
	for i, c := range o.Columns {
		if slices.ContainsFunc(o.Columns[:i], func(was Column) bool { return was.Name == c.Name }) {
			t.Fatalf("column %q twice in %q", c.Name, lines)
		}
		want = append(want, c.Name)
		want = append(want, strings.Fields(c.Description)...)
	}
	for _, l := range []string{"Key: " + o.KeyView + "." + o.KeyColumn, "Index: " + o.IndexOf} {
		if !strings.HasSuffix(strings.Trim(l, "."), ": ") {
			want = append(want, strings.Fields(l)...)
		}
	}
	var got []string
	for _, l := range lines {
		got = append(got, strings.Fields(strings.TrimPrefix(l, "--"))...)
	}
	if len(o.Columns) == 0 {
		// A heading above nothing says nothing.
		got = slices.DeleteFunc(got, func(w string) bool { return w == "Columns:" })
		want = slices.DeleteFunc(want, func(w string) bool { return w == "Columns:" })
	}
	// A key may stand anywhere in the text.
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatalf("header %q: read as %q", strings.Join(lines, "\n"), want)
	}
}

// checkStatements takes the statements out of the body, in order; comments and semicolons are left.
func checkStatements(t *testing.T, o Object, body string) {
	t.Helper()
	statements := slices.Clone(o.Create)
	if o.Fill != "" {
		statements = append(statements, o.Fill)
	}
	left := ""
	for _, s := range statements {
		before, after, ok := strings.Cut(body, s)
		if !ok || strings.Contains(s, ";\n") {
			t.Fatalf("statement %q is not in %q", s, body)
		}
		left, body = left+before+"\n", after
	}
	for _, l := range strings.Split(left+body, "\n") {
		if l = strings.TrimSpace(strings.Trim(strings.TrimSpace(l), ";")); l != "" && !strings.HasPrefix(l, "--") {
			t.Fatalf("%q is in no statement", l)
		}
	}
}

var (
	seedText = regexp.MustCompile(`^'(?:[^']|'')*'$`)
	seedDay  = regexp.MustCompile(`^DATE '\d{4}-\d\d-\d\d'$`)
)

// FuzzSeedRows reads what was accepted again, with the CSV reader alone.
func FuzzSeedRows(f *testing.F) {
	o := pricesTable(f)
	columns, err := o.seedColumns()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := o.SeedRows("p.csv", text, Own)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "p.csv:") {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		records, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(text, "\ufeff"))).ReadAll()
		if err != nil || len(records) != len(rows)+1 {
			t.Fatalf("%q: %d rows of %d records, %v", text, len(rows), len(records), err)
		}
		keys := map[string]bool{}
		for i, row := range rows {
			if len(row) != len(columns)+1 || row[len(columns)] != "'own'" {
				t.Fatalf("%q: literals %q", text, row)
			}
			if key := row[0] + row[1]; keys[key] {
				t.Fatalf("%q: %s twice", text, key)
			} else {
				keys[key] = true
			}
			for j, c := range columns {
				field := ""
				for k, name := range records[0] {
					if strings.TrimSpace(name) == c.name {
						field = strings.TrimSpace(records[i+1][k])
					}
				}
				if field == "" {
					field = c.defaultValue
				}
				checkLiteral(t, c, row[j], field)
			}
		}
	})
}

// checkLiteral asserts that a literal says what the field said and nothing behind it.
func checkLiteral(t *testing.T, c seedColumn, literal, field string) {
	t.Helper()
	said, ok := literal, false
	switch {
	case literal == "NULL":
		said, ok = "", !c.notNull
	case c.kind == "VARCHAR":
		ok = seedText.MatchString(literal)
		said = strings.ReplaceAll(strings.TrimSuffix(strings.TrimPrefix(literal, "'"), "'"), "''", "'")
	case c.kind == "DATE":
		ok = seedDay.MatchString(literal)
		said = strings.TrimSuffix(strings.TrimPrefix(literal, "DATE '"), "'")
	default:
		whole, fraction, _ := strings.Cut(literal, ".")
		ok = strings.Trim(whole+fraction, "0123456789") == "" && whole != "" &&
			(c.kind != "DECIMAL" || len(strings.TrimLeft(whole, "0")) <= c.size-c.scale && len(strings.TrimRight(fraction, "0")) <= c.scale)
	}
	if !ok || said != field {
		t.Fatalf("%s: %q became %s", c.name, field, literal)
	}
}
