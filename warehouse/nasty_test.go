package warehouse

import (
	"database/sql"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

// Transcripts with every oddity that was ever met: all are imported, come back byte for byte, and
// break no view.

// oddLines is what is said of the lines that are not plain JSON, by file and line. A line that is
// not named is ok.
var oddLines = map[string]map[int]string{
	"invalid-json-middle.jsonl": {2: "invalid: not JSON: ends inside a value"},
	"plain-text-line.jsonl":     {2: "invalid: not JSON: 'w' at byte 0", 3: "invalid: not JSON: '<' at byte 0"},
	"stub-glued-record.jsonl":   {2: "repaired: record behind the stub of another"},
	"two-objects-glued.jsonl":   {2: "invalid: not JSON: '{' at byte 399"},
	"invalid-utf8.jsonl":        {4: "repaired: invalid UTF-8"},
	"invalid-utf8-kinds.jsonl":  each("repaired: invalid UTF-8", 2, 3, 4, 5, 6, 7),
	"lone-surrogates.jsonl":     each("repaired: lone surrogate escape", 2, 3, 4, 5, 7, 8, 9),
	"nul-run-line.jsonl":        {2: "invalid: NUL bytes"},
	"nul-padding.jsonl":         {2: "repaired: NUL padding"},
	"nul-leading.jsonl":         {2: "repaired: NUL padding"},
	"nul-tail.jsonl":            {3: "torn: no line end"},
	"nul-in-string.jsonl":       {3: "repaired: control character in a string"},
	"escaped-nul.jsonl":         {},
	"control-characters.jsonl":  each("repaired: control character in a string", 3, 4, 5),
	"crlf.jsonl":                {},
	"crlf-mixed.jsonl":          {3: "blank: blank"},
	"bom.jsonl":                 {1: "repaired: byte order mark"},
	"blank-lines.jsonl":         each("blank: blank", 1, 3, 4, 5, 6, 8),
	"lone-cr.jsonl":             {3: "repaired: control character in a string", 4: "invalid: not JSON: '{' at byte 379"},
	"line-separator.jsonl":      {},
	"vertical-tab-form-feed.jsonl": {2: "repaired: control character in a string", 3: "repaired: control character in a string",
		4: "invalid: not JSON: 0x0c at byte 393", 5: "blank: blank"},
	"empty.jsonl":            {},
	"only-newlines.jsonl":    each("blank: blank", 1, 2, 3, 4, 5),
	"torn-tail.jsonl":        {3: "torn: no line end"},
	"torn-tail-only.jsonl":   {1: "torn: no line end"},
	"torn-utf8-tail.jsonl":   {2: "torn: no line end"},
	"no-final-newline.jsonl": {},
	"duplicate-keys.jsonl":   {},
	"deep-nesting.jsonl":     {},
	"token-values.jsonl":     {},
	"top-level-values.jsonl": {},
	// DuckDB takes NaN, -Infinity and a trailing comma (2 to 4), and no other laxness.
	"lax-json.jsonl": {5: "invalid: not JSON: '/' at byte 381", 6: "invalid: not JSON: '/' at byte 0", 7: "invalid: not JSON: '/' at byte 0",
		8: "invalid: not JSON: '#' at byte 0", 9: "invalid: not JSON: '/' at byte 379", 10: `invalid: not JSON: '\'' at byte 379`,
		11: "invalid: not JSON: 'k' at byte 374", 12: "invalid: not JSON: '0' at byte 383", 13: "invalid: not JSON: '+' at byte 379",
		14: "invalid: not JSON: 'x' at byte 374", 15: "invalid: not JSON: '.' at byte 380", 16: "invalid: not JSON: 'x' at byte 382",
		17: "invalid: not JSON: '\"' at byte 379", 18: "invalid: not JSON: 'T' at byte 374", 19: "invalid: not JSON: ';' at byte 384",
		20: "invalid: not JSON: 'T' at byte 379"},
	"unicode-mix.jsonl": {},

	// Made by the test.
	"x-long-line.jsonl":   {},
	"x-deep.jsonl":        {},
	"x-many-blanks.jsonl": every("blank: blank", 2, 20_001),
	"x-long-broken.jsonl": {2: "invalid: not JSON: ends inside a value"},
	"x-long-latin1.jsonl": {1: "repaired: invalid UTF-8"},
}

func each(what string, lines ...int) map[int]string {
	m := map[int]string{}
	for _, l := range lines {
		m[l] = what
	}
	return m
}

func every(what string, from, to int) map[int]string {
	m := map[int]string{}
	for l := from; l <= to; l++ {
		m[l] = what
	}
	return m
}

// makeOddities writes what git should not hold.
func makeOddities(t *testing.T, dir string) {
	t.Helper()
	const record = `{"type":"user","uuid":"x-%s","sessionId":"x","timestamp":"2026-10-20T10:00:00.000Z","message":{"role":"user","content":%s}}`
	line := func(id, content string) string { return fmt.Sprintf(record, id, content) + "\n" }
	text := func(n int) string { return `"` + strings.Repeat("long tool output ", n/17) + `"` }
	long := 40 << 20
	if testing.Short() {
		long = 4 << 20
	}
	rng := rand.New(rand.NewPCG(3, 4))
	random := make([]byte, 300_000)
	for i := range random {
		random[i] = byte(rng.Uint32())
	}
	for name, content := range map[string]string{
		"x-long-line.jsonl":   line("1", `"before"`) + line("2", text(long)) + line("3", `"behind"`),
		"x-long-broken.jsonl": line("4", `"before"`) + line("5", text(1<<20))[:1<<20] + "\n" + line("6", `"behind"`),
		"x-long-latin1.jsonl": strings.ReplaceAll(line("7", text(1<<20)), "tool", "t\xf6\xf6l") + line("8", `"behind"`),
		"x-deep.jsonl":        line("9", strings.Repeat(`[{"a":`, 500)+"1"+strings.Repeat("}]", 500)) + line("10", strings.Repeat("[", 20_000)+strings.Repeat("]", 20_000)),
		"x-many-blanks.jsonl": line("11", `"before"`) + strings.Repeat("\n", 20_000) + line("12", `"behind"`),
		"x-random.jsonl":      string(random),
		"x-random-tail.jsonl": line("13", `"before"`) + strings.ReplaceAll(string(random[:5000]), "\n", " "),
	} {
		writeFile(t, filepath.Join(dir, "-home-dev-generated", name), content)
	}
}

func TestNastyTranscripts(t *testing.T) {
	t.Parallel()
	projects := filepath.Join(t.TempDir(), "projects")
	if err := os.CopyFS(projects, os.DirFS("../testdata/transcripts/projects")); err != nil {
		t.Fatal(err)
	}
	makeOddities(t, projects)
	opt := localRoot(t, filepath.Join(t.TempDir(), "warehouse"), projects)
	sum := mustRefresh(t, opt)
	var paths []string
	err := filepath.WalkDir(projects, func(path string, d fs.DirEntry, err error) error {
		if d.Name() == "tool-results" || d.Name() == "memory" {
			return fs.SkipDir
		}
		if err == nil && strings.HasSuffix(path, ".jsonl") && d.Name() != "journal.jsonl" {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if sum.Failed != 0 || sum.Skipped != 0 || sum.Added != len(paths) {
		t.Errorf("got %d failed, %d skipped, %d added; want %d added: %v", sum.Failed, sum.Skipped, sum.Added, len(paths), sum.Failures)
	}
	checkTidy(t, opt.Layout)
	checkRestored(t, opt.Layout, paths)

	db := plainDuckDB(t)
	if _, err := db.Exec("ATTACH " + quote(opt.Layout.Published) + " AS w (READ_ONLY)"); err != nil {
		t.Fatal(err)
	}
	checkOddLines(t, db)
	checkViewsRead(t, db, "w")

	// A line that is broken hides none of its neighbours.
	var around int
	if err := db.QueryRow(`SELECT count(*) FROM w.text_content WHERE raw_text IN ('before', 'behind')`).Scan(&around); err != nil {
		t.Fatal(err)
	}
	if want := 8; around != want {
		t.Errorf("of the records around generated oddities %d are there, want %d", around, want)
	}
	// An append to such a file, and its fresh reading, agree too.
	for _, path := range paths {
		appendFile(t, path, `{"type":"user","uuid":"x-last","sessionId":"x","message":{"role":"user","content":"last"}}`+"\n")
	}
	if sum := mustRefresh(t, opt); sum.Appended != len(paths) {
		t.Errorf("got %d appended, want %d", sum.Appended, len(paths))
	}
	checkRestored(t, opt.Layout, paths)
	compareAllWithFresh(t, opt)
}

func checkOddLines(t *testing.T, db *sql.DB) {
	t.Helper()
	rows, err := db.Query(`SELECT regexp_extract(source_file, '[^/]*$'), source_line, parse_status || ': ' || reason FROM w.broken_lines`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	got := map[string]map[int]string{}
	for rows.Next() {
		var file, what string
		var line int
		if err := rows.Scan(&file, &line, &what); err != nil {
			t.Fatal(err)
		}
		if got[file] == nil {
			got[file] = map[int]string{}
		}
		got[file][line] = what
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	for file := range got {
		if _, ok := oddLines[file]; !ok && !strings.HasPrefix(file, "x-random") {
			t.Errorf("%s: not expected to have lines that are not ok: %v", file, got[file])
		}
	}
	for file, want := range oddLines {
		lines := map[int]bool{}
		for l := range want {
			lines[l] = true
		}
		for l := range got[file] {
			lines[l] = true
		}
		sorted := make([]int, 0, len(lines))
		for l := range lines {
			sorted = append(sorted, l)
		}
		sort.Ints(sorted)
		for _, l := range sorted {
			if got[file][l] != want[l] {
				t.Errorf("%s:%d: got %q, want %q", file, l, got[file][l], want[l])
			}
		}
	}
}

// checkViewsRead reads every column of every row of every view.
func checkViewsRead(t *testing.T, db *sql.DB, alias string) {
	t.Helper()
	rows, err := db.Query("SELECT view_name FROM duckdb_views() WHERE database_name = ? AND NOT internal ORDER BY view_name", alias)
	if err != nil {
		t.Fatal(err)
	}
	var views []string
	for rows.Next() {
		var v string
		if err := rows.Scan(&v); err != nil {
			t.Fatal(err)
		}
		views = append(views, v)
	}
	rows.Close()
	if len(views) < 10 {
		t.Fatalf("only %d views", len(views))
	}
	for _, v := range views {
		var n int64
		var sum sql.NullString
		if err := db.QueryRow("SELECT count(*), sum(hash(v)::HUGEINT)::VARCHAR FROM "+alias+"."+quoteName(v)+" AS v").Scan(&n, &sum); err != nil {
			t.Errorf("%s: %v", v, err)
		}
	}
}
