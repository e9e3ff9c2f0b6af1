// Tables for a terminal.
//
// The rules are:
//
//   - A row is a line. The table is no wider than the terminal as long as cutting text can make it
//     so: the widest text columns are cut first, all to the same width; numbers, times and what
//     else would read as another value are never cut.
//   - A table that is too wide even so is cut to printNarrowText a column and left to the terminal.
//   - Below it stand the number of rows, whether there were more, and the zone of the times.

package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

const (
	printGap        = "  " // between columns
	printNarrowText = 10
)

func printTable(w *bufio.Writer, cols []cellColumn, rows rowSource, opt printOptions) error {
	c := cellWriter{opt.Location, cellTable}
	widths := make([]int, len(cols))
	enough := 0 // width above which text is cut in any case
	if opt.Width > 0 {
		enough = max(opt.Width, printNarrowText)
	}
	line := func(cells []string) []string {
		for i := range cells {
			var width int
			cells[i], width = cellCleanLine(cells[i], enough)
			widths[i] = max(widths[i], width)
		}
		return cells
	}
	head := make([]string, len(cols))
	for i, col := range cols {
		head[i] = col.Name
	}
	head = line(head)
	var body [][]string
	full := errors.New("more rows than asked for") // ends the reading
	err := printEach(rows, len(cols), func(values []any) error {
		if opt.MaxRows > 0 && len(body) == opt.MaxRows {
			return full
		}
		cells := make([]string, len(cols))
		for i, v := range values {
			cells[i] = c.text(v, cols[i])
		}
		body = append(body, line(cells))
		return nil
	})
	more := err == full
	if err != nil && !more {
		return err
	}
	if len(cols) > 0 {
		printFit(cols, widths, opt.Width)
		w.WriteString(printGrid(cols, widths, head, body, opt.Color))
		w.WriteByte('\n')
	}
	_, err = w.WriteString(printFooter(cols, len(body), more, opt.Location))
	return err
}

// printFit narrows the widths of text columns until the table fits.
func printFit(cols []cellColumn, widths []int, width int) {
	if width <= 0 {
		return
	}
	left := width - len(printGap)*(len(cols)-1)
	var text []int // columns that can be cut
	for i, col := range cols {
		if col.cut {
			text = append(text, i)
		} else {
			left -= widths[i]
		}
	}
	// The same width for all that are wider, found by counting down: at most the terminal's width
	// times the columns.
	limit, sum := width, 0
	for ; limit > 0; limit-- {
		sum = 0
		for _, i := range text {
			sum += min(widths[i], limit)
		}
		if sum <= left {
			break
		}
	}
	if limit == 0 {
		limit, sum = printNarrowText, left
	}
	for _, i := range text {
		switch {
		case widths[i] <= limit:
		case sum < left: // what is left over, fewer than there are such columns
			widths[i] = limit + 1
			sum++
		default:
			widths[i] = limit
		}
	}
}

func printGrid(cols []cellColumn, widths []int, head []string, body [][]string, color bool) string {
	t := table.NewWriter()
	style := table.StyleLight
	style.Name = "warehouse"
	style.Box.PaddingLeft, style.Box.PaddingRight = "", ""
	style.Box.MiddleVertical, style.Box.MiddleSeparator = printGap, printGap
	style.Options = table.Options{SeparateColumns: true, SeparateHeader: true}
	style.Format = table.FormatOptions{} // names and text as they are
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	configs := make([]table.ColumnConfig, len(cols))
	for i, col := range cols {
		configs[i] = table.ColumnConfig{Number: i + 1}
		if col.right {
			configs[i].Align, configs[i].AlignHeader = text.AlignRight, text.AlignRight
		}
	}
	t.SetColumnConfigs(configs)
	row := func(cells []string, before, after string) table.Row {
		r := make(table.Row, len(cells))
		for i, cell := range cells {
			r[i] = before + cellCut(cell, widths[i]) + after
		}
		return r
	}
	// Written here rather than by text.Colors, which follows a switch of the whole program.
	if color {
		t.AppendHeader(row(head, "\x1b[1m", "\x1b[0m"))
	} else {
		t.AppendHeader(row(head, "", ""))
	}
	for _, cells := range body {
		t.AppendRow(row(cells, "", ""))
	}
	return t.Render()
}

func printFooter(cols []cellColumn, n int, more bool, loc *time.Location) string {
	s := cellGroup(strconv.Itoa(n)) + " rows"
	if n == 1 {
		s = "1 row"
	}
	if more {
		s = "first " + s + ", more left out"
	}
	for _, col := range cols {
		if col.zoned() {
			s += ", times in " + fmtZone(loc, "/etc/localtime")
			break
		}
	}
	return fmt.Sprintf("(%s)\n", s)
}

// fmtZone names a zone. Go calls the machine's "Local"; its name is in the link that /etc/localtime
// is on most systems.
func fmtZone(loc *time.Location, localtime string) string {
	if loc.String() != "Local" {
		return loc.String()
	}
	if target, err := os.Readlink(localtime); err == nil {
		if _, name, ok := strings.Cut(target, "zoneinfo/"); ok {
			return name
		}
	}
	return "local time"
}
