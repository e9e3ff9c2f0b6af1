// Reading the header of a report.
//
// The rules are:
//
//   - The first line is the title, the second is empty. Then text, then the sections, each once.
//   - A column is "--   name  description": three blanks before, two or more between. A line
//     indented by two more continues the description.
//   - An example is "--   command"; a line indented by two more continues it, on a line of its own.
//   - "-- Totals: name, name" are the columns that a table sums in a row below the others,
//     "-- Chart: label, value" the two that --chart draws. A line indented by three blanks or more
//     continues either. The names are those of described columns; the first column of a report
//     has no total, since the row says there what it is.
//   - "-- Reads: name, name" are the files that the program reads beside the warehouse (reads.go).
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
	nameList  = regexp.MustCompile(`^ (Totals|Chart|Reads): (\S.*)$`)
	nearList  = regexp.MustCompile(`(?i)^(totals?|charts?|reads?)\s*(:.*)?$`)
	nameIs    = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
	oneWord   = regexp.MustCompile(`^[A-Z][A-Za-z]*:$`)
	columnRow = regexp.MustCompile(`^   ([a-z][a-z0-9_]*)  +(\S.*)$`)
	exampleIs = regexp.MustCompile(`^ {3}(\S.*)$`)
	deeper    = regexp.MustCompile(`^ {5,}(\S.*)$`)
	indented  = regexp.MustCompile(`^ {3,}(\S.*)$`)
)

type header struct {
	q     *Query
	in    string // section being read, "" in the text
	seen  []string
	ended bool // an empty line followed the columns or names
	text  strings.Builder
	gap   bool              // an empty line precedes the next one of the text
	names map[string]string // Totals, Chart and Reads as they are written
	at    map[string]int    // lines they begin on
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
	h := header{q: q, names: map[string]string{}, at: map[string]int{}}
	for i, line := range lines[1:] {
		if err := h.line(strings.TrimPrefix(line, "--"), i+2); err != nil {
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
	for _, name := range []string{"Totals", "Chart", "Reads"} {
		if err := h.list(name); err != nil {
			return p.errorf(h.at[name], "%w", err)
		}
	}
	return nil
}

func (h *header) line(rest string, n int) error {
	word := strings.TrimSpace(rest)
	if m := section.FindStringSubmatch(rest); m != nil {
		name := strings.Replace(m[1], "Examples", "Example", 1)
		if slices.Contains(h.seen, name) {
			return fmt.Errorf("second %q", m[1]+":")
		}
		h.in, h.seen, h.ended = name, append(h.seen, name), false
		return nil
	}
	if m := nameList.FindStringSubmatch(rest); m != nil {
		if slices.Contains(h.seen, m[1]) {
			return fmt.Errorf("second %q", m[1]+":")
		}
		h.in, h.seen, h.ended = m[1], append(h.seen, m[1]), false
		h.names[m[1]], h.at[m[1]] = m[2], n
		return nil
	}
	switch {
	case nearMiss.MatchString(word):
		return fmt.Errorf(`got %q, want "-- Columns:", "-- Example:" or "-- Examples:" alone on a line`, "--"+rest)
	case nearList.MatchString(word):
		return fmt.Errorf(`got %q, want "-- Totals: column, column", "-- Chart: label, value" or "-- Reads: name, name"`, "--"+rest)
	case h.in == "" && oneWord.MatchString(word):
		return fmt.Errorf(`unknown section %q, want "Columns:", "Totals: …", "Chart: …", "Reads: …", "Example:" or "Examples:"`, word)
	case rest != "" && rest[0] != ' ':
		return fmt.Errorf(`got %q, want a blank behind "--"`, "--"+rest)
	case h.in == "Columns":
		return h.column(rest)
	case h.in == "Example":
		return h.example(rest)
	case h.in != "":
		return h.more(rest)
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

// more reads what follows a line of names.
func (h *header) more(rest string) error {
	switch m := indented.FindStringSubmatch(rest); {
	case rest == "":
		h.ended = true
	case m == nil || h.ended:
		return fmt.Errorf("text behind %q, want it above the columns", h.in+":")
	default:
		h.names[h.in] += " " + m[1]
	}
	return nil
}

// list takes the names of a section that holds them, when all columns are known.
func (h *header) list(section string) error {
	text, ok := h.names[section]
	if !ok {
		return nil
	}
	names := strings.Split(text, ", ")
	for i, name := range names {
		switch {
		case !nameIs.MatchString(name):
			return fmt.Errorf("got %q in %q, want names with a comma and a blank between them", name, section+":")
		case section == "Reads" && !isSource(name):
			return fmt.Errorf("%q in %q is nothing the program reads; there are %s", name, section+":", sourceNames())
		case section != "Reads" && !slices.ContainsFunc(h.q.Columns, func(c Column) bool { return c.Name == name }):
			return fmt.Errorf("%q in %q is no described column", name, section+":")
		case slices.Contains(names[:i], name):
			return fmt.Errorf("%q stands twice in %q", name, section+":")
		case section == "Totals" && name == h.q.Columns[0].Name:
			return fmt.Errorf("%q in %q is the first column, where the row says that it is the total", name, section+":")
		}
	}
	switch {
	case section == "Totals":
		h.q.Totals = names
	case section == "Reads":
		for _, name := range names {
			h.q.Reads = append(h.q.Reads, source(name))
		}
	case len(names) != 2:
		return fmt.Errorf("%d columns in %q, want two: label, value", len(names), section+":")
	default:
		h.q.Chart = Chart{Label: names[0], Value: names[1]}
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
