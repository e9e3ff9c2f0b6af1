package warehouse

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Repair turns the bytes of a line that is not JSON into text that is, so that the views can
// show what the record says. The bytes themselves are kept beside it, always.
//
// The rules are:
//
//   - Only what cannot change a meaning is mended: marks before the record, padding behind it,
//     bytes and escapes that stand for no character, control characters inside strings.
//   - A record glued behind the stub of another is taken, since the stub says nothing whole; two
//     whole records on one line are not, since a row shows one.
//   - Nothing is closed, cut or invented: half a record stays broken.

// repair returns the text and what was wrong. ok is false where the line stays broken; the
// reason then says why.
func repair(b []byte) (text, reason string, ok bool) {
	var faults []string
	note := func(fault string) { faults = append(faults, fault) }

	if rest, found := bytes.CutPrefix(b, []byte("\xef\xbb\xbf")); found {
		b = rest
		note("byte order mark")
	}
	if trimmed := bytes.Trim(b, "\x00"); len(trimmed) < len(b) {
		if len(bytes.TrimSpace(trimmed)) == 0 {
			return "", "NUL bytes", false
		}
		b = trimmed
		note("NUL padding")
	}
	if !utf8.Valid(b) {
		b = bytes.ToValidUTF8(b, []byte("\uFFFD"))
		note("invalid UTF-8")
	}
	if mended, changed := escapeControls(b); changed {
		b = mended
		note("control character in a string")
	}
	if mended, changed := mendSurrogates(b); changed {
		b = mended
		note("lone surrogate escape")
	}
	if !json.Valid(b) {
		if glued, found := gluedRecord(b); found {
			b = glued
			note("record behind the stub of another")
		} else {
			return "", strings.Join(append(faults, syntaxError(b)), ", "), false
		}
	}
	return string(b), strings.Join(faults, ", "), true
}

// escapeControls writes control characters inside strings as escapes. Outside of strings a
// control character is left, to be judged as syntax.
func escapeControls(b []byte) ([]byte, bool) {
	inString, escaped, changed := false, false, false
	var out []byte
	for i, c := range b {
		switch {
		case inString && c < 0x20:
			if !changed {
				out, changed = append(out, b[:i]...), true
			}
			out = fmt.Appendf(out, "\\u%04x", c)
			escaped = false
			continue
		case escaped:
			escaped = false
		case c == '\\' && inString:
			escaped = true
		case c == '"':
			inString = !inString
		}
		if changed {
			out = append(out, c)
		}
	}
	if !changed {
		return b, false
	}
	return out, true
}

var unicodeEscapes = regexp.MustCompile(`\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[dD][89a-fA-F][0-9a-fA-F]{2}|.)`)

// mendSurrogates writes the replacement character for \ud800 to \udfff that form no pair. The
// pattern steps over every other escape, so that \\ud800 is left.
func mendSurrogates(b []byte) ([]byte, bool) {
	if !bytes.Contains(b, []byte(`\ud`)) && !bytes.Contains(b, []byte(`\uD`)) {
		return b, false
	}
	changed := false
	b = unicodeEscapes.ReplaceAllFunc(b, func(e []byte) []byte {
		if len(e) == 6 {
			changed = true
			return []byte(`\ufffd`)
		}
		return e
	})
	return b, changed
}

var recordStart = regexp.MustCompile(`\{\s*"(?:type|parentUuid|sessionId|uuid|leafUuid|messageId)"\s*:`)

// gluedTries bounds the work on one line: a stub has few places where a record can begin.
const gluedTries = 32

// gluedRecord finds a whole record at the end of a line that a killed writer began.
func gluedRecord(b []byte) ([]byte, bool) {
	for _, at := range recordStart.FindAllIndex(b, gluedTries) {
		rest := b[at[0]:]
		if at[0] == 0 || !json.Valid(rest) {
			continue
		}
		if json.Valid(b[:at[0]]) {
			return nil, false
		}
		var envelope struct {
			Type json.RawMessage `json:"type"`
		}
		if json.Unmarshal(rest, &envelope) == nil && len(envelope.Type) > 0 {
			return rest, true
		}
	}
	return nil, false
}

// syntaxError says where a line stops being JSON, in bytes from its start.
func syntaxError(b []byte) string {
	var v json.RawMessage
	err := json.Unmarshal(b, &v)
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return "not JSON"
	}
	if int(syntax.Offset) >= len(b) && strings.Contains(syntax.Error(), "unexpected end") {
		return "not JSON: ends inside a value"
	}
	at := max(syntax.Offset-1, 0)
	if int(at) < len(b) {
		return fmt.Sprintf("not JSON: %s at byte %d", describe(b[at]), at)
	}
	return "not JSON"
}
