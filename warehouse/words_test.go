package warehouse

import (
	"database/sql"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"warehouse/schema"
	"warehouse/warehouse/text"
)

// The words of a query are taken apart twice: by package text, which also made the index, and by
// macros in the file, for clients without this program. Both must agree on everything.

// withMacros is a plain database with macros of the schema in it.
func withMacros(t testing.TB, names ...string) *sql.DB {
	t.Helper()
	db := plainDuckDB(t)
	t.Cleanup(func() { db.Close() })
	db.SetMaxOpenConns(1)
	set, err := schema.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range set {
		if slices.Contains(names, o.Name) {
			for _, s := range o.Create {
				if _, err := db.Exec(s); err != nil {
					t.Fatalf("%s: %v", o.File, err)
				}
			}
		}
	}
	return db
}

// sqlStems are the stems of words by the macro.
func sqlStems(t testing.TB, db *sql.DB, words []string) []string {
	t.Helper()
	rows, err := db.Query("SELECT stem FROM word_stems((SELECT list(w ORDER BY n) FROM (SELECT unnest(string_split(?, ' ')) AS w, unnest(range(?)) AS n))) ORDER BY position",
		strings.Join(words, " "), len(words))
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
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func compareStems(t testing.TB, db *sql.DB, words []string) {
	t.Helper()
	slices.Sort(words)
	words = slices.Compact(words)
	got := sqlStems(t, db, words)
	if len(got) != len(words) {
		t.Fatalf("%d stems of %d words", len(got), len(words))
	}
	wrong := 0
	for i, w := range words {
		if want := text.Stem(w); got[i] != want {
			if wrong++; wrong < 20 {
				t.Errorf("%s: got %s, want %s", w, got[i], want)
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d words differ", wrong, len(words))
	}
}

var latinWord = regexp.MustCompile(`[a-z]+`)

// wordsBelow are the words of the letters a to z in the files of a folder.
func wordsBelow(t testing.TB, dir string) []string {
	t.Helper()
	seen := map[string]bool{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		for _, w := range latinWord.FindAllString(strings.ToLower(string(b)), -1) {
			seen[w] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for w := range seen {
		out = append(out, w)
	}
	return out
}

func TestWordStems(t *testing.T) {
	db := withMacros(t, "word_stems")
	t.Run("written", func(t *testing.T) {
		words := wordsBelow(t, "../testdata")
		if len(words) < 5000 {
			t.Fatalf("only %d words", len(words))
		}
		compareStems(t, db, words)
	})
	t.Run("exceptions", func(t *testing.T) {
		compareStems(t, db, strings.Fields(`skis skies dying lying tying idly gently ugly early only singly sky news howe atlas cosmos bias andes
			inning outing canning herring earring proceed exceed succeed innings proceeding generate general generously communism communal communion arsenal arsenic
			yes youth boy boyish say sayyid happy happily cry by dry fly enjoy enjoyed ties dies cries gas this gaps kiwis hoping hopping fall falling hiss hissing
			agreed feed luxuriated hop hopped egged sized bead embed bedded hoping ogged plastered sing singing national rational optional relate relating relational
			callousness decisiveness formalize electrical electricity hopeful goodness adoption revival allowance inference airliner adjustable defensible replacement
			adjustment dependent effective bowdlerize probate rate cease controll roll ee eed ing ed ly s ss`))
	})
	t.Run("made", func(t *testing.T) {
		suffixes := strings.Fields(`s es ed ing ly eed eedly edly ingly y ies ied sses tional enci anci abli entli izer ization ational ation ator alism aliti alli fulness ousli
			ousness iveness iviti biliti bli ogi fulli lessli li alize icate iciti ical ful ness ative al ance ence er ic able ible ant ement ment ent ism ate iti ous ive ize ion sion tion e l ll`)
		stems := strings.Fields(`a be happ cr fl rel hop hopp bedd gener commun arsen univers cont electr nat opt form decis call adjust replac contr yell y boy ay toy rhythm
			st str skyl tr agr fe exc proc succ oo ee xx ww pp tt bil vis log analog prob ceas rat siz fuzz wax show tax mix`)
		var words []string
		for _, stem := range stems {
			words = append(words, stem)
			for _, one := range suffixes {
				words = append(words, stem+one)
				for _, two := range suffixes {
					words = append(words, stem+one+two)
				}
			}
		}
		random := rand.New(rand.NewPCG(1, 2))
		for range 100_000 {
			n := 1 + random.IntN(9)
			var b strings.Builder
			for range n {
				b.WriteByte("aeiouyyylstndgbcmprxwvfzkhjq"[random.IntN(28)])
			}
			if random.IntN(2) == 0 {
				b.WriteString(suffixes[random.IntN(len(suffixes))])
			}
			words = append(words, b.String())
		}
		compareStems(t, db, words)
	})
	t.Run("left as they are", func(t *testing.T) {
		words := []string{"über", "http2", "retri1", strings.Repeat("x", 41) + "s", "修复", "Cries"}
		if got := sqlStems(t, db, words); !slices.Equal(got, words) {
			t.Errorf("got %q", got)
		}
	})
}

func FuzzWordStems(f *testing.F) {
	db := withMacros(f, "word_stems")
	f.Fuzz(func(t *testing.T, s string) {
		if words := latinWord.FindAllString(strings.ToLower(s), -1); len(words) > 0 {
			compareStems(t, db, words)
		}
	})
}

// compareWords holds search_words against text.Query.
func compareWords(t testing.TB, db *sql.DB, typed string) {
	t.Helper()
	var got string
	err := db.QueryRow(`SELECT coalesce(string_agg(concat_ws('|', word_number, word, coalesce(term, '-'), term_count, coalesce(literal, '-'), coalesce(pattern, '-')), chr(10)
		ORDER BY word_number, term), '') FROM search_words(?::VARCHAR)`, typed).Scan(&got)
	if err != nil {
		t.Fatalf("%q: %v", typed, err)
	}
	var want []string
	for i, w := range text.Query(typed) {
		terms := slices.Sorted(slices.Values(w.Terms))
		if len(terms) == 0 {
			terms = []string{"-"}
		}
		or := func(s string) string {
			if s == "" {
				return "-"
			}
			return s
		}
		for _, term := range terms {
			want = append(want, fmt.Sprintf("%d|%s|%s|%d|%s|%s", i+1, w.Text, term, len(terms), or(w.Literal), or(w.Pattern)))
		}
	}
	// How a sign is escaped in a pattern is RE2's business.
	plain := func(s string) string { return strings.ReplaceAll(s, `\`, "") }
	if plain(got) != plain(strings.Join(want, "\n")) {
		t.Errorf("%q: the macro says\n%s\nand package text\n%s", typed, got, strings.Join(want, "\n"))
	}
}

func TestSearchWords(t *testing.T) {
	db := withMacros(t, "word_stems", "search_words")
	for _, typed := range []string{
		"", " ", `"`, `""`, "'", ";", "-> =>", "the", "0", "a b a", `x "y z" w`, `"->"`, "“smart quotes” «ici» „da“", "unclosed \"phrase here",
		"why did we drop redis", "bd-q3fy RETRY_BUDGET_MS http2.go E0277 budget", "follow-ups re-index co-op-s a-1 -x x- --y", "pkg/net/http2.go C:\\Users\\dev",
		"重跑gen-itgc后修复已验证", "会議の件、再試行します", "修 修复 修复已", "コーヒー 한국어 ไทย ភាសា", "Café naïve Straße İstanbul ǅ ﬁ Å Ω",
		"Cafe\u0301 n\u0303", "DROP TABLE raw; --", "a%b_c ?(x)|[y]*.+^$", "emoji 😀 👩‍👩‍👧 ok", strings.Repeat("ab ", 300), strings.Repeat("w1 w2 w3 w4 ", 2000),
		strings.Repeat("x", 200), strings.Repeat("é", 200), strings.Repeat("修", 200), "tab\tnew\nline\u00a0nbsp\u2003em", "SELECT * FROM search('x')", "привет мир", "हिन्दी में",
	} {
		compareWords(t, db, typed)
	}
}

func FuzzSearchWords(f *testing.F) {
	db := withMacros(f, "word_stems", "search_words")
	f.Fuzz(func(t *testing.T, s string) {
		if utf8.ValidString(s) && !strings.Contains(s, "\x00") && len(s) < 2000 {
			compareWords(t, db, s)
		}
	})
}

// Every character there is: as a word of its own, and between two letters.
func TestEveryCharacter(t *testing.T) {
	db := withMacros(t)
	rows, err := db.Query(`
		SELECT i, lower(strip_accents(chr(i::INTEGER))),
			regexp_matches(lower(strip_accents(chr(i::INTEGER))), '^[\pL\pN]'),
			regexp_matches(lower(strip_accents(chr(i::INTEGER))), '^[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー]')
		FROM range(1, 1114112) AS r(i)
		WHERE i NOT BETWEEN 55296 AND 57343`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	n, wrong := 0, 0
	for rows.Next() {
		var i int
		var folded string
		var isWord, isUnspaced bool
		if err := rows.Scan(&i, &folded, &isWord, &isUnspaced); err != nil {
			t.Fatal(err)
		}
		n++
		want := text.Fold(string(rune(i)))
		first, _ := utf8.DecodeRuneInString(want)
		if folded != want || want != "" && (isWord != text.IsWord(first) || isUnspaced != text.IsUnspaced(first)) {
			if wrong++; wrong <= 10 {
				t.Errorf("U+%04X: DuckDB has %q, word %v, unspaced %v; package text %q, %v, %v", i, folded, isWord, isUnspaced, want, text.IsWord(first), text.IsUnspaced(first))
			}
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	if n < 1_100_000 {
		t.Errorf("only %d characters", n)
	}
	if wrong > 0 {
		t.Errorf("%d characters differ", wrong)
	}
}
