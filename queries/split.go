// Cutting a script into its statements.

package queries

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Split cuts a script at the semicolons that are not inside a string, a quoted name or a comment.
func Split(script string) []string {
	var out []string
	for _, at := range split(script) {
		out = append(out, script[at[0]:at[1]])
	}
	return out
}

// split returns where statements begin and end, comments before them included.
func split(script string) [][2]int {
	var out [][2]int
	add := func(start, end int) {
		text := strings.TrimSpace(script[start:end])
		start += strings.Index(script[start:end], text)
		out = append(out, [2]int{start, start + len(text)})
	}
	start, blank := 0, true
	for i := 0; i < len(script); {
		rest := script[i:]
		r, skip := utf8.DecodeRuneInString(rest)
		switch {
		case r == '\'' || r == '"':
			skip = quotedLength(rest, r == '\'' && escapes(script[:i]))
			blank = false
		case strings.HasPrefix(rest, "--"):
			skip = until(rest, "\n")
		case strings.HasPrefix(rest, "/*"):
			skip = commentLength(rest)
		case r == '$':
			if tag := dollarTag.FindString(rest); tag != "" {
				skip = len(tag) + until(rest[len(tag):], tag)
			}
			blank = false
		case r == ';':
			if !blank {
				add(start, i)
			}
			start, blank = i+1, true
		case !unicode.IsSpace(r):
			blank = false
		}
		i += skip
	}
	if !blank {
		add(start, len(script))
	}
	return out
}

var dollarTag = regexp.MustCompile(`^\$([A-Za-z_][A-Za-z0-9_]*)?\$`)

// until returns the length of s up to and with the first end, or all of it.
func until(s, end string) int {
	if i := strings.Index(s, end); i >= 0 {
		return i + len(end)
	}
	return len(s)
}

// escapes reports whether a string behind this text is an E'…', in which a backslash escapes.
func escapes(before string) bool {
	n := len(before)
	if n == 0 || before[n-1] != 'e' && before[n-1] != 'E' {
		return false
	}
	r, _ := utf8.DecodeLastRuneInString(before[:n-1])
	return !(r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r))
}

// quotedLength is the length of a quoted run at the start of s, doubled quotes included.
func quotedLength(s string, escapes bool) int {
	for i := 1; i < len(s); i++ {
		switch {
		case escapes && s[i] == '\\':
			i++
		case s[i] != s[0]:
		case i+1 < len(s) && s[i+1] == s[0]:
			i++
		default:
			return i + 1
		}
	}
	return len(s)
}

// commentLength is the length of a comment at the start of s; comments nest.
func commentLength(s string) int {
	depth := 0
	for i := 0; i < len(s)-1; i++ {
		switch s[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			depth--
			i++
			if depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}
