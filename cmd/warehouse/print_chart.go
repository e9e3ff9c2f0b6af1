// Bars.
//
// The rules are:
//
//   - A bar is as long as its value is large beside the largest; what is not 0 has a bar, be it the
//     thinnest. Blocks of eighths, or # where the locale is not UTF-8.
//   - A chart fills in days without a row between those with one, as lines without a bar, up to
//     chartLines lines in all: gaps in use are part of the picture.

package main

import (
	"bufio"
	"math/big"
	"strings"
	"time"
)

// chartLines is the number of lines up to which days without a row are filled in: a year and a bit.
const chartLines = 400

// printBars draws a bar for each size, nil for none.
func printBars(sizes []*big.Rat, width int, ascii bool) []string {
	most := new(big.Rat)
	for _, size := range sizes {
		if size != nil && size.Cmp(most) > 0 {
			most = size
		}
	}
	bars := make([]string, len(sizes))
	for i, size := range sizes {
		if size == nil || size.Sign() <= 0 {
			continue
		}
		share, _ := new(big.Rat).Quo(size, most).Float64()
		if ascii {
			bars[i] = strings.Repeat("#", max(1, int(share*float64(width)+0.5)))
			continue
		}
		eighths := max(1, int(share*float64(8*width)+0.5))
		bars[i] = strings.Repeat("█", eighths/8)
		if rest := eighths % 8; rest > 0 {
			bars[i] += string([]rune("▏▎▍▌▋▊▉")[rest-1])
		}
	}
	return bars
}

// printChart draws the columns that opt.Chart names.
func printChart(w *bufio.Writer, cols []cellColumn, rows rowSource, opt printOptions) error {
	value, err := printNumber(cols, opt.Chart.Value, "a chart")
	if err != nil {
		return err
	}
	label := 0
	for i, col := range cols {
		if col.Name == opt.Chart.Label {
			label = i
		}
	}
	type bar struct {
		label, value string
		day          time.Time
		size         *big.Rat
	}
	var bars []bar
	// The day of a row is known before its cells are: they wait for all amounts.
	var days []time.Time
	source := daySource{rows, label, &days}
	opt.Totals = []string{opt.Chart.Value}
	as := func(_ int, s string) string { s, _ = cellCleanLine(s, 0); return s }
	s, total, err := printText(cellWriter{opt.Location, cellTable}, cols, source, opt, as, func(cells []string, values []any) error {
		bars = append(bars, bar{cells[label], cells[value], days[len(bars)], cellRat(values[value])})
		return nil
	})
	if err != nil {
		return err
	}
	if n := len(bars); n > 1 && cols[label].kind == cellDate {
		if first, last := bars[0].day, bars[n-1].day; !first.IsZero() && last.Sub(first) < chartLines*24*time.Hour {
			var filled []bar
			for _, b := range bars {
				for len(filled) > 0 && !b.day.IsZero() {
					next := filled[len(filled)-1].day.AddDate(0, 0, 1)
					if !next.Before(b.day) {
						break
					}
					filled = append(filled, bar{label: next.Format(time.DateOnly), day: next})
				}
				filled = append(filled, b)
			}
			bars = filled
		}
	}
	labels, values := 0, 0
	sizes := make([]*big.Rat, len(bars))
	for i, b := range bars {
		_, n := cellCleanLine(b.label, 0)
		labels, values, sizes[i] = max(labels, n), max(values, len(b.value)), b.size
	}
	width := opt.Width
	if width <= 0 {
		width = 80
	}
	labels = min(labels, max(printReadable, width/3))
	length := max(width-labels-values-2*len(printGap), 8)
	w.WriteString(opt.Chart.Value + " by " + opt.Chart.Label + "\n")
	for i, drawn := range printBars(sizes, length, opt.ASCII) {
		b := bars[i]
		text := cellCut(b.label, labels)
		_, n := cellCleanLine(text, 0)
		line := text + strings.Repeat(" ", labels-n) + printGap + drawn
		if b.value != "" {
			line += strings.Repeat(" ", length-len([]rune(drawn))) + printGap + strings.Repeat(" ", values-len(b.value)) + b.value
		}
		w.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	var more []string
	if total != nil {
		more = append(more, total[value]+" in all")
	}
	w.WriteString(printFooter(cols, s, opt, more...))
	return printNotes(w, opt, "", func(note string) string { return printSafe(note) })
}

// daySource notes the day of each row that passes.
type daySource struct {
	rowSource
	label int
	days  *[]time.Time
}

func (d daySource) Next() ([]any, error) {
	values, err := d.rowSource.Next()
	if err == nil {
		day, _ := values[d.label].(time.Time)
		*d.days = append(*d.days, day)
	}
	return values, err
}

// asciiLocale tells whether the locale is named and is not UTF-8.
func asciiLocale(getenv func(string) string) bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(getenv(name)); v != "" {
			return !strings.Contains(v, "utf-8") && !strings.Contains(v, "utf8")
		}
	}
	return false
}
