package text

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// Whatever a text is, its passages together are the text, each of its words finds it, and what is
// marked in it are those words. Inputs that are always run are in testdata/fuzz.
func FuzzText(f *testing.F) {
	var used Tokenizer // for all inputs, as the index uses it
	f.Fuzz(func(t *testing.T, s string) {
		seen := map[string]bool{}
		passages := Passages(s)
		for _, p := range passages {
			if p == "" || strings.TrimSpace(p) != p || utf8.RuneCountInString(p) > maxPassage {
				t.Fatalf("passage %q of %q", p, s)
			}
			var terms []string
			used.Terms(p, func(term string) {
				if term == "" || strings.ContainsFunc(term, func(r rune) bool { return !IsWord(r) || unicode.IsUpper(r) && unicode.ToLower(r) != r }) {
					t.Fatalf("term %q of %q", term, p)
				}
				terms = append(terms, term)
				seen[term] = true
			})
			if again := termsOf(p); !slices.Equal(terms, again) {
				t.Fatalf("%q: a tokenizer that was used says %q, a new one %q", p, terms, again)
			}
		}
		if got, want := squeezed(strings.Join(passages, "")), squeezed(s); got != want {
			t.Fatalf("passages are %q, want %q", got, want)
		}
		if words := Query(s); utf8.RuneCountInString(s) <= maxPassage {
			checkQuery(t, s, words, seen)
		}
		checkSpans(t, s, Query(s))
	})
}

func squeezed(s string) string { return strings.Join(strings.Fields(s), "") }

// checkQuery asserts that a text which is searched for as it stands is found: a cut may go through
// data without blanks, so it has to be one passage.
func checkQuery(t *testing.T, s string, words []Word, seen map[string]bool) {
	t.Helper()
	for _, w := range words {
		for _, term := range w.Terms {
			if !seen[term] {
				t.Fatalf("%q asks for %q, which the text %q does not have", w.Text, term, s)
			}
		}
		// Quotes are all alike in a search.
		text := quotes.Replace(s)
		if w.IsPhrase && !strings.Contains(strings.ToLower(text), w.Literal) {
			t.Fatalf("phrase %q: no %q in %q", w.Text, w.Literal, s)
		}
		if w.Pattern == "" {
			continue
		}
		pattern, err := regexp.Compile(w.Pattern)
		if err != nil {
			t.Fatalf("%q: %v", w.Text, err)
		}
		if !strings.Contains(Fold(text), w.Literal) || !pattern.MatchString(Fold(text)) {
			t.Fatalf("%q: no %q in %q", w.Text, w.Pattern, Fold(text))
		}
	}
}

// checkSpans asserts that spans are in order and apart, go through no character, and hold a word
// or a phrase each.
func checkSpans(t *testing.T, s string, words []Word) {
	t.Helper()
	asked := map[string]bool{}
	for _, w := range words {
		for _, term := range w.Terms {
			asked[term] = true
		}
	}
	last := -1
	for _, span := range Spans(s, words) {
		if span.Start <= last || span.End <= span.Start || span.End > len(s) {
			t.Fatalf("span %v behind %d in %d bytes", span, last, len(s))
		}
		last = span.End
		marked := s[span.Start:span.End]
		if utf8.ValidString(s) && !utf8.ValidString(marked) {
			t.Fatalf("span %v cuts %q", span, s)
		}
		if !slices.ContainsFunc(termsOf(marked), func(term string) bool { return asked[term] }) &&
			!slices.ContainsFunc(words, func(w Word) bool { return w.Literal != "" && strings.Contains(strings.ToLower(marked), w.Literal) }) {
			t.Fatalf("%q is marked in %q", marked, s)
		}
	}
	if len(asked) > 0 && last < 0 {
		t.Fatalf("nothing is marked in %q, which holds its own words", s)
	}
}
