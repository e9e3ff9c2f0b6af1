package text

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Span is a stretch of bytes.
type Span struct{ Start, End int }

// Spans returns where words of a search stand in a text, in order and apart from each other: runs
// that have a term in common with a word, and phrases and words of several runs as a whole.
func Spans(s string, words []Word) []Span {
	terms := map[string]bool{}
	var out []Span
	folded := strings.ToLower(s)
	for _, w := range words {
		// Where folding changes no lengths, a whole word or phrase can be looked up. Where it does,
		// or the text writes it otherwise, its runs are marked.
		found := false
		if w.Literal != "" && len(folded) == len(s) {
			for at := 0; ; {
				i := strings.Index(folded[at:], w.Literal)
				if i < 0 {
					break
				}
				out = append(out, Span{at + i, at + i + len(w.Literal)})
				at, found = at+i+len(w.Literal), true
			}
		}
		if !found {
			for _, t := range w.Terms {
				terms[t] = true
			}
		}
	}
	var t Tokenizer
	each(s, func(start, end int) {
		hit := false
		t.Terms(s[start:end], func(term string) { hit = hit || terms[term] })
		if hit {
			out = append(out, Span{start, end})
		}
	})
	slices.SortFunc(out, func(a, b Span) int { return a.Start - b.Start })
	merged := out[:0]
	for _, span := range out {
		if n := len(merged); n > 0 && span.Start <= merged[n-1].End {
			merged[n-1].End = max(merged[n-1].End, span.End)
			continue
		}
		merged = append(merged, span)
	}
	return merged
}

// each calls run for each stretch of letters, digits and their marks; for scripts without blanks
// for each two neighbours.
func each(s string, run func(start, end int)) {
	start, unspaced, before := -1, false, 0
	flush := func(end int) {
		if start >= 0 {
			run(start, end)
		}
		start = -1
	}
	for i, r := range s {
		inside := IsWord(r) || start >= 0 && unicode.Is(unicode.M, r)
		u := IsUnspaced(r)
		switch {
		case !inside:
			flush(i)
		case start < 0:
			start, unspaced, before = i, u, i
		case u != unspaced && !unicode.Is(unicode.M, r):
			flush(i)
			start, unspaced, before = i, u, i
		case u:
			run(before, i+utf8.RuneLen(r))
			start, before = i, i
		}
	}
	flush(len(s))
}
