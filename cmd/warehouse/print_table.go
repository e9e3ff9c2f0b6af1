// Tables for a terminal.
//
// The rules are:
//
//   - A row is a line, and the table is no wider than the terminal.
//   - The widest text columns are cut first, all to the same width, but not below printReadable;
//     numbers, times and what else would read as another value are never cut.
//   - Columns for which there is no room even so are left out from the right, where a report has
//     what matters least.
//   - Below it stand the number of rows, whether there were more, the columns left out and the zone
//     of the times.

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
	printGap      = "  " // between columns
	printReadable = 14
)

func printTable(w *bufio.Writer, cols []cellColumn, rows rowSource, opt printOptions) error {
	c := cellWriter{opt.Location, cellTable}
	widths := make([]int, len(cols))
	enough := 0 // width above which text is cut in any case
	if opt.Width > 0 {
		enough = max(opt.Width, printReadable)
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
	shown := printShown(cols, widths, opt.Width)
	if shown > 0 {
		printFit(cols[:shown], widths, opt.Width)
		w.WriteString(printGrid(cols[:shown], widths, head, body, opt.Color))
		w.WriteByte('\n')
	}
	_, err = w.WriteString(printFooter(cols, shown, len(body), more, opt.Location))
	return err
}

// printShown returns how many of the columns there is room for, at least one where there are any.
func printShown(cols []cellColumn, widths []int, width int) int {
	if width <= 0 {
		return len(cols)
	}
	for i, col := range cols {
		if col.cut {
			width -= min(widths[i], printReadable)
		} else {
			width -= widths[i]
		}
		if width < 0 && i > 0 {
			return i
		}
		width -= len(printGap)
	}
	return len(cols)
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
		limit, sum = printReadable, left // one column, wider than the terminal
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
		r := make(table.Row, len(cols))
		for i := range cols {
			r[i] = before + cellCut(cells[i], widths[i]) + after
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

func printFooter(cols []cellColumn, shown, n int, more bool, loc *time.Location) string {
	s := cellGroup(strconv.Itoa(n)) + " rows"
	if n == 1 {
		s = "1 row"
	}
	if more {
		s = "first " + s + ", more left out"
	}
	for _, col := range cols[:shown] {
		if col.zoned() {
			s += ", times in " + fmtZone(loc, "/etc/localtime")
			break
		}
	}
	s = "(" + s + ")\n"
	if shown < len(cols) {
		var names []string
		for _, col := range cols[shown:] {
			names = append(names, printSafe(col.Name))
		}
		if more := len(names) - 8; more > 1 {
			names = append(names[:8], fmt.Sprintf("%d more", more))
		}
		s += "no room for " + strings.Join(names, ", ") + "; --format jsonl has them\n"
	}
	return s
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
