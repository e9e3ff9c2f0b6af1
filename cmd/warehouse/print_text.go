// Rows for people: their cells as text, and what is known behind the last.

package main

import (
	"errors"
	"slices"
)

// printEnd is what is known behind the last row.
type printEnd struct {
	rows  int
	more  bool        // there were more than asked for
	cut   bool        // there may have been more than the report's limit
	total map[int]any // sums by column, nil where none are shown
	label string      // what they are: of rows that may not be all, "shown"
}

var errPrintEnough = errors.New("more rows than asked for") // ends the reading

// printRead calls row for each row up to opt.MaxRows, and sums columns.
func printRead(cols []cellColumn, rows rowSource, opt printOptions, row func([]any) error) (printEnd, error) {
	var s printEnd
	sums, err := printSums(cols, opt.Totals)
	if err != nil {
		return s, err
	}
	err = printEach(rows, len(cols), func(values []any) error {
		if opt.MaxRows > 0 && s.rows == opt.MaxRows {
			return errPrintEnough
		}
		s.rows++
		for i, sum := range sums {
			sum.add(values[i])
		}
		return row(values)
	})
	s.more = err == errPrintEnough
	if err != nil && !s.more {
		return s, err
	}
	s.cut = opt.Limit > 0 && int64(s.rows) == opt.Limit
	s.label = "total"
	if s.cut || s.more {
		s.label = "shown"
	}
	if len(sums) > 0 && s.rows > 1 {
		s.total = map[int]any{}
		for i, sum := range sums {
			s.total[i] = sum.value()
		}
	}
	return s, nil
}

// printText calls row with the cells of each row as text. Columns of money are written when all of
// their amounts are known, and then row is called behind the last; values holds the numbers then.
// The cells of the row of totals are returned, nil without one. clean makes text fit for the format.
func printText(c cellWriter, cols []cellColumn, rows rowSource, opt printOptions, clean func(column int, text string) string,
	row func(cells []string, values []any) error) (printEnd, []string, error) {
	type held struct {
		cells  []string
		values []any // of columns of numbers: others can be a hundred megabytes each
	}
	var later []held
	wait := slices.ContainsFunc(cols, func(col cellColumn) bool { return col.money })
	s, err := printRead(cols, rows, opt, func(values []any) error {
		h := held{make([]string, len(cols)), make([]any, len(cols))}
		for i, v := range values {
			if cols[i].kind == cellNumber {
				h.values[i] = v
			}
			if !cols[i].money {
				h.cells[i] = clean(i, c.text(v, cols[i]))
			}
		}
		if !wait {
			return row(h.cells, h.values)
		}
		later = append(later, h)
		return nil
	})
	if err != nil {
		return s, nil, err
	}
	for i := range cols {
		if !cols[i].money {
			continue
		}
		amounts := []any{s.total[i]}
		for _, h := range later {
			amounts = append(amounts, h.values[i])
		}
		cols[i].decimals = moneyDecimals(amounts)
		for _, h := range later {
			h.cells[i] = clean(i, c.text(h.values[i], cols[i]))
		}
	}
	for _, h := range later {
		if err := row(h.cells, h.values); err != nil {
			return s, nil, err
		}
	}
	if s.total == nil {
		return s, nil, nil
	}
	total := make([]string, len(cols))
	for i, v := range s.total {
		total[i] = clean(i, c.text(v, cols[i]))
	}
	total[0] = clean(0, s.label)
	return s, total, nil
}
