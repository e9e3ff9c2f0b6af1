package redact

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Text without escapes, and the way back.
//
// The rules are:
//
//   - A run of backslashes and the letter or quote behind it is the character it stands for in JSON
//     and most languages, however often it was escaped: \n, \\n and \" are a line end and a quote.
//     So are \/ and \u0026.
//   - The codes that color a terminal are left out: they stand before a token, and in it where a
//     search marked what it found.
//   - A path such as C:\new reads wrong that way. So this is only looked through beside the text.

// offsets lead from a text without escapes back to the one with them.
type offsets []offset

// offset is a place from which on both run alike, or a single character that is an escape.
type offset struct {
	plain, text int
	escape      bool
}

// find is the place that a byte belongs to.
func (o offsets) find(plain int) int {
	low, high := 0, len(o) // the last whose plain is not behind
	for high-low > 1 {
		if mid := (low + high) / 2; o[mid].plain <= plain {
			low = mid
		} else {
			high = mid
		}
	}
	return low
}

// from is where the character at plain begins, to where the one before plain ends.
func (o offsets) from(plain int) int {
	i := o.find(plain)
	return o[i].text + plain - o[i].plain
}

func (o offsets) to(plain int) int {
	i := o.find(plain - 1)
	if o[i].escape {
		return o[i+1].text
	}
	return o[i].text + plain - o[i].plain
}

// unescape returns text without its escapes; no offsets where it has none.
func unescape(text string) (string, offsets) {
	if strings.IndexByte(text, '\\') < 0 && strings.IndexByte(text, '\x1b') < 0 {
		return text, nil
	}
	b := make([]byte, 0, len(text))
	at := offsets{{}}
	done := 0
	for i := 0; i < len(text); {
		if text[i] != '\\' && text[i] != '\x1b' {
			i++
			continue
		}
		char, next := escape(text, i)
		if next == i {
			for i++; i < len(text) && text[i] == '\\'; i++ {
			}
			continue
		}
		b = append(b, text[done:i]...)
		if char == '\x1b' {
			next += color(text[next:])
		} else {
			at = append(at, offset{len(b), i, true})
			b = utf8.AppendRune(b, char)
		}
		i, done = next, next
		at = append(at, offset{len(b), i, false})
	}
	if len(at) == 1 {
		return text, nil
	}
	return string(append(b, text[done:]...)), at
}

// escape returns the character that an escape at i stands for and where it ends, i where there is
// none.
func escape(text string, i int) (rune, int) {
	if text[i] == '\x1b' {
		return '\x1b', i + 1
	}
	end := i
	for end < len(text) && text[end] == '\\' {
		end++
	}
	if end == len(text) {
		return 0, i
	}
	switch c := text[end]; c {
	case 'n', 'r', 't':
		return rune("\n\r\t"[strings.IndexByte("nrt", c)]), end + 1
	case '"', '\'', '/', '`':
		return rune(c), end + 1
	case 'u':
		if end+5 > len(text) {
			return 0, i
		}
		code, err := strconv.ParseUint(text[end+1:end+5], 16, 16)
		if err != nil || !utf8.ValidRune(rune(code)) {
			return 0, i
		}
		return rune(code), end + 5
	}
	return 0, i
}

// color is the length of what follows an escape character in a code: [01;31m.
func color(text string) int {
	if text == "" || text[0] != '[' {
		return 0
	}
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c >= '@' && c <= '~':
			return i + 1
		case c < ' ' || c > '?':
			return 0
		}
	}
	return 0
}
