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
	folded, from := lowered(s)
	for _, w := range words {
		// A whole word or phrase is looked up. Where the text writes it otherwise, its runs are marked.
		found := false
		if w.Literal != "" {
			for at := 0; ; {
				i := strings.Index(folded[at:], w.Literal)
				if i < 0 {
					break
				}
				start := at + i
				at, found = start+len(w.Literal), true
				out = append(out, Span{from(start), from(at)})
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

// lowered returns s in lower case, and where in s a character of that begins. Some letters are longer
// in lower case, some shorter, and bytes that are no text are longer, so lengths say nothing.
func lowered(s string) (folded string, from func(int) int) {
	folded = strings.ToLower(s)
	if isASCII(s) {
		return folded, func(i int) int { return i }
	}
	places := make([]int, 0, len(folded)+1)
	for i, r := range s {
		for range utf8.RuneLen(unicode.ToLower(r)) {
			places = append(places, i)
		}
	}
	places = append(places, len(s))
	return folded, func(i int) int { return places[i] }
}

// each calls run for each stretch of letters, digits and their marks; for scripts without blanks
// for each two neighbours. A syllable of Korean may be written in up to three characters.
func each(s string, run func(start, end int)) {
	start, unspaced, before := -1, false, 0
	flush := func(end int) {
		if start >= 0 {
			run(start, end)
			if before > start {
				run(before, end)
			}
		}
		start = -1
	}
	for i, r := range s {
		u := IsUnspaced(r)
		switch {
		case start >= 0 && (unicode.Is(unicode.M, r) || unspaced && '\u1160' <= r && r <= '\u11ff'):
			// Belongs to the letter before it.
		case !IsWord(r):
			flush(i)
		case start < 0:
			start, unspaced, before = i, u, i
		case u != unspaced:
			flush(i)
			start, unspaced, before = i, u, i
		case u:
			if before > start {
				run(start, i)
				start = before
			}
			before = i
		}
	}
	flush(len(s))
}
