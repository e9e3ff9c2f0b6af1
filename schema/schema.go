// Package schema holds everything that is derived from raw, one object a file, and reads the
// headers of those files.
//
// The rules are:
//
//   - The file's name is its layer, an underscore and the object's name: 2_sessions.sql makes
//     sessions. A file reads raw, the catalogue and lower layers only.
//   - Layer 0 is the projection: macros that say what the columns of raw are.
//   - The SQL verb says how an object is kept. A view or macro is made and that is all. A table
//     is made by CREATE TABLE and filled by the INSERT behind it, which reads raw line by line
//     and so can be run on new lines alone; or, seeded, from the CSV file of its name (seed.go);
//     or, keyed ("Key: view.column" in its header), from that view and seeded tables: its rows for
//     one value of the column depend on the view's rows of that value alone, so it can be kept by
//     deleting the values that a refresh touched and running the INSERT on those; or, of the word
//     index ("Index: table" in its header, the table it is made from), by the program.
//   - The header is a comment: a first sentence with the grain, text, and "Columns:". It becomes
//     COMMENT ON, so it is what people read in any client.
//   - A near-miss is an error naming file and line.
//
// Files can be pasted into DuckDB as they are. The fingerprint of a stage is over the bytes of
// its files, not over what DuckDB prints back, since that is printed anew by each version.
package schema

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"sort"
	"strings"
	"sync"
)

//go:embed *.sql *.csv
var files embed.FS

// Kind says how an object is kept.
type Kind string

// The kinds a file can make.
const (
	Macro Kind = "macro"
	View  Kind = "view"
	Table Kind = "table"
)

// Column is a documented column of an object.
type Column struct {
	Name        string
	Description string
}

// Object is one file of the schema.
type Object struct {
	File        string // name of the file
	Name        string // name of the object
	Layer       int    // leading digit of the file name
	Kind        Kind
	Title       string // first sentence: what it is, with the grain
	Description string // the text behind it, without line ends inside paragraphs
	Columns     []Column
	Parts       []string // macros a file makes beside the one it is named for
	Create      []string // statements that make the object
	Fill        string   // INSERT of a table, else empty
	KeyView     string   // view that a keyed table reads, else empty
	KeyColumn   string   // its key in that view and in the table
	IndexOf     string   // derived table that a table of the word index is made from, else empty
	Seed        string   // CSV of a seeded table, else empty
	text        string
}

// Comment is the text for COMMENT ON.
func (o Object) Comment() string {
	if o.Description == "" {
		return o.Title
	}
	return o.Title + "\n\n" + o.Description
}

// Set is a whole schema, in the order in which its objects are made.
type Set []Object

// Embedded returns the schema this program was built with.
var Embedded = sync.OnceValues(func() (Set, error) { return Load(files) })

// algorithm counts changes of how the files are applied that their bytes do not show.
const algorithm = "3"

// ImportHash is the fingerprint of the projection, layer 0.
func (s Set) ImportHash() string {
	return s.hash(func(o Object) bool { return o.Layer == 0 })
}

// ViewsHash is the fingerprint of the derived tables, views and macros above it.
func (s Set) ViewsHash() string {
	return s.hash(func(o Object) bool { return o.Layer > 0 && o.IndexOf == "" })
}

// IndexHash is the fingerprint of the word index: its tables and what they are made from.
func (s Set) IndexHash() string {
	from := map[string]bool{}
	for _, o := range s.Index() {
		from[o.IndexOf] = true
	}
	return s.hash(func(o Object) bool { return o.IndexOf != "" || from[o.Name] })
}

