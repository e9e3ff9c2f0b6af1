// Tables for a terminal.
//
// The rules are:
//
//   - A row is a line, and the table is no wider than the terminal.
//   - The widest text columns are cut first, all to the same width, but not below printReadable;
//     numbers, times and what else would read as another value are never cut.
//   - Columns for which there is no room even so are left out from the right, where a report has
//     what matters least. The first and the one that a chart would draw stay.
//   - Sums stand below the rows, behind a rule. Bars stand at the right where there is room for
//     them when all columns have theirs.
//   - Below it stand what print_footer.go says and the columns left out.

package main

import (
	"bufio"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

const (
	printGap      = "  " // between columns
	printReadable = 14
)

func printTable(w *bufio.Writer, cols []cellColumn, rows rowSource, opt printOptions) error {
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
	drawn := -1 // column that the bars are of
	if opt.Chart.Value != "" {
		var err error
		if drawn, err = printNumber(cols, opt.Chart.Value, "a chart"); err != nil {
			return err
		}
	}
	var body [][]string
	var sizes []*big.Rat
	as := func(_ int, s string) string { return s }
	s, total, err := printText(cellWriter{opt.Location, cellTable}, cols, rows, opt, as, func(cells []string, values []any) error {
		body = append(body, line(cells))
		if drawn >= 0 {
			sizes = append(sizes, cellRat(values[drawn]))
		}
		return nil
	})
	if err != nil {
		return err
	}
	if total != nil {
		total = line(total)
	}
	shown, left := printShown(cols, widths, opt)
	g := grid{
		cols: printPick(cols, shown), widths: printPick(widths, shown), head: printPick(head, shown),
		total: printPick(total, shown), color: opt.Color,
	}
	for _, cells := range body {
		g.body = append(g.body, printPick(cells, shown))
	}
	if len(shown) > 0 {
		printFit(g.cols, g.widths, opt.Width)
		if drawn >= 0 && len(left) == 0 {
			g.addBars(sizes, opt)
		}
		w.WriteString(g.render())
		w.WriteByte('\n')
	}
	w.WriteString(printFooter(g.cols, s, opt) + printLeftOut(printPick(cols, left)))
	return printNotes(w, opt, "", func(note string) string { return printSafe(note) })
}

// printPick returns the elements at the indexes, nil for nil.
func printPick[T any](of []T, indexes []int) []T {
	if of == nil {
		return nil
	}
	out := []T{}
	for _, i := range indexes {
		out = append(out, of[i])
	}
	return out
}

// printShown returns the columns that there is room for, at least the first, and those left out.
func printShown(cols []cellColumn, widths []int, opt printOptions) (shown, left []int) {
	room := opt.Width
	takes := func(i int) int {
		if cols[i].cut {
			return min(widths[i], printReadable) + len(printGap)
		}
		return widths[i] + len(printGap)
	}
	key := func(i int) bool { return i == 0 || cols[i].Name == opt.Chart.Value }
	room += len(printGap) // none behind the last
	for i := range cols {
		if key(i) {
			room -= takes(i)
		}
	}
	full := false
	for i := range cols {
		if opt.Width <= 0 || key(i) || !full && takes(i) <= room {
			shown = append(shown, i)
			if !key(i) {
				room -= takes(i)
			}
			continue
		}
		full = true
		left = append(left, i)
	}
	return shown, left
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

// grid is a table whose columns have their final widths.
type grid struct {
	cols   []cellColumn
	widths []int
	head   []string
	body   [][]string
	total  []string // nil without one
	color  bool
}

// addBars adds a column of bars where there is room for one.
func (g *grid) addBars(sizes []*big.Rat, opt printOptions) {
	width := 20
	if opt.Width > 0 {
		left := opt.Width
		for _, w := range g.widths {
			left -= w + len(printGap)
		}
		width = min(width, left)
	}
	if width < 8 || len(sizes) < 2 {
		return
	}
	g.cols, g.widths, g.head = append(slices.Clip(g.cols), cellColumn{}), append(slices.Clip(g.widths), width), append(slices.Clip(g.head), "")
	for i, bar := range printBars(sizes, width, opt.ASCII) {
		g.body[i] = append(slices.Clip(g.body[i]), bar)
	}
	if g.total != nil {
		g.total = append(slices.Clip(g.total), "")
	}
}

func (g *grid) render() string {
	t := table.NewWriter()
	style := table.StyleLight
	style.Name = "warehouse"
	style.Box.PaddingLeft, style.Box.PaddingRight = "", ""
	style.Box.MiddleVertical, style.Box.MiddleSeparator = printGap, printGap
	style.Options = table.Options{SeparateColumns: true, SeparateHeader: true, SeparateFooter: true}
	style.Format = table.FormatOptions{} // names and text as they are
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	configs := make([]table.ColumnConfig, len(g.cols))
	for i, col := range g.cols {
		configs[i] = table.ColumnConfig{Number: i + 1}
		if col.right {
			configs[i].Align, configs[i].AlignHeader, configs[i].AlignFooter = text.AlignRight, text.AlignRight, text.AlignRight
		}
	}
	t.SetColumnConfigs(configs)
	row := func(cells []string, before, after string) table.Row {
		r := make(table.Row, len(g.cols))
		for i := range g.cols {
			r[i] = before + cellCut(cells[i], g.widths[i]) + after
		}
		return r
	}
	// Written here rather than by text.Colors, which follows a switch of the whole program.
	bold, plain := "", ""
	if g.color {
		bold, plain = "\x1b[1m", "\x1b[0m"
	}
	t.AppendHeader(row(g.head, bold, plain))
	for _, cells := range g.body {
		t.AppendRow(row(cells, "", ""))
	}
	if g.total != nil {
		t.AppendFooter(row(g.total, bold, plain))
	}
	return t.Render()
}

// printLeftOut names the columns for which there was no room.
func printLeftOut(cols []cellColumn) string {
	if len(cols) == 0 {
		return ""
	}
	var names []string
	for _, col := range cols {
		names = append(names, printSafe(col.Name))
	}
	if more := len(names) - 8; more > 1 {
		names = append(names[:8], fmt.Sprintf("%d more", more))
	}
	return "no room for " + strings.Join(names, ", ") + "; --format jsonl has them\n"
}
