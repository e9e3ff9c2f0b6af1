package text

import (
	"regexp"
	"slices"
	"strings"
)

// MaxWords is how many words of a search count.
const MaxWords = 50

// Word is a word or a phrase of a search.
type Word struct {
	Text     string   // as typed
	IsPhrase bool     // it stood between quotes
	Terms    []string // what the index knows of it, without repeats; none for a phrase of signs alone
	Literal  string   // what a text must hold besides, in lower case; empty where the terms say all
	Pattern  string   // RE2 for the same with its borders, for a text without accents; empty for a phrase
}

const unspacedClass = `[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー]`

var (
	quotes     = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`)
	hyphenated = regexp.MustCompile(`^[a-zA-Z\x{C0}-\x{24F}]+(-[a-zA-Z\x{C0}-\x{24F}]+)+$`)
)

// signs are taken off the ends of a word. A list rather than all that is no letter: a class of all
// letters takes DuckDB 2 ms to compile.
const signs = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~‘’‚…–—·•、。，！？；：「」『』（）【】《》"

// Query takes the words of a search apart, by the rules at the head of schema/7_search_words.sql.
func Query(s string) []Word {
	var out []Word
	typed := 0
	add := func(word string, phrase bool) {
		if typed++; word == "" || typed > 10*MaxWords || len(out) == MaxWords {
			return
		}
		if slices.ContainsFunc(out, func(w Word) bool { return w.Text == word && w.IsPhrase == phrase }) {
			return
		}
		if w := wordOf(word, phrase); phrase || len(w.Terms) > 0 {
			out = append(out, w)
		}
	}
	for i, part := range strings.Split(quotes.Replace(s), `"`) {
		if i%2 == 1 {
			add(strings.Trim(part, " \n\t\r"), true)
			continue
		}
		for _, word := range strings.FieldsFunc(part, func(r rune) bool { return strings.ContainsRune("\t\n\f\r ", r) }) {
			word = strings.Trim(word, signs)
			parts := []string{word}
			if hyphenated.MatchString(word) {
				parts = strings.Split(word, "-")
			}
			for _, p := range parts {
				add(p, false)
			}
		}
	}
	return out
}

func wordOf(word string, phrase bool) Word {
	w := Word{Text: word, IsPhrase: phrase}
	folded := Fold(word)
	runs := runsOf(folded)
	add := func(term string) {
		if !slices.Contains(w.Terms, term) {
			w.Terms = append(w.Terms, term)
		}
	}
	compound := len(runs) > 1
	for _, run := range runs {
		switch {
		case IsUnspaced(run[0]):
			compound = compound || len(run) > 2
			if len(run) == 1 {
				add(string(run))
			}
			for i := range len(run) - 1 {
				add(string(run[i : i+2]))
			}
		default:
			compound = compound || len(run) > MaxRun
			add(Stem(string(run[:min(len(run), MaxRun)])))
		}
	}
	switch {
	case phrase:
		w.Literal = strings.ToLower(word)
	case compound:
		w.Literal = folded
		before, behind := `(?:^|[^\pL\pN]|`+unspacedClass+`)`, `(?:$|[^\pL\pN]|`+unspacedClass+`)`
		letters := []rune(folded)
		if IsUnspaced(letters[0]) {
			before = ""
		}
		if IsUnspaced(letters[len(letters)-1]) {
			behind = ""
		}
		w.Pattern = before + regexp.QuoteMeta(folded) + behind
	}
	return w
}

// runsOf splits folded text into runs of letters and digits, each of scripts with blanks or of
// such without.
func runsOf(folded string) [][]rune {
	var out [][]rune
	inRun, unspaced := false, false
	for _, r := range folded {
		if !IsWord(r) {
			inRun = false
			continue
		}
		if u := IsUnspaced(r); !inRun || u != unspaced {
			out = append(out, nil)
			inRun, unspaced = true, u
		}
		out[len(out)-1] = append(out[len(out)-1], r)
	}
	return out
}
