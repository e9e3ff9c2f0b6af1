// Text from transcripts, made fit to be shown.
//
// The rules are:
//
//   - Control characters are shown as \x1b and \u009b, broken UTF-8 as U+FFFD. What a line end
//     is depends on the format: in a table it is a blank, in CSV itself, in Markdown <br>.
//   - Characters that turn the direction of text around are shown too where a person reads:
//     they make a line read as what it is not.
//   - In a table each character has the width that go-pretty gives it. It counts code points, and
//     terminals do not agree about emoji that are joined from several, so they are shown apart.

package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/text"
)

func cellControl(r rune) bool { return r < 0x20 || r >= 0x7f && r < 0xa0 }

// cellTurns are embeddings, overrides and isolates of the bidirectional algorithm.
func cellTurns(r rune) bool { return r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 }

func cellVisible(r rune) string {
	if r < 0x80 {
		return fmt.Sprintf(`\x%02x`, r)
	}
	return fmt.Sprintf(`\u%04x`, r)
}

// cellPlain tells whether text needs no cleaning in any format.
func cellPlain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] >= 0x7f || s[i] == '\\' || s[i] == '|' || s[i] == '<' {
			return false
		}
	}
	return true
}

func cellCleanCSV(s string) string {
	if cellPlain(s) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\n', r == '\t', r == '\r' && strings.HasPrefix(s[i+1:], "\n"), !cellControl(r):
			b.WriteRune(r)
		default:
			b.WriteString(cellVisible(r))
		}
	}
	return b.String()
}

// cellCleanMarkdown keeps text in its cell and from becoming HTML. Other marks are left: most text
// is more often read as it stands than rendered.
func cellCleanMarkdown(s string) string {
	if cellPlain(s) {
		return s
	}
	var b strings.Builder
	s = strings.ReplaceAll(s, "\r\n", "\n")
	for i, r := range s {
		switch {
		case r == '\n' || r == '\r':
			b.WriteString("<br>")
		case r == '\t':
			b.WriteByte(' ')
		case r == '|':
			b.WriteString(`\|`)
		case r == '<':
			b.WriteString("&lt;")
		case r == '\\' && i+1 < len(s) && strings.IndexByte("\\|<`*_{}[]()#+-.!>~", s[i+1]) >= 0:
			b.WriteString(`\\`)
		case cellControl(r) || cellTurns(r):
			b.WriteString(cellVisible(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// cellCleanLine is text on one line of a table, and its width. Above limit the rest is not looked
// at: a cell can be a hundred megabytes. A limit of 0 is none.
func cellCleanLine(s string, limit int) (string, int) {
	var b strings.Builder
	width, blanks := 0, 0
	broken := false // a line end or tab is among the blanks
	var before rune
	for _, r := range s {
		switch {
		case r == ' ':
			blanks++
			continue
		case r >= '\t' && r <= '\r', r == '\u0085', r == '\u2028', r == '\u2029':
			broken = true
			continue
		case r == '\ufe0e' || r == '\ufe0f', r >= 0x1f3fb && r <= 0x1f3ff && text.RuneWidth(before) == 2:
			continue
		case r == '\u200d' && (text.RuneWidth(before) == 2 || before >= 0x2600 && before < 0x2800):
			continue
		}
		if broken {
			blanks = min(b.Len(), 1)
		}
		b.WriteString(strings.Repeat(" ", blanks))
		width += blanks
		blanks, broken = 0, false
		if cellControl(r) || cellTurns(r) {
			shown := cellVisible(r)
			b.WriteString(shown)
			width += len(shown)
		} else {
			b.WriteRune(r)
			width += text.RuneWidth(r)
		}
		before = r
		if limit > 0 && width > limit {
			break
		}
	}
	return b.String(), width
}

// printSafe is text on one line that is safe in a terminal, for messages: paths and errors quote
// what transcripts hold.
func printSafe(s string) string {
	s, _ = cellCleanLine(s, 0)
	return s
}

// cellCut shortens a line to the width, with a mark where text is missing.
func cellCut(s string, width int) string {
	const mark = "…"
	if text.StringWidthWithoutEscSequences(s) <= width {
		return s
	}
	left := width - text.RuneWidth('…')
	end := 0
	for i, r := range s {
		left -= text.RuneWidth(r)
		if left < 0 {
			break
		}
		end = i + utf8.RuneLen(r)
	}
	return strings.TrimRight(s[:end], " ") + mark
}

// cleanLines is text of several lines that is safe in a terminal: as printSafe, but line ends,
// tabs and blanks stay.
func cleanLines(s string) string {
	if cellPlain(strings.ReplaceAll(s, "\n", "")) {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case r == '\r' && strings.HasPrefix(s[i+1:], "\n"):
		case cellControl(r) || cellTurns(r):
			b.WriteString(cellVisible(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
