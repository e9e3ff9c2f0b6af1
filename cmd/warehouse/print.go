// Printing result rows.
//
// The rules are:
//
//   - Every format has the same rows. table and markdown are for people, json, jsonl and csv for
//     programs: there numbers are plain, times are RFC 3339 and nothing is left out, cut or added.
//   - Transcripts hold whatever a program printed. No control character of theirs reaches a
//     terminal: JSON escapes it, the other formats show it as text, such as \x1b.
//   - Decimals and big integers never pass through a float.
//   - NULL is empty, and null in JSON. A NULL cost is "unpriced", since an empty cell in a list of
//     costs reads as 0.
//   - Times with a zone are shown in the asked one. Below a table, a chart and Markdown the zone is
//     stated where anything may depend on it: where a column is a time with a zone or a DATE, and
//     for every report with a parameter of type TIMESTAMPTZ (since, until), since what it selects
//     depends on it and so do days, weeks and hours that it names in text. Times without a zone are
//     shown as they are.
//   - Rows are written as they come, but for a table, whose widths depend on all of them, and for
//     Markdown with money in it, whose decimals do.

package main

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"warehouse/queries"
)

// printFormats are the values --format takes.
var printFormats = []string{"table", "json", "jsonl", "csv", "markdown"}

// columnInfo is a column of a result. Type is DuckDB's name for it. A JSON column is expected as
// text, cast to VARCHAR by the query: the driver would decode it, and numbers in it would become
// floats.
type columnInfo struct {
	Name string
	Type string
}

// rowSource yields rows with the values the duckdb driver returns, and io.EOF behind the last.
type rowSource interface {
	Columns() []columnInfo
	Next() ([]any, error)
}

type printOptions struct {
	Location *time.Location // zone of times that have one; nil is UTC
	Width    int            // columns of the terminal, for tables; 0 is unlimited
	Color    bool           // for tables
	ASCII    bool           // bars of a terminal that does not show blocks
	MaxRows  int            // rows of a table; 0 is all

	// What a report says of its rows, for tables, charts and Markdown.
	Totals []string      // columns that are summed
	Chart  queries.Chart // columns that are drawn
	Limit  int64         // rows it was limited to; 0 is all
	Zoned  bool          // it selects by time
	Notes  func() ([]string, error)
}

// printRows writes all rows in a format of printFormats. What was written before an error stays;
// a JSON array is then left open, so that it is not taken for a whole result.
func printRows(w io.Writer, format string, rows rowSource, opt printOptions) error {
	if opt.Location == nil {
		opt.Location = time.UTC
	}
	cols := make([]cellColumn, 0, len(rows.Columns()))
	for _, c := range rows.Columns() {
		cols = append(cols, cellColumnOf(c))
	}
	out := bufio.NewWriterSize(w, 1<<16)
	var err error
	switch format {
	case "chart":
		err = printChart(out, cols, rows, opt)
	case "table":
		err = printTable(out, cols, rows, opt)
	case "json":
		err = printJSON(out, cols, rows, opt)
	case "jsonl":
		err = printJSONLines(out, cols, rows, opt)
	case "csv":
		err = printCSV(out, cols, rows, opt)
	case "markdown":
		err = printMarkdown(out, cols, rows, opt)
	default:
		return fmt.Errorf("unknown format %q, want one of %s", format, strings.Join(printFormats, ", "))
	}
	return errors.Join(err, out.Flush())
}

// printEach calls row for each row that is left.
func printEach(rows rowSource, columns int, row func([]any) error) error {
	for {
		values, err := rows.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if len(values) != columns {
			return fmt.Errorf("row with %d values, want %d", len(values), columns)
		}
		if err := row(values); err != nil {
			return err
		}
	}
}

func printJSON(w *bufio.Writer, cols []cellColumn, rows rowSource, opt printOptions) error {
	keys := jsonKeys(cols)
	c := cellWriter{opt.Location, cellData}
	before := "["
	err := printEach(rows, len(cols), func(values []any) error {
		w.WriteString(before)
		before = ",\n "
		_, err := w.Write(c.jsonObject(nil, keys, cols, values))
		return err
	})
	if err != nil {
		return err
	}
	if before == "[" {
		w.WriteString(before)
	}
	_, err = w.WriteString("]\n")
	return err
}

func printJSONLines(w *bufio.Writer, cols []cellColumn, rows rowSource, opt printOptions) error {
	keys := jsonKeys(cols)
	c := cellWriter{opt.Location, cellData}
	var b []byte
	return printEach(rows, len(cols), func(values []any) error {
		b = append(c.jsonObject(b[:0], keys, cols, values), '\n')
		_, err := w.Write(b)
		return err
	})
}

func printCSV(w *bufio.Writer, cols []cellColumn, rows rowSource, opt printOptions) error {
	c := cellWriter{opt.Location, cellData}
	out := csv.NewWriter(w)
	write := func(record []string) error {
		if len(record) == 1 && record[0] == "" {
			// encoding/csv writes an empty line, which readers skip, itself included.
			out.Flush()
			_, err := w.WriteString("\"\"\n")
			return err
		}
		return out.Write(record)
	}
	record := make([]string, len(cols))
	for i, col := range cols {
		record[i] = cellCleanCSV(col.Name)
	}
	if len(cols) == 0 {
		return printEach(rows, 0, func([]any) error { return nil })
	}
	if err := write(record); err != nil {
		return err
	}
	err := printEach(rows, len(cols), func(values []any) error {
		for i, v := range values {
			record[i] = cellCleanCSV(c.text(v, cols[i]))
		}
		return write(record)
	})
	out.Flush()
	return errors.Join(err, out.Error())
}

// jsonKeys are the columns' names, made distinct: a second "a" is "a_2", unless there is one.
func jsonKeys(cols []cellColumn) []string {
	var taken []string
	for _, col := range cols {
		taken = append(taken, col.Name)
	}
	keys := make([]string, len(cols))
	for i, col := range cols {
		keys[i] = col.Name
		if !slices.Contains(keys[:i], col.Name) {
			continue
		}
		for n := 2; slices.Contains(taken, keys[i]); n++ {
			keys[i] = col.Name + "_" + strconv.Itoa(n)
		}
		taken = append(taken, keys[i])
	}
	return keys
}
