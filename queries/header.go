// Reading the header of a report.
//
// The rules are:
//
//   - The first line is the title, the second is empty. Then text, then the sections, each once.
//   - A column is "--   name  description": three blanks before, two or more between. A line
//     indented by two more continues the description.
//   - An example is "--   command"; a line indented by two more continues it, on a line of its own.
//   - Text is set anew when shown, so a line end in it is a blank. A line that is indented or
//     begins with "- " or "* " keeps its place.

package queries

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var (
	section   = regexp.MustCompile(`^ (Columns|Examples?):$`)
	nearMiss  = regexp.MustCompile(`(?i)^(columns?|examples?)\s*(:.*)?$`)
	oneWord   = regexp.MustCompile(`^[A-Z][A-Za-z]*:$`)
	columnRow = regexp.MustCompile(`^   ([a-z][a-z0-9_]*)  +(\S.*)$`)
	exampleIs = regexp.MustCompile(`^ {3}(\S.*)$`)
	deeper    = regexp.MustCompile(`^ {5,}(\S.*)$`)
)

type header struct {
	q     *Query
	in    string // section being read, "" in the text
	seen  []string
	ended bool // an empty line followed the columns
	text  strings.Builder
	gap   bool // an empty line precedes the next one of the text
}

// header reads the leading comment, given without blanks at the line ends.
func (p parser) header(q *Query, lines []string) error {
	if len(lines) == 0 || !strings.HasPrefix(lines[0], "-- ") {
		return p.errorf(1, `no title: want "-- What it shows, one row per what."`)
	}
	q.Title = strings.TrimSpace(lines[0][len("-- "):])
	if !strings.HasSuffix(q.Title, ".") {
		return p.errorf(1, "title %q does not end with a full stop on its line", q.Title)
	}
	if len(lines) > 1 && lines[1] != "--" {
		return p.errorf(2, "got %q below the title, want an empty comment line", lines[1])
	}
	h := header{q: q}
	for i, line := range lines[1:] {
		if err := h.line(strings.TrimPrefix(line, "--")); err != nil {
			return p.errorf(i+2, "%w", err)
		}
	}
	q.Description = h.text.String()
	switch {
	case p.strict && len(q.Columns) == 0:
		return p.errorf(len(lines), `header without "-- Columns:" and a line for each`)
	case slices.Contains(h.seen, "Columns") && len(q.Columns) == 0:
		return p.errorf(len(lines), `no column below "-- Columns:"`)
	case slices.Contains(h.seen, "Example") && len(q.Examples) == 0:
		return p.errorf(len(lines), `no command below "-- Example:"`)
	}
	return nil
}

func (h *header) line(rest string) error {
	word := strings.TrimSpace(rest)
	if m := section.FindStringSubmatch(rest); m != nil {
		name := strings.Replace(m[1], "Examples", "Example", 1)
		if slices.Contains(h.seen, name) {
			return fmt.Errorf("second %q", m[1]+":")
		}
		h.in, h.seen = name, append(h.seen, name)
		return nil
	}
	switch {
	case nearMiss.MatchString(word):
		return fmt.Errorf(`got %q, want "-- Columns:", "-- Example:" or "-- Examples:" alone on a line`, "--"+rest)
	case h.in == "" && oneWord.MatchString(word):
		return fmt.Errorf(`unknown section %q, want "Columns:", "Example:" or "Examples:"`, word)
	case rest != "" && rest[0] != ' ':
		return fmt.Errorf(`got %q, want a blank behind "--"`, "--"+rest)
	case h.in == "Columns":
		return h.column(rest)
	case h.in == "Example":
		return h.example(rest)
	}
	h.paragraph(rest)
	return nil
}

func (h *header) column(rest string) error {
	if rest == "" {
		h.ended = true
		return nil
	}
	if h.ended {
		return fmt.Errorf("text behind the columns, want it above them")
	}
	n := len(h.q.Columns)
	if m := columnRow.FindStringSubmatch(rest); m != nil {
		if slices.ContainsFunc(h.q.Columns, func(c Column) bool { return c.Name == m[1] }) {
			return fmt.Errorf("column %q is described twice", m[1])
		}
		h.q.Columns = append(h.q.Columns, Column{m[1], m[2]})
	} else if m := deeper.FindStringSubmatch(rest); m != nil && n > 0 {
		h.q.Columns[n-1].Description += " " + m[1]
	} else {
		return fmt.Errorf(`got %q, want a column as "--   name  description"`, "--"+rest)
	}
	return nil
}

func (h *header) example(rest string) error {
	n := len(h.q.Examples)
	if m := exampleIs.FindStringSubmatch(rest); m != nil {
		h.q.Examples = append(h.q.Examples, m[1])
	} else if m := deeper.FindStringSubmatch(rest); m != nil && n > 0 {
		h.q.Examples[n-1] += "\n" + rest[len("   "):]
	} else if rest != "" {
		return fmt.Errorf(`got %q, want an example as "--   warehouse query …"`, "--"+rest)
	}
	return nil
}

func (h *header) paragraph(rest string) {
	if rest == "" {
		h.gap = h.text.Len() > 0
		return
	}
	line := rest[1:]
	switch {
	case h.gap:
		h.text.WriteString("\n\n")
	case h.text.Len() == 0:
	case line[0] == ' ', strings.HasPrefix(line, "- "), strings.HasPrefix(line, "* "):
		h.text.WriteByte('\n')
	default:
		h.text.WriteByte(' ')
	}
	h.gap = false
	h.text.WriteString(line)
}
