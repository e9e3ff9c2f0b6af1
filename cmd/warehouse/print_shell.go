package main

import (
	"fmt"
	"strings"
)

// shellQuote is a word that a shell reads as s, on one line and safe in a terminal: what cannot
// stand there is written in the way of bash and zsh, $'\x1b'.
func shellQuote(s string) string {
	plain, odd := s != "", false
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:=@%+,", r):
		case cellControl(r) || cellTurns(r) || r == '\ufffd':
			odd = true
		default:
			plain = false
		}
	}
	switch {
	case odd:
		var b strings.Builder
		for i := range len(s) {
			switch c := s[i]; {
			case c == '\'' || c == '\\':
				b.WriteString(`\` + string(rune(c)))
			case c < 0x20 || c >= 0x7f:
				fmt.Fprintf(&b, `\x%02x`, c)
			default:
				b.WriteByte(c)
			}
		}
		return "$'" + b.String() + "'"
	case plain:
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
