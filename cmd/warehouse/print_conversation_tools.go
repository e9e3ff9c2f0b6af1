// Calls of tools and their results.
//
// The rules are:
//
//   - A call is one line, its name and what it is about, and the rest of its input where that is
//     short. A longer rest follows below, a field a line.
//   - Models write inputs and any value can be in any field, so nothing is expected of them.

package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"warehouse/warehouse"
)

// Bounds of what is shown without --full.
const (
	callLines   = 20
	resultLines = 12
	failedLines = 20 // an error says what matters, often at its end
	cutRunes    = 2000
)

// callTargets are the fields of an input that say what a call is about, the best first.
var callTargets = []string{
	"command", "file_path", "notebook_path", "pattern", "query", "url", "skill", "description", "path", "prompt", "subject", "task_id",
}

const toolIndent = "  "

func (p conversationPrinter) call(i warehouse.ConversationItem) {
	name := i.ToolName
	if name == "" {
		name = "(no name)"
	}
	target, rest := callParts(i.Text)
	first, more, _ := strings.Cut(strings.TrimSpace(target), "\n")
	if more != "" {
		rest = append([]field{{"", more}}, rest...)
	}
	line := strings.TrimSpace(printSafe(name) + " " + printSafe(first))
	if short := shortFields(rest); short != "" {
		line += "  (" + short + ")"
		rest = nil
	}
	p.cutText(line, "", 1)
	// The old text of an edit is not to take all the room from the new one.
	long := 0
	for _, f := range rest {
		if f.isLong() {
			long++
		}
	}
	lines := max(3, callLines/max(1, long))
	for n, f := range rest {
		switch {
		case n == callLines && !p.options.Whole:
			p.text(fmt.Sprintf("… %s more (--full)", count(int64(len(rest)-n), "field")), toolIndent)
			return
		case f.name == "":
			p.cutText(f.value, toolIndent, lines)
		case f.isLong():
			p.text(printSafe(f.name)+":", toolIndent)
			p.cutText(f.value, toolIndent+toolIndent, lines)
		default:
			p.cutText(printSafe(f.name)+": "+f.value, toolIndent, 1)
		}
	}
}

func (p conversationPrinter) result(i warehouse.ConversationItem) {
	if strings.TrimSpace(i.Text) == "" {
		p.text("(no text)", toolIndent)
		return
	}
	lines := resultLines
	if i.IsError {
		lines = failedLines
	}
	p.cut(i.Text, toolIndent, lines, i.TextLength)
}

// cutText writes the head of a text that is here whole.
func (p conversationPrinter) cutText(s, indent string, lines int) {
	s = strings.TrimRight(s, " \t\r\n")
	p.cut(s, indent, lines, int64(utf8.RuneCountInString(s)))
}

// cut writes the head of a text, of which there may be more than is here: length counts its
// characters.
func (p conversationPrinter) cut(s, indent string, lines int, length int64) {
	head := s
	if !p.options.Whole {
		head = headOf(s, lines, cutRunes)
	}
	p.text(head, indent)
	if left := length - int64(utf8.RuneCountInString(head)); left > 0 && !p.options.Whole {
		p.text(fmt.Sprintf("… %s more (--full)", count(left, "character")), indent)
	}
}

// headOf is the beginning of a text: so many lines at most, and so many characters.
func headOf(s string, lines, runes int) string {
	for n, r := range s {
		if r == '\n' {
			lines--
		}
		if runes--; lines == 0 || runes < 0 {
			return strings.TrimRight(s[:n], "\n")
		}
	}
	return s
}

// field is a field of an input, with its value as text.
type field struct{ name, value string }

func (f field) isLong() bool { return f.name == "" || strings.Contains(f.value, "\n") }

// callParts takes what a call is about from its input, and returns the other fields in their order.
func callParts(input string) (target string, rest []field) {
	fields, ok := jsonFields(input)
	if !ok {
		if input == "null" {
			return "", nil
		}
		return jsonText(json.RawMessage(input)), nil
	}
	for _, name := range callTargets {
		for n, f := range fields {
			if f.name == name && strings.TrimSpace(f.value) != "" {
				return f.value, append(fields[:n:n], fields[n+1:]...)
			}
		}
	}
	return "", fields
}

// jsonFields are the fields of a JSON object in their order.
func jsonFields(object string) ([]field, bool) {
	dec := json.NewDecoder(strings.NewReader(object))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	var fields []field
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, false
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, false
		}
		fields = append(fields, field{fmt.Sprint(name), jsonText(value)})
	}
	return fields, true
}

// jsonText is a string itself, and any other value as JSON.
func jsonText(value json.RawMessage) string {
	var s string
	if json.Unmarshal(value, &s) == nil && string(value) != "null" {
		return s
	}
	return string(value)
}

// shortFields are fields on one line, empty where they are too long for that.
func shortFields(fields []field) string {
	const most = 80
	var parts []string
	for _, f := range fields {
		if f.name == "" || strings.ContainsAny(f.value, "\n\r") || len(f.value) > most {
			return ""
		}
		parts = append(parts, printSafe(f.name)+": "+printSafe(f.value))
	}
	line := strings.Join(parts, ", ")
	if len(line) > most {
		return ""
	}
	return line
}
