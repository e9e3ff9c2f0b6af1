package warehouse

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"warehouse/warehouse/text"
)

// searched is a warehouse of the trees of testdata, the corpus too where it is there and the test
// is not short.
func searched(t testing.TB) (*Reader, string) {
	t.Helper()
	opt := localRoot(t, t.TempDir(), "../testdata/sample/projects")
	for i, tree := range []string{"judged/projects", "transcripts"} {
		opt.Roots = append(opt.Roots, Root{fmt.Sprint("host", i), "claude-code", filepath.Join("../testdata", tree)})
	}
	for i, root := range opt.Roots {
		path, err := filepath.Abs(root.Path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path); err != nil {
			t.Fatal(err)
		}
		opt.Roots[i].Path = path
	}
	mustRefresh(t, opt)
	r, err := OpenReadOnly(context.Background(), opt.Layout.Published, ReadOptions{TimeZone: "UTC"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r, opt.Layout.Published
}

// passageTexts are the texts of all passages.
func passageTexts(t testing.TB, r *Reader) []string {
	t.Helper()
	rows, err := r.conn.QueryContext(context.Background(), "SELECT DISTINCT coalesce(short_text, packed_text) FROM passages ORDER BY 1")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		out = append(out, s)
	}
	return out
}

// everything finds with all filters open.
func everything(words string) SearchOptions {
	return SearchOptions{Words: words, Kinds: Kinds(), Subagents: true, Injected: true, Automated: true, Limit: 1_000_000}
}

var (
	oracleWord = regexp.MustCompile(`[\pL\pN]+(?:[._/:-][\pL\pN]+)*`)
	camelParts = regexp.MustCompile(`\p{Lu}+[\p{Ll}\pN]*|[\p{Ll}\pN]+`)
	letterRuns = regexp.MustCompile(`[\pL\pN]+`)
)

// A word search finds each passage that a scan finds to hold the word as a whole word, and none
// that has neither the word nor another form of it.
func TestSearchOracle(t *testing.T) {
	r, _ := searched(t)
	texts := passageTexts(t, r)
	if len(texts) < 500 {
		t.Fatalf("only %d passages", len(texts))
	}
	// Words of every kind, each class spread over the texts.
	seen := map[string]int{}
	for _, s := range texts {
		for _, w := range oracleWord.FindAllString(s, -1) {
			seen[w]++
		}
	}
	classes := map[string][]string{}
	all := make([]string, 0, len(seen))
	for w := range seen {
		all = append(all, w)
	}
	sort.Strings(all)
	for _, w := range all {
		class := "rare"
		switch first, _ := utf8.DecodeRuneInString(w); {
		case utf8.RuneCountInString(w) > 60:
			continue
		case text.IsUnspaced(first):
			class = "unspaced"
		case strings.ContainsAny(w, "/"):
			class = "path"
		case strings.ContainsAny(w, "._:-"):
			class = "identifier"
		case strings.Trim(w, "0123456789") == "":
			class = "number"
		case text.Fold(w) != strings.ToLower(w):
			class = "accented"
		case camelParts.FindString(w) != w:
			class = "camel"
		case seen[w] > 30:
			class = "common"
		}
		classes[class] = append(classes[class], w)
	}
	for _, class := range []string{"rare", "common", "identifier", "path", "number", "accented", "camel", "unspaced"} {
		words := classes[class]
		if len(words) == 0 {
			t.Errorf("no words of class %s", class)
			continue
		}
		t.Run(class, func(t *testing.T) {
			for i := range min(25, len(words)) {
				w := words[i*len(words)/min(25, len(words))]
				checkWord(t, r, texts, w)
			}
		})
	}
}

func checkWord(t *testing.T, r *Reader, texts []string, w string) {
	t.Helper()
	res, err := r.Search(context.Background(), everything(w), time.Now())
	if err != nil {
		t.Fatalf("%q: %v", w, err)
	}
	found := map[string]bool{}
	for _, h := range res.Hits {
		if len(h.Missing) == 0 {
			found[h.Text] = true
		}
	}
	border := `[^\pL\pN\pM]`
	if first, _ := utf8.DecodeRuneInString(w); text.IsUnspaced(first) {
		border = "" // such a script has no borders
	}
	scan := regexp.MustCompile(`(?i)` + regexp.QuoteMeta(w))
	if border != "" {
		scan = regexp.MustCompile(`(?i)(?:^|` + border + `)` + regexp.QuoteMeta(w) + `(?:$|` + border + `)`)
	}
	stems := map[string]bool{}
	for _, run := range letterRuns.FindAllString(text.Fold(w), -1) {
		stems[text.Stem(run)] = true
	}
	for _, s := range texts {
		switch {
		case scan.MatchString(s) && !found[s]:
			t.Errorf("%q: not found in %.300q", w, s)
		case found[s] && !scan.MatchString(s) && !holdsForms(s, stems):
			t.Errorf("%q: found in %.300q", w, s)
		}
	}
}

// holdsForms reports whether a text has words of all the stems, camelCase taken apart.
func holdsForms(s string, stems map[string]bool) bool {
	have := map[string]bool{}
	for _, run := range letterRuns.FindAllString(s, -1) {
		for _, form := range append(camelParts.FindAllString(run, -1), run) {
			have[text.Stem(text.Fold(form))] = true
		}
	}
	for _, run := range letterRuns.FindAllString(text.Fold(s), -1) {
		have[text.Stem(run)] = true
		letters := []rune(run)
		for i := range letters {
			have[string(letters[i])] = true
			have[string(letters[i:min(len(letters), i+2)])] = true
		}
	}
	for stem := range stems {
		letters := []rune(stem)
		if len(letters) > 2 && text.IsUnspaced(letters[0]) {
			if !strings.Contains(s, stem) {
				return false
			}
			continue
		}
		if !have[stem] {
			return false
		}
	}
	return true
}

// A client without this program finds the same by the macros, in the same order, forms that the
// transcripts do not have among it.
func TestSearchMacros(t *testing.T) {
	r, path := searched(t)
	queries := []string{"redis", "retried retrying", "deadlocking migrations", "http2.go timeout", "RETRY_BUDGET_MS", "会議 再試行", `"context deadline exceeded"`, "naïve caches",
		"why did we drop redis", "the", `"->"`, "a b c d e f", "cargo cache misses in CI", "nothingthere", "E0277"}
	type place struct {
		file             string
		line, item, part int64
		text             string
	}
	want := map[string][]place{}
	for _, q := range queries {
		for _, anyWord := range []bool{false, true} {
			res, err := r.Search(context.Background(), SearchOptions{Words: q, Limit: 20, Any: anyWord}, time.Now())
			if err != nil {
				t.Fatalf("%q: %v", q, err)
			}
			key := fmt.Sprint(anyWord, q)
			want[key] = []place{}
			for _, h := range res.Hits {
				want[key] = append(want[key], place{h.SourceFile, h.SourceLine, h.ItemIndex, h.PassageNumber, h.Text})
			}
		}
	}
	r.Close()
	db := plainDuckDB(t)
	db.SetMaxOpenConns(1)
	for _, s := range []string{"ATTACH " + quote(path) + " AS w (READ_ONLY)", "USE w"} {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
	hits := 0
	for key, places := range want {
		macro, q := "search", strings.TrimPrefix(key, "false")
		if strings.HasPrefix(key, "true") {
			macro, q = "search_any", strings.TrimPrefix(key, "true")
		}
		rows, err := db.Query("SELECT source_file, source_line, item_index, passage_number, text FROM "+macro+"(?) LIMIT 20", q)
		if err != nil {
			t.Fatalf("%s(%q): %v", macro, q, err)
		}
		got := []place{}
		for rows.Next() {
			var p place
			if err := rows.Scan(&p.file, &p.line, &p.item, &p.part, &p.text); err != nil {
				t.Fatal(err)
			}
			got = append(got, p)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		rows.Close()
		hits += len(got)
		if !slices.Equal(got, places) {
			for i := range max(len(got), len(places)) {
				if i >= len(got) || i >= len(places) || got[i] != places[i] {
					t.Errorf("%s(%q): %d hits, want %d; the first difference is hit %d", macro, q, len(got), len(places), i+1)
					break
				}
			}
		}
	}
	if hits < 100 {
		t.Errorf("only %d hits in all", hits)
	}
	for form, written := range map[string]string{"deadlockings": "deadlock", "rollbacked": "rollback"} {
		var n int
		if err := db.QueryRow("SELECT count(*) FROM passages WHERE contains(lower(short_text), ?)", form).Scan(&n); err != nil || n > 0 {
			t.Errorf("%s is written %d times: %v", form, n, err)
		}
		if err := db.QueryRow("SELECT count(*) FROM search(?) WHERE contains(lower(text), ?)", form, written).Scan(&n); err != nil || n == 0 {
			t.Errorf("%s does not find %s: %v", form, written, err)
		}
	}
}

// No input breaks a search.
func TestSearchOddWords(t *testing.T) {
	r, _ := searched(t)
	for _, words := range []string{
		"", " ", "\x00", "a\x00b", "\xff\xfe", `"`, `""`, `"""`, "'", "';--", `\`, "%", "_", "*", "?", "(", "[a-z]+", "{", "$1", "NULL", "NOT AND OR NEAR", "x:y^2~",
		"the of and", "...", "😀", "👩‍👩‍👧 and 😀 text", strings.Repeat("word ", 20_000), strings.Repeat("x", 100_000), strings.Repeat(`"a b" `, 5000), strings.Repeat("修复", 30_000),
		"\u202e", "\u00a0", "ǅ İ ß ﬁ", strings.Repeat("a-", 5000), strings.Repeat("a.b/", 500),
	} {
		for _, o := range []SearchOptions{everything(words), {Words: words, Limit: 3}, {Words: words, Limit: 3, Any: true}, {Words: words, Limit: 3, Kinds: []string{ToolResult}}, {Words: words, Limit: 3, Literal: true}} {
			if _, err := r.Search(context.Background(), o, time.Now()); err != nil && err != ErrNoWords {
				t.Errorf("%.60q: %v", words, err)
			}
		}
	}
}

// Where every host may be shown nothing is searched a second time for what may not.
func TestSearchOpenHosts(t *testing.T) {
	r, _ := searched(t)
	for _, tt := range []struct{ given, left []string }{
		{nil, nil},
		{[]string{"host0", "host1", LocalHost}, nil},
		{[]string{"host0", "host1", "laptop", LocalHost}, nil},
		{[]string{"host0", LocalHost}, []string{"host0", LocalHost}},
	} {
		o := SearchOptions{EgressHosts: tt.given}
		if err := r.openHosts(t.Context(), &o); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(o.EgressHosts, tt.left) {
			t.Errorf("%q: left %q, want %q", tt.given, o.EgressHosts, tt.left)
		}
	}
}

// What runs at the same time computes days in the same zone, and may set as little.
func TestReaderBeside(t *testing.T) {
	_, path := searched(t)
	r, err := OpenReadOnly(t.Context(), path, ReadOptions{TimeZone: "Australia/Lord_Howe"})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, r := range []*Reader{r, r.beside()} {
		var zone, schema string
		if err := r.conn.QueryRowContext(t.Context(), "SELECT current_setting('TimeZone'), current_catalog()").Scan(&zone, &schema); err != nil {
			t.Fatal(err)
		}
		if zone != "Australia/Lord_Howe" || schema != "warehouse" {
			t.Errorf("zone %q, catalogue %q", zone, schema)
		}
		for _, s := range []string{"SET TimeZone = 'UTC'", "SET enable_external_access = true", "CREATE TABLE warehouse.main.t (i INTEGER)", "ATTACH '" + path + ".2' AS z"} {
			if _, err := r.conn.ExecContext(t.Context(), s); err == nil {
				t.Errorf("%s: no error", s)
			}
		}
	}
}
