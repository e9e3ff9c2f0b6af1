// Cutting a script into its statements.

package queries

import (
	"regexp"
	"strings"
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
		text := strings.TrimFunc(script[start:end], isBlank)
		start += strings.Index(script[start:end], text)
		out = append(out, [2]int{start, start + len(text)})
	}
	start, blank := 0, true
	for i := 0; i < len(script); {
		rest := script[i:]
		r, skip := utf8.DecodeRuneInString(rest)
		switch {
		case r == '\'' || r == '"':
			skip = quotedLength(rest, false)
			blank = false
		case isLetter(r):
			skip = strings.IndexFunc(rest, func(r rune) bool { return !isLetter(r) && (r < '0' || r > '9') && r != '$' })
			if skip < 0 {
				skip = len(rest)
			}
			if quoted := rest[skip:]; strings.EqualFold(rest[:skip], "e") && strings.HasPrefix(quoted, "'") {
				skip += quotedLength(quoted, true) // in which a backslash escapes
			}
			blank = false
		case strings.HasPrefix(rest, "--"):
			if skip = strings.IndexAny(rest, "\r\n"); skip < 0 {
				skip = len(rest)
			}
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
		case !isBlank(r):
			blank = false
		}
		i += skip
	}
	if !blank {
		add(start, len(script))
	}
	return out
}

// goesOn is what stands between two pieces of one string. It matters where a backslash escapes,
// since it does so in all of them.
var goesOn = regexp.MustCompile(`^(?:[ \t\f\v]|--[^\r\n]*)*[\r\n](?:[ \t\f\v\r\n]|--[^\r\n]*[\r\n])*'`)

var dollarTag = regexp.MustCompile(`^\$([A-Za-z_\x{80}-\x{10FFFF}][A-Za-z0-9_\x{80}-\x{10FFFF}]*)?\$`)

// until returns the length of s up to and with the first end, or all of it.
func until(s, end string) int {
	if i := strings.Index(s, end); i >= 0 {
		return i + len(end)
	}
	return len(s)
}

// isLetter reports whether a name can begin with r. A "$" inside a name opens no string.
func isLetter(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || r == '_' || r >= utf8.RuneSelf && !isBlank(r)
}

// isBlank reports whether DuckDB takes r for a blank: it knows some characters without a width as
// such, and others that Unicode calls spaces it takes for letters.
func isBlank(r rune) bool {
	switch r {
	case ' ', '\t', '\n', '\v', '\f', '\r', '\u00a0', '\u202f', '\u205f', '\u2060', '\u3000', '\ufeff':
		return true
	}
	return '\u2000' <= r && r <= '\u200d'
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
		case escapes && goesOn.MatchString(s[i+1:]):
			i += len(goesOn.FindString(s[i+1:]))
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
