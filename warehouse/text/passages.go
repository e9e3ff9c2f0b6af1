package text

import "strings"

// Passages: what a search finds and shows.
//
// The rules are:
//
//   - A text of at most maxPassage characters is one passage.
//   - A longer one is cut where paragraphs end, so that each piece comes close to passageSize.
//   - A paragraph that is too long by itself is cut at a line's end, else behind a sentence, else at
//     a blank; and where there is no blank either, it is data, and cut anywhere.
//   - Passages do not overlap, and together they are the text but for blanks at their ends.
//
// A phrase that runs across a cut is not found as a phrase; its words are.

const (
	passageSize = 2000
	maxPassage  = 2400
)

// Passages cuts s and returns the pieces, none of them blank.
func Passages(s string) []string {
	var out []string
	for {
		s = strings.TrimSpace(s)
		if s == "" {
			return out
		}
		n := cut(s)
		out = append(out, strings.TrimSpace(s[:n]))
		s = s[n:]
	}
}

// cut returns how many bytes of s the first passage takes.
func cut(s string) int {
	// The rest is not counted: a text of many megabytes has many thousand passages.
	longest := bytesOf(s, maxPassage)
	if longest == len(s) {
		return len(s)
	}
	most := bytesOf(s, passageSize)
	head := s[:most]
	// A paragraph's end in the second half, or the first there is, if not too far.
	if i := strings.LastIndex(head, "\n\n"); i > most/4 {
		return i
	}
	for _, end := range []string{"\n", ". ", "。", "? ", "! "} {
		if i := strings.LastIndex(head, end); i > most/4 {
			return i + len(end)
		}
	}
	if i := strings.LastIndexAny(head, " \t"); i > most/4 {
		return i
	}
	// Not through a word, if its end is near.
	if i := strings.IndexFunc(s[most:longest], func(r rune) bool { return !IsWord(r) || IsUnspaced(r) }); i >= 0 {
		return most + i
	}
	return most
}

// bytesOf returns how many bytes the first n characters of s take.
func bytesOf(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}
