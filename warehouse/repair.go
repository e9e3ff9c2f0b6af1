package warehouse

import (
	"bytes"
	"context"
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

// mend looks again at projected lines that DuckDB did not take for JSON: they are projected once
// more with what repair makes of them, or with the reason why nothing.
func (w *writer) mend(ctx context.Context, table string) error {
	broken := table + " WHERE parse_status = 'invalid' AND parse_reason IS NULL"
	var n int64
	if err := w.conn.QueryRowContext(ctx, "SELECT count(*) FROM "+broken).Scan(&n); err != nil || n == 0 {
		return engineError(err)
	}
	rows, err := w.query(ctx, `SELECT host, agent, source_file, source_line, byte_offset, generation,
		coalesce(file_session_id, ''), coalesce(file_agent_id, ''), bytes FROM `+broken)
	if err != nil {
		return fmt.Errorf("repair: %w", err)
	}
	defer rows.Close()
	var lines []stagedLine
	for rows.Next() {
		f := &found{}
		l := stagedLine{file: f}
		if err := rows.Scan(&f.root.Host, &f.root.Agent, &f.path, &l.number, &l.offset, &l.generation, &f.sessionID, &f.agentID, &l.bytes); err != nil {
			return fmt.Errorf("repair: %w", err)
		}
		text, reason, ok := repair(l.bytes)
		if ok {
			l.text = &text
		}
		if l.reason = reason; reason == "" {
			l.reason = "not JSON to DuckDB"
		}
		lines = append(lines, l)
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("repair: %w", engineError(err))
	}
	if err := w.appendTable(ctx, "broken", stagedColumns, stagedRows(lines)); err != nil {
		return fmt.Errorf("repair: %w", err)
	}
	err = w.projectLines(ctx, "s.main.mended", "SELECT * FROM s.main.broken")
	if err == nil {
		err = w.exec(ctx, "DELETE FROM "+broken, "INSERT INTO "+table+" BY NAME SELECT * FROM s.main.mended", "DROP TABLE s.main.broken", "DROP TABLE s.main.mended")
	}
	if err != nil {
		return fmt.Errorf("repair: %w", err)
	}
	return nil
}