func (s Set) hash(in func(Object) bool) string {
	sorted := append(Set(nil), s...)
	sort.Slice(sorted, func(i, j int) bool { return sorted[i].File < sorted[j].File })
	h := sha256.New()
	fmt.Fprintf(h, "%s\n", algorithm)
	for _, o := range sorted {
		if in(o) {
			fmt.Fprintf(h, "%s %d\n%s", o.File, len(o.text), o.text)
			fmt.Fprintf(h, "%d\n%s", len(o.Seed), o.Seed)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Tables returns the tables derived from raw line by line.
func (s Set) Tables() []Object {
	return s.filter(func(o Object) bool { return o.Fill != "" && o.KeyView == "" })
}

// Keyed returns the tables kept by key.
func (s Set) Keyed() []Object {
	return s.filter(func(o Object) bool { return o.KeyView != "" })
}

// Seeded returns the tables that CSV files fill.
func (s Set) Seeded() []Object {
	return s.filter(func(o Object) bool { return o.Seed != "" })
}

// Index returns the tables of the word index.
func (s Set) Index() []Object {
	return s.filter(func(o Object) bool { return o.IndexOf != "" })
}

func (s Set) filter(in func(Object) bool) []Object {
	var out []Object
	for _, o := range s {
		if in(o) {
			out = append(out, o)
		}
	}
	return out
}

// Load reads the *.sql files at the top of fsys, and the *.csv files of seeded tables.
func Load(fsys fs.FS) (Set, error) {
	names, err := fs.Glob(fsys, "*.sql")
	if err != nil {
		return nil, err
	}
	sort.Strings(names)
	var set Set
	for _, name := range names {
		text, err := fs.ReadFile(fsys, name)
		if err != nil {
			return nil, err
		}
		o, err := parse(name, string(text))
		if err != nil {
			return nil, err
		}
		if o.Kind == Table && o.Fill == "" && o.IndexOf == "" {
			seed, err := fs.ReadFile(fsys, o.Name+".csv")
			if err != nil {
				return nil, fmt.Errorf("%s: table without INSERT, and no %s.csv", o.File, o.Name)
			}
			o.Seed = string(seed)
			if _, err := o.SeedRows(o.Name+".csv", o.Seed, BuiltIn); err != nil {
				return nil, err
			}
		}
		set = append(set, o)
	}
	return set, nil
}

var (
	fileName  = regexp.MustCompile(`^([0-9])_([a-z][a-z0-9_]*)\.sql$`)
	keyLine   = regexp.MustCompile(`^ Key: ([a-z][a-z0-9_]*)\.([a-z][a-z0-9_]*)$`)
	indexLine = regexp.MustCompile(`^ Index: ([a-z][a-z0-9_]*)$`)
	columnRow = regexp.MustCompile(`^  ([a-z][a-z0-9_]*)  +(\S.*)$`)
	created   = regexp.MustCompile(`(?s)^CREATE OR REPLACE (MACRO|VIEW) ([a-z][a-z0-9_]*)\b|^CREATE (TABLE) ([a-z][a-z0-9_]*)\b|^INSERT INTO ([a-z][a-z0-9_]*)\b`)
)

func parse(name, text string) (Object, error) {
	m := fileName.FindStringSubmatch(name)
	if m == nil {
		return Object{}, fmt.Errorf("%s: name is not <digit>_<object>.sql", name)
	}
	o := Object{File: name, Name: m[2], Layer: int(m[1][0] - '0'), text: text}
	body, err := o.header(text)
	if err != nil {
		return Object{}, err
	}
	if err := o.statements(body); err != nil {
		return Object{}, err
	}
	return o, nil
}

// header takes the leading comment apart and returns the text behind it.
func (o *Object) header(text string) (string, error) {
	lines := strings.SplitAfter(text, "\n")
	var paragraph, paragraphs []string
	flush := func() {
		if len(paragraph) > 0 {
			paragraphs = append(paragraphs, strings.Join(paragraph, " "))
			paragraph = nil
		}
	}
	inColumns := false
	n := 0
	for ; n < len(lines) && strings.HasPrefix(lines[n], "--"); n++ {
		line := strings.TrimSuffix(strings.TrimPrefix(lines[n], "--"), "\n")
		bad := func(what string) error { return fmt.Errorf("%s:%d: %s", o.File, n+1, what) }
		switch word := strings.TrimSpace(line); {
		case word == "Columns:":
			if line != " Columns:" {
				return "", bad(`"-- Columns:" is written with one blank`)
			}
			if inColumns {
				return "", bad(`second "Columns:"`)
			}
			flush()
			inColumns = true
		case strings.EqualFold(strings.TrimSuffix(word, ":"), "columns"), strings.EqualFold(word, "column:"):
			return "", bad(fmt.Sprintf("got %q, want \"Columns:\"", word))
		case strings.HasPrefix(word, "Index:"):
			m := indexLine.FindStringSubmatch(line)
			if m == nil {
				return "", bad(`an index is written "-- Index: table"`)
			}
			if o.IndexOf != "" {
				return "", bad(`second "Index:"`)
			}
			flush()
			o.IndexOf = m[1]
		case strings.HasPrefix(word, "Key:"):
			m := keyLine.FindStringSubmatch(line)
			if m == nil {
				return "", bad(`a key is written "-- Key: view.column"`)
			}
			if o.KeyView != "" {
				return "", bad(`second "Key:"`)
			}
			flush()
			o.KeyView, o.KeyColumn = m[1], m[2]
		case word == "":
			flush()
		case !inColumns:
			paragraph = append(paragraph, word)
		default:
			if c := columnRow.FindStringSubmatch(strings.TrimPrefix(line, " ")); c != nil {
				if slices.ContainsFunc(o.Columns, func(was Column) bool { return was.Name == c[1] }) {
					return "", bad(fmt.Sprintf("column %q is described twice", c[1]))
				}
				o.Columns = append(o.Columns, Column{c[1], c[2]})
			} else if len(o.Columns) > 0 && strings.HasPrefix(line, "      ") {
				last := &o.Columns[len(o.Columns)-1]
				last.Description += " " + word
			} else {
				return "", bad(`a column is written "--   name  description"`)
			}
		}
	}
	flush()
	if len(paragraphs) == 0 {
		return "", fmt.Errorf("%s:1: no header", o.File)
	}
	if !strings.HasSuffix(paragraphs[0], ".") {
		return "", fmt.Errorf("%s:1: the first paragraph is not a sentence with the grain", o.File)
	}
	o.Title, o.Description = paragraphs[0], strings.Join(paragraphs[1:], "\n\n")
	return strings.Join(lines[n:], ""), nil
}

// statements splits the body at semicolons that end a line.
func (o *Object) statements(body string) error {
	for _, s := range strings.Split(body+"\n", ";\n") {
		s = strings.TrimSpace(s)
		if s == "" {
			continue
		}
		code := s
		for strings.HasPrefix(code, "--") {
			_, code, _ = strings.Cut(code, "\n")
			code = strings.TrimSpace(code)
		}
		if code == "" {
			continue
		}
		m := created.FindStringSubmatch(code)
		if m == nil {
			return fmt.Errorf("%s: a statement is neither CREATE OR REPLACE MACRO or VIEW, CREATE TABLE nor INSERT INTO: %.40q", o.File, code)
		}
		switch {
		case m[1] == "MACRO" && (o.Kind == "" || o.Kind == Macro):
			o.Kind = Macro
			if m[2] != o.Name {
				o.Parts = append(o.Parts, m[2])
			}
		case m[1] == "VIEW" && m[2] == o.Name && o.Kind == "":
			o.Kind = View
		case m[3] == "TABLE" && m[4] == o.Name && o.Kind == "":
			o.Kind = Table
		case m[5] == o.Name && o.Kind == Table && o.Fill == "":
			o.Fill = s
			continue
		default:
			return fmt.Errorf("%s: makes %q, want the one object %q", o.File, m[2]+m[4]+m[5], o.Name)
		}
		o.Create = append(o.Create, s)
	}
	switch {
	case o.Kind == "":
		return fmt.Errorf("%s: no statement", o.File)
	case o.KeyView != "" && o.Fill == "":
		return fmt.Errorf("%s: a key, and no INSERT INTO %s", o.File, o.Name)
	case o.IndexOf != "" && (o.Kind != Table || o.Fill != ""):
		return fmt.Errorf("%s: an index is a table without INSERT", o.File)
	case o.Kind == Macro && len(o.Parts) == len(o.Create):
		return fmt.Errorf("%s: makes no macro %q", o.File, o.Name)
	}
	return nil
}
