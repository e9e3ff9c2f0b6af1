package schema

import (
	"io/fs"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

const viewFile = `-- Failed calls, one row per call.
--
-- A call that was refused did
-- not run.
--
-- Second paragraph.
--
-- Columns:
--   host        machine
--   tool_name   name as the model
--               wrote it
CREATE OR REPLACE VIEW failed_calls AS
SELECT
    host,
    tool_name -- a comment; it ends nothing
FROM raw
WHERE text <> 'a;b';
`

const tableFile = `-- Parts, one row per part.
CREATE TABLE parts (
    source_file VARCHAR
);

-- A comment before the statement
INSERT INTO parts BY NAME
SELECT source_file
FROM raw;
`

const keyedFile = `-- Totals, one row per part.
--
-- Key: parts_of.source_file
CREATE TABLE totals (
    source_file VARCHAR
);

INSERT INTO totals
SELECT source_file
FROM parts_of;
`

func TestParse(t *testing.T) {
	set, err := Load(fstest.MapFS{
		"2_failed_calls.sql": {Data: []byte(viewFile)},
		"1_parts.sql":        {Data: []byte(tableFile)},
		"3_totals.sql":       {Data: []byte(keyedFile)},
		"0_columns.sql":      {Data: []byte("-- Columns of a line.\nCREATE OR REPLACE MACRO a(x) AS x;\nCREATE OR REPLACE MACRO columns(x) AS a(x);\n")},
		"readme.txt":         {Data: []byte("not read")},
		"more/3_x.sql":       {Data: []byte("not read")},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i := range set {
		set[i].text = ""
	}
	want := Set{
		{File: "0_columns.sql", Name: "columns", Layer: 0, Kind: Macro, Title: "Columns of a line.", Parts: []string{"a"},
			Create: []string{"CREATE OR REPLACE MACRO a(x) AS x", "CREATE OR REPLACE MACRO columns(x) AS a(x)"}},
		{File: "1_parts.sql", Name: "parts", Layer: 1, Kind: Table, Title: "Parts, one row per part.",
			Create: []string{"CREATE TABLE parts (\n    source_file VARCHAR\n)"},
			Fill:   "-- A comment before the statement\nINSERT INTO parts BY NAME\nSELECT source_file\nFROM raw"},
		{File: "2_failed_calls.sql", Name: "failed_calls", Layer: 2, Kind: View, Title: "Failed calls, one row per call.",
			Description: "A call that was refused did not run.\n\nSecond paragraph.",
			Columns:     []Column{{"host", "machine"}, {"tool_name", "name as the model wrote it"}},
			Create:      []string{strings.TrimSuffix(viewFile[strings.Index(viewFile, "CREATE"):], ";\n")}},
		{File: "3_totals.sql", Name: "totals", Layer: 3, Kind: Table, Title: "Totals, one row per part.",
			KeyView: "parts_of", KeyColumn: "source_file",
			Create: []string{"CREATE TABLE totals (\n    source_file VARCHAR\n)"},
			Fill:   "INSERT INTO totals\nSELECT source_file\nFROM parts_of"},
	}
	if !reflect.DeepEqual(set, want) {
		t.Errorf("got\n%#v\nwant\n%#v", set, want)
	}
	if got, want := set[2].Comment(), "Failed calls, one row per call.\n\nA call that was refused did not run.\n\nSecond paragraph."; got != want {
		t.Errorf("comment: got %q, want %q", got, want)
	}
	if got := set.Tables(); len(got) != 1 || got[0].Name != "parts" {
		t.Errorf("tables: got %v", got)
	}
}

// What is nearly right is an error that names the file and, where there is one, the line.
func TestNearMisses(t *testing.T) {
	replace := func(text, old, new string) string {
		if !strings.Contains(text, old) {
			t.Fatalf("no %q to replace", old)
		}
		return strings.Replace(text, old, new, 1)
	}
	for _, tt := range []struct{ name, file, text, want string }{
		{"no layer", "failed_calls.sql", viewFile, "failed_calls.sql: name is not"},
		{"two digits", "12_failed_calls.sql", viewFile, "12_failed_calls.sql: name is not"},
		{"upper case", "2_Failed_Calls.sql", viewFile, "2_Failed_Calls.sql: name is not"},
		{"a dash", "2-failed_calls.sql", viewFile, "2-failed_calls.sql: name is not"},
		{"no header", "2_failed_calls.sql", viewFile[strings.Index(viewFile, "CREATE"):], "2_failed_calls.sql:1: no header"},
		{"empty", "2_failed_calls.sql", "", "2_failed_calls.sql:1: no header"},
		{"blank line first", "2_failed_calls.sql", "\n" + viewFile, "2_failed_calls.sql:1: no header"},
		{"no sentence", "2_failed_calls.sql", replace(viewFile, "per call.", "per call"), "2_failed_calls.sql:1: the first paragraph is not a sentence"},
		{"columns in lower case", "2_failed_calls.sql", replace(viewFile, "Columns:", "columns:"), `2_failed_calls.sql:8: got "columns:"`},
		{"columns without a colon", "2_failed_calls.sql", replace(viewFile, "Columns:", "Columns"), `2_failed_calls.sql:8: got "Columns"`},
		{"column", "2_failed_calls.sql", replace(viewFile, "Columns:", "Column:"), `2_failed_calls.sql:8: got "Column:"`},
		{"columns without a blank", "2_failed_calls.sql", replace(viewFile, "-- Columns:", "--Columns:"), "2_failed_calls.sql:8: "},
		{"columns with two blanks", "2_failed_calls.sql", replace(viewFile, "-- Columns:", "--  Columns:"), "2_failed_calls.sql:8: "},
		{"column with one blank", "2_failed_calls.sql", replace(viewFile, "--   host ", "-- host "), "2_failed_calls.sql:9: a column is written"},
		{"column in upper case", "2_failed_calls.sql", replace(viewFile, "host ", "Host "), "2_failed_calls.sql:9: a column is written"},
		{"column with one blank behind it", "2_failed_calls.sql", replace(viewFile, "host        machine", "host machine"), "2_failed_calls.sql:9: a column is written"},
		{"column without a description", "2_failed_calls.sql", replace(viewFile, "host        machine", "host"), "2_failed_calls.sql:9: a column is written"},
		{"columns twice", "2_failed_calls.sql", replace(viewFile, "CREATE", "-- Columns:\nCREATE"), `2_failed_calls.sql:12: second "Columns:"`},
		{"a column twice", "2_failed_calls.sql", replace(viewFile, "CREATE", "--   host  machine\nCREATE"), `2_failed_calls.sql:12: column "host" is described twice`},
		{"header and nothing else", "2_failed_calls.sql", viewFile[:strings.Index(viewFile, "CREATE")], "2_failed_calls.sql: no statement"},
		{"header and a comment", "2_failed_calls.sql", viewFile[:strings.Index(viewFile, "CREATE")] + "\n-- nothing\n", "2_failed_calls.sql: no statement"},
		{"another object", "2_failed_call.sql", viewFile, `2_failed_call.sql: makes "failed_calls", want the one object "failed_call"`},
		{"no OR REPLACE", "2_failed_calls.sql", replace(viewFile, "OR REPLACE ", ""), "2_failed_calls.sql: a statement is neither"},
		{"lower case verb", "2_failed_calls.sql", replace(viewFile, "CREATE OR REPLACE VIEW", "create or replace view"), "2_failed_calls.sql: a statement is neither"},
		{"two blanks in the verb", "2_failed_calls.sql", replace(viewFile, "CREATE OR", "CREATE  OR"), "2_failed_calls.sql: a statement is neither"},
		{"temporary", "2_failed_calls.sql", replace(viewFile, "CREATE OR REPLACE VIEW", "CREATE OR REPLACE TEMP VIEW"), "2_failed_calls.sql: a statement is neither"},
		{"another statement", "2_failed_calls.sql", viewFile + "DROP TABLE raw;\n", "2_failed_calls.sql: a statement is neither"},
		{"two views", "2_failed_calls.sql", viewFile + "CREATE OR REPLACE VIEW failed_calls AS SELECT 1;\n", "2_failed_calls.sql: makes"},
		{"insert into a view", "2_failed_calls.sql", viewFile + "INSERT INTO failed_calls SELECT 1;\n", "2_failed_calls.sql: makes"},
		{"table with OR REPLACE", "1_parts.sql", replace(tableFile, "CREATE TABLE", "CREATE OR REPLACE TABLE"), "1_parts.sql: a statement is neither"},
		{"table that is not filled", "1_parts.sql", tableFile[:strings.Index(tableFile, "-- A comment")], "1_parts.sql: table without INSERT"},
		{"table filled twice", "1_parts.sql", tableFile + "INSERT INTO parts SELECT 1;\n", "1_parts.sql: makes"},
		{"filled before it is made", "1_parts.sql", "-- Parts, one row per part.\nINSERT INTO parts SELECT 1;\nCREATE TABLE parts (i INTEGER);\n", "1_parts.sql: makes"},
		{"another table filled", "1_parts.sql", replace(tableFile, "INSERT INTO parts", "INSERT INTO raw"), "1_parts.sql: makes"},
		{"key without a column", "3_totals.sql", replace(keyedFile, "parts_of.source_file", "parts_of"), `3_totals.sql:3: a key is written`},
		{"a key twice", "3_totals.sql", replace(keyedFile, "CREATE", "-- Key: parts.host\nCREATE"), `3_totals.sql:4: second "Key:"`},
		{"an index twice", "3_totals.sql", replace(keyedFile, "-- Key: parts_of.source_file", "-- Index: parts\n-- Index: parts"), `3_totals.sql:4: second "Index:"`},
		{"key of a view", "2_failed_calls.sql", replace(viewFile, "-- A call", "-- Key: a.b\n--\n-- A call"), "2_failed_calls.sql: a key, and no INSERT INTO failed_calls"},
		{"macros and none of the file's name", "0_columns.sql", "-- Columns.\nCREATE OR REPLACE MACRO a(x) AS x;\n", `0_columns.sql: makes no macro "columns"`},
		{"a view and a macro", "2_failed_calls.sql", viewFile + "CREATE OR REPLACE MACRO m(x) AS x;\n", "2_failed_calls.sql: makes"},
		{"a macro and a view", "2_failed_calls.sql", replace(viewFile, "CREATE", "CREATE OR REPLACE MACRO m(x) AS x;\nCREATE"), "2_failed_calls.sql: makes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set, err := Load(fstest.MapFS{tt.file: {Data: []byte(tt.text)}})
			if err == nil {
				t.Fatalf("accepted: %+v", set)
			}
			if !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got  %s\nwant %s…", err, tt.want)
			}
		})
	}
}

// embedded is a copy of the schema's files that can be changed.
func embedded(t *testing.T) fstest.MapFS {
	t.Helper()
	fsys := fstest.MapFS{}
	names, err := fs.Glob(files, "*.*")
	if err != nil || len(names) == 0 {
		t.Fatalf("%d files, %v", len(names), err)
	}
	for _, name := range names {
		b, err := files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fsys[name] = &fstest.MapFile{Data: b}
	}
	return fsys
}

func load(t *testing.T, fsys fs.FS) Set {
	t.Helper()
	set, err := Load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// A stage's fingerprint follows every byte of its files and nothing else.
func TestFingerprints(t *testing.T) {
	was := load(t, embedded(t))
	if was.ImportHash() == was.ViewsHash() {
		t.Error("both stages have one fingerprint")
	}
	of := map[string]bool{} // files of the word index, and those it is made from
	for _, o := range was.Index() {
		of[o.File] = true
		for _, from := range was {
			of[from.File] = of[from.File] || from.Name == o.IndexOf
		}
	}
	if len(of) < 2 {
		t.Fatal("no files of the word index")
	}
	index := func(what string, now Set, want bool) {
		t.Helper()
		if got := now.IndexHash() != was.IndexHash(); got != want {
			t.Errorf("%s: the index's fingerprint changed: %v, want %v", what, got, want)
		}
	}
	check := func(what string, now Set, imports, views bool) {
		t.Helper()
		if got := now.ImportHash() != was.ImportHash(); got != imports {
			t.Errorf("%s: the projection's fingerprint changed: %v, want %v", what, got, imports)
		}
		if got := now.ViewsHash() != was.ViewsHash(); got != views {
			t.Errorf("%s: the views' fingerprint changed: %v, want %v", what, got, views)
		}
	}
	check("the same", load(t, embedded(t)), false, false)
	reversed := append(Set(nil), was...)
	for i, j := 0, len(reversed)-1; i < j; i, j = i+1, j-1 {
		reversed[i], reversed[j] = reversed[j], reversed[i]
	}
	check("another order", reversed, false, false)
	if reversed[0].File < reversed[len(reversed)-1].File {
		t.Error("taking a fingerprint put the set in order")
	}
	for name, file := range embedded(t) {
		if strings.HasSuffix(name, ".csv") {
			fsys := embedded(t)
			fsys[name] = &fstest.MapFile{Data: append(slices.Clip(file.Data), '\n')}
			check(name+": an empty line at the end", load(t, fsys), false, true)
			delete(fsys, name)
			if _, err := Load(fsys); err == nil {
				t.Errorf("%s gone: no error", name)
			}
			continue
		}
		isImport := name[0] == '0'
		isView := !isImport && !slices.ContainsFunc(was.Index(), func(o Object) bool { return o.File == name })
		for what, text := range map[string]string{
			"a blank at the end":   string(file.Data) + " ",
			"no newline":           strings.TrimSuffix(string(file.Data), "\n"),
			"a word in the header": strings.Replace(string(file.Data), "-- ", "-- So: ", 1),
		} {
			fsys := embedded(t)
			fsys[name] = &fstest.MapFile{Data: []byte(text)}
			check(name+": "+what, load(t, fsys), isImport, isView)
			index(name+": "+what, load(t, fsys), of[name])
		}
		fsys := embedded(t)
		delete(fsys, name)
		check(name+" gone", load(t, fsys), isImport, isView)
		index(name+" gone", load(t, fsys), of[name])
	}
	// A line that moves from the end of one file to the start of the next is a change too.
	const first, moved, second = "-- A.\nCREATE OR REPLACE VIEW a AS SELECT 1;\n", "-- Moved.\n", "-- B.\nCREATE OR REPLACE VIEW b AS SELECT 1;\n"
	one := load(t, fstest.MapFS{"1_a.sql": {Data: []byte(first + moved)}, "1_b.sql": {Data: []byte(second)}})
	two := load(t, fstest.MapFS{"1_a.sql": {Data: []byte(first)}, "1_b.sql": {Data: []byte(moved + second)}})
	if one.ViewsHash() == two.ViewsHash() {
		t.Error("a line moved from one file to another shows in no fingerprint")
	}
	renamed := load(t, fstest.MapFS{"2_a.sql": {Data: []byte(first)}, "1_b.sql": {Data: []byte(moved + second)}})
	if renamed.ViewsHash() == two.ViewsHash() {
		t.Error("another layer shows in no fingerprint")
	}
}

// catalogue is what a file of any layer above 0 may read besides lower layers.
var catalogue = map[string]bool{"raw": true, "indexed_files": true, "hosts": true, "settings": true, "forgotten": true, "index_meta": true}

var (
	comments = regexp.MustCompile(`--[^\n]*`)
	literals = regexp.MustCompile(`'(?:[^']|'')*'`)
	reads    = regexp.MustCompile(`(?i)\b(?:FROM|JOIN)\s+([a-z_][a-z0-9_.]*)(\s*\()?`)
	ctes     = regexp.MustCompile(`(?i)(?:\bWITH|\bRECURSIVE|,|\A)\s*([a-z_][a-z0-9_]*)(?:\s*\([a-z0-9_, ]*\))?\s+AS\s+(?:NOT\s+)?(?:MATERIALIZED\s+)?\(\s*(?:SELECT|FROM|WITH|VALUES)\b`)
)

// readsOf returns the names that a statement reads, without the ones it defines itself.
func readsOf(statement string) []string {
	code := literals.ReplaceAllString(comments.ReplaceAllString(statement, ""), "''")
	own := map[string]bool{}
	for _, m := range ctes.FindAllStringSubmatch(code, -1) {
		own[strings.ToLower(m[1])] = true
	}
	var out []string
	for _, m := range reads.FindAllStringSubmatchIndex(code, -1) {
		name := strings.ToLower(code[m[2]:m[3]])
		before := strings.Fields(strings.ToUpper(code[:m[0]]))
		switch {
		case own[name], m[4] >= 0: // its own, or a table function
		case name == "unnest", name == "select", name == "lateral":
		case len(before) > 1 && before[len(before)-1] == "DISTINCT": // IS DISTINCT FROM x
		default:
			out = append(out, name)
		}
	}
	return out
}

func TestReadsOf(t *testing.T) {
	for statement, want := range map[string]string{
		"SELECT a FROM raw":                    "raw",
		"WITH x AS (SELECT 1) SELECT * FROM x": "",
		"WITH x AS (FROM raw), y AS MATERIALIZED (SELECT 1) FROM x JOIN y USING (a) ANTI JOIN replays USING (b)": "raw replays",
		"SELECT 'FROM nowhere' FROM raw -- FROM comment":                                                         "raw",
		"SELECT a IS DISTINCT FROM b FROM raw":                                                                   "raw",
		"SELECT * FROM (SELECT 1 FROM hosts)":                                                                    "hosts",
		"SELECT * FROM range(3) JOIN settings ON true":                                                           "settings",
	} {
		if got := strings.Join(readsOf(statement), " "); got != want {
			t.Errorf("%s:\ngot  %q\nwant %q", statement, got, want)
		}
	}
}

// A file reads raw, the catalogue and lower layers only, so files of one layer can be made in any
// order and nothing depends on itself.
func TestLayers(t *testing.T) {
	set, err := Embedded()
	if err != nil {
		t.Fatal(err)
	}
	layers := map[string]int{}
	for _, o := range set {
		for _, name := range append([]string{o.Name}, o.Parts...) {
			layers[name] = o.Layer
		}
	}
	seeded := map[string]bool{}
	for _, o := range set.Seeded() {
		seeded[o.Name] = true
	}
	checked := 0
	for _, o := range set {
		for _, s := range append(append([]string{}, o.Create...), o.Fill) {
			for _, name := range readsOf(s) {
				checked++
				layer, known := layers[name]
				switch {
				case o.Layer == 0:
					t.Errorf("%s reads %s; the projection sees one line", o.File, name)
				case catalogue[name]:
				case !known:
					t.Errorf("%s reads %s, which is neither in the catalogue nor in the schema", o.File, name)
				case layer >= o.Layer:
					t.Errorf("%s reads %s of layer %d", o.File, name, layer)
				case o.Kind == Table && name != o.KeyView && !seeded[name]:
					t.Errorf("%s reads %s; a table is filled from the lines of raw, or from the view of its key and seeded tables", o.File, name)
				}
			}
		}
	}
	if checked < len(set) {
		t.Errorf("only %d names were looked at in %d files", checked, len(set))
	}
}

// The house rules of the headers that the parser does not hold.
func TestHeaders(t *testing.T) {
	set, err := Embedded()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]string{}
	for _, o := range set {
		if other, ok := names[o.Name]; ok {
			t.Errorf("%s and %s make one name", other, o.File)
		}
		names[o.Name] = o.File
		if o.Kind != Macro && !strings.Contains(o.Title, "one row per") {
			t.Errorf("%s: the first sentence does not say the grain: %q", o.File, o.Title)
		}
		if o.Kind != Macro && len(o.Columns) == 0 {
			t.Errorf("%s: no columns are described", o.File)
		}
		seen := map[string]bool{}
		for _, c := range o.Columns {
			if seen[c.Name] {
				t.Errorf("%s: column %s is described twice", o.File, c.Name)
			}
			seen[c.Name] = true
		}
		for i, line := range strings.Split(o.text, "\n") {
			if line != strings.TrimRight(line, " \t") || strings.Contains(line, "\t") {
				t.Errorf("%s:%d: blanks at the end, or a tab", o.File, i+1)
			}
			for _, word := range []string{" at ", "->>"} {
				if code := comments.ReplaceAllString(line, ""); strings.Contains(literals.ReplaceAllString(code, "''"), word) {
					t.Errorf("%s:%d: %q binds differently in 1.x and 2.x, or is a word of the newer", o.File, i+1, strings.TrimSpace(word))
				}
			}
		}
		if !strings.HasSuffix(o.text, ";\n") {
			t.Errorf("%s: does not end with a semicolon and a newline", o.File)
		}
	}
}
