package main

import (
	"bufio"
	"errors"
	"slices"
	"strings"
)

// printMarkdown writes a table, below it a paragraph with the zone and what the limit may have left
// out where there is such a thing to say, and one for each note.
func printMarkdown(w *bufio.Writer, cols []cellColumn, rows rowSource, opt printOptions) error {
	write := func(cells []string) error {
		_, err := w.WriteString("| " + strings.Join(cells, " | ") + " |\n")
		return err
	}
	if len(cols) == 0 {
		return printEach(rows, 0, func([]any) error { return nil })
	}
	cells := make([]string, len(cols))
	rule := make([]string, len(cols))
	for i, col := range cols {
		cells[i] = cellCleanMarkdown(col.Name)
		rule[i] = "---"
		if col.right {
			rule[i] = "---:"
		}
	}
	if err := errors.Join(write(cells), write(rule)); err != nil {
		return err
	}
	c := cellWriter{opt.Location, cellMarkdown}
	clean := func(_ int, s string) string { return cellCleanMarkdown(s) }
	opt.MaxRows = 0
	s, total, err := printText(c, cols, rows, opt, clean, func(cells []string, _ []any) error { return write(cells) })
	if err != nil {
		return err
	}
	if total != nil {
		for i, cell := range total {
			if cell != "" {
				total[i] = "**" + cell + "**"
			}
		}
		if err := write(total); err != nil {
			return err
		}
	}
	isDated := slices.ContainsFunc(cols, func(col cellColumn) bool { return col.has(cellDate) })
	if s.cut || opt.Zoned || isDated { // times have their zone with them
		w.WriteString("\n" + printFooter(cols, s, opt))
	}
	return printNotes(w, opt, "\n", cellCleanMarkdown)
}
