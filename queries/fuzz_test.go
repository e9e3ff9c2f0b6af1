package queries

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// Inputs that are always run are in testdata/fuzz.

var (
	position = regexp.MustCompile(`^fuzz\.sql:(\d+): `)
	// A second reading of what a declaration is, which knows no shape.
	declares = regexp.MustCompile(`(?i)^[ \t\r\f\v]*SET[ \t]+VARIABLE[ \t]+"?([a-z0-9_]+)"?`)
)

func FuzzParse(f *testing.F) {
	f.Add(toolErrors)
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Count(text, "\n") + 1
		user, userErr := ParseUser("fuzz.sql", text)
		q, err := Parse("fuzz", text)
		for _, err := range []error{err, userErr} {
			if err == nil {
				continue
			}
			m := position.FindStringSubmatch(err.Error())
			if m == nil {
				t.Fatalf("error without a position: %v", err)
			}
			var n int
			if fmt.Sscan(m[1], &n); n < 1 || n > lines {
				t.Fatalf("position outside of %d lines: %v", lines, err)
			}
		}
		if userErr == nil {
			checkParsed(t, user)
		}
		if err != nil {
			return
		}
		checkParsed(t, q)
		checkText(t, q)
		if q.SQL != text {
			t.Fatalf("text changed to %q", q.SQL)
		}
		user.Disk = false
		if userErr != nil || !reflect.DeepEqual(q, user) {
			t.Fatalf("own file: got %#v, %v, want %#v", user, userErr, q)
		}
	})
}

// checkParsed asserts that parameters, statements and notes are the file's, all of them and once.
func checkParsed(t *testing.T, q Query) {
	t.Helper()
	if q.Body == "" || !strings.HasSuffix(q.SQL, q.Body) || q.Rows()+q.Notes != q.SQL {
		t.Fatalf("body %q of %q, notes %q", q.Body, q.SQL, q.Notes)
	}
	if q.Notes != "" && (len(Split(q.Rows()+q.Notes)) != len(Split(q.Rows()))+1 || len(Split(q.Notes)) != 1) {
		t.Fatalf("notes %q cut through a statement of %q", q.Notes, q.SQL)
	}
	var declared []string
	lines := strings.Split(q.SQL, "\n")
	for i, line := range lines {
		if m := declares.FindStringSubmatch(line); m != nil && !slices.ContainsFunc(q.Reads, func(s Source) bool { return s.Name == m[1] }) {
			declared = append(declared, fmt.Sprint(i+1, m[1]))
		}
	}
	var read []string
	for _, p := range q.Params {
		read = append(read, fmt.Sprint(p.Line, p.Name))
		line := lines[p.Line-1]
		said := strings.HasSuffix(strings.TrimSpace(line), "-- "+p.Description) && strings.Contains(line, ")::"+p.Type+";")
		if quoted := "'" + strings.ReplaceAll(p.Default, "'", "''") + "'"; p.HasDefault {
			said = said && strings.Contains(line, ", "+quoted+")::")
		}
		if !said || p.Description == "" {
			t.Fatalf("parameter %#v read from %q", p, line)
		}
	}
	if !slices.Equal(read, declared) {
		t.Fatalf("parameters %q, want %q, of %q", read, declared, q.SQL)
	}
	if Help(q) == "" {
		t.Fatal("no help")
	}
}

// checkText compares the words of a header with those of what was made of it.
func checkText(t *testing.T, q Query) {
	t.Helper()
	said := q.Title + " " + q.Description + " " + strings.Join(q.Examples, " ")
	for _, c := range q.Columns {
		said += " " + c.Name + " " + c.Description
	}
	said += " " + strings.Join(q.Totals, " ") + " " + q.Chart.Label + " " + q.Chart.Value
	for _, s := range q.Reads {
		said += " " + s.Name
	}
	header := ""
	for _, line := range strings.Split(q.SQL, "\n") {
		if !strings.HasPrefix(line, "--") {
			break
		}
		line = strings.TrimRight(line[len("--"):], " \t\r")
		// A label is in the structure, not in the text.
		if section.MatchString(line) {
			line = ""
		} else if m := nameList.FindStringSubmatch(line); m != nil {
			line = m[2]
		}
		header += " " + line
	}
	words := func(s string) []string {
		w := strings.FieldsFunc(s, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
		slices.Sort(w)
		return w
	}
	if got, want := words(said), words(header); !slices.Equal(got, want) {
		t.Fatalf("header read as %q, want %q, of %q", got, want, q.SQL)
	}
}

func FuzzSplit(f *testing.F) {
	f.Fuzz(func(t *testing.T, script string) {
		statements := Split(script)
		end := 0
		for i, at := range split(script) {
			s := script[at[0]:at[1]]
			if strings.TrimFunc(s, isBlank) != s || s == "" || s != statements[i] {
				t.Fatalf("%q: statement %q", script, s)
			}
			if at[0] < end || i > 0 && !strings.Contains(script[end:at[0]], ";") {
				t.Fatalf("%q: no semicolon before %q", script, s)
			}
			end = at[1]
			if again := Split(s); len(again) != 1 || again[0] != s {
				t.Fatalf("%q: statement %q is cut again: %q", script, s, again)
			}
		}
		// A script that goes on is cut where it was: what is open at its end stays open.
		if more := Split(script + "\n;"); len(more) < len(statements) || !slices.Equal(more[:max(len(statements)-1, 0)], statements[:max(len(statements)-1, 0)]) {
			t.Fatalf("%q: cut into %q, with a semicolon behind it into %q", script, statements, more)
		}
	})
}

// pieces are parts of a script that hold together whatever stands beside them. The backslash that is
// none has a letter before it, or it would be one behind an E'…' of the line above.
var pieces = []string{
	";", "SELECT", "x", "'a;b'", "'it''s;'", `"a;""b"`, "E'\\';'", `e'\\'`, `x'\'`, "$$;'$$", "$t$;$$;\"$t$", "$1",
	"--;'\n", "-- $$\n", "/*;'*/", "/* /*;*/ ; */", "/**/", "''", `""`, "-", "/", "é", "\u00a0", "(", "1\n",
}

// FuzzSplitPieces puts scripts together whose statements are known.
func FuzzSplitPieces(f *testing.F) {
	f.Fuzz(func(t *testing.T, chosen []byte) {
		var script, statement strings.Builder
		var want []string
		blank := true
		end := func() {
			if !blank {
				want = append(want, strings.TrimSpace(statement.String()))
			}
			statement.Reset()
			blank = true
		}
		for _, b := range chosen {
			piece := pieces[int(b)%len(pieces)]
			script.WriteString(piece)
			if piece == ";" {
				end()
			} else {
				statement.WriteString(piece + " ")
				script.WriteString(" ")
				isComment := strings.HasPrefix(piece, "--") || strings.HasPrefix(piece, "/*")
				blank = blank && (isComment || strings.TrimSpace(piece) == "")
			}
		}
		end()
		if got := Split(script.String()); !slices.Equal(got, want) {
			t.Fatalf("%q:\ngot  %q\nwant %q", script.String(), got, want)
		}
	})
}
