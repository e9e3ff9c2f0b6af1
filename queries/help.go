// The help of a report, made of what its file says.
//
// The rules are:
//
//   - Plain text, at most 80 columns wide, so that it can be read anywhere and compared in tests.
//   - Examples are never wrapped: they are there to be copied.

package queries

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

const helpWidth = 80

// Help is the text of `warehouse query NAME --help`.
func Help(q Query) string {
	var b strings.Builder
	title := q.Title
	if title == "" {
		title = q.Name
	}
	b.WriteString(wrap(title, ""))
	for _, paragraph := range strings.Split(q.Description, "\n\n") {
		if paragraph == "" {
			continue
		}
		b.WriteByte('\n')
		for _, line := range strings.Split(paragraph, "\n") {
			text := strings.TrimLeft(line, " ")
			indent := line[:len(line)-len(text)]
			b.WriteString(indent + wrap(text, indent))
		}
	}
	if len(q.Reads) > 0 {
		b.WriteString("\nReads files beside the warehouse:\n")
		var rows [][]string
		for _, s := range q.Reads {
			rows = append(rows, []string{s.Name, s.Description})
		}
		b.WriteString(align(rows))
	}
	if len(q.Params) > 0 {
		b.WriteString("\nParameters:\n")
		rows := [][]string{{"name", "type", "default", "description"}}
		for _, p := range q.Params {
			rows = append(rows, []string{p.Name, p.Type, shownDefault(p), p.Description})
		}
		b.WriteString(align(rows))
	}
	if len(q.Columns) > 0 {
		b.WriteString("\nColumns:\n")
		var rows [][]string
		for _, c := range q.Columns {
			rows = append(rows, []string{c.Name, c.Description})
		}
		b.WriteString(align(rows))
	}
	if len(q.Totals) > 0 {
		b.WriteString("\nTotals, below a table:\n  " + wrap(strings.Join(q.Totals, ", "), "  "))
	}
	if q.Chart != (Chart{}) {
		fmt.Fprintf(&b, "\nBars, with --chart:\n  %s by %s\n", q.Chart.Value, q.Chart.Label)
	}
	if len(q.Examples) > 0 {
		b.WriteString("\nExamples:\n")
		for _, e := range q.Examples {
			fmt.Fprintf(&b, "  %s\n", strings.ReplaceAll(e, "\n", "\n  "))
		}
	}
	return b.String()
}

func shownDefault(p Param) string {
	switch {
	case !p.HasDefault:
		return "(none)"
	case p.Default == "":
		return "''"
	}
	return p.Default
}

// align sets rows in columns, the last of which is wrapped.
func align(rows [][]string) string {
	last := len(rows[0]) - 1
	widths := make([]int, last)
	for _, row := range rows {
		for i := range widths {
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		left := "  "
		for i, width := range widths {
			left += row[i] + strings.Repeat(" ", width-utf8.RuneCountInString(row[i])+2)
		}
		b.WriteString(left)
		b.WriteString(wrap(row[last], strings.Repeat(" ", utf8.RuneCountInString(left))))
	}
	return b.String()
}

// wrap breaks text between words so that with the indent no line is wider than the help, unless a
// word is. The first line is given no indent.
func wrap(text, indent string) string {
	var b strings.Builder
	at := len(indent)
	for i, word := range strings.Fields(text) {
		width := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case at+1+width > helpWidth:
			b.WriteString("\n" + indent)
			at = len(indent)
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += width
	}
	b.WriteByte('\n')
	return b.String()
}
