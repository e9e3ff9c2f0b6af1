// What stands below rows.
//
// The rules are:
//
//   - In parentheses: the number of rows, whether there were or may have been more, and the zone,
//     by the rule of print.go.
//   - Then the notes of a report, a line or paragraph each.

package main

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// printFooter writes the line, with what else is to be said behind the number of rows.
func printFooter(cols []cellColumn, s printEnd, opt printOptions, more ...string) string {
	text := cellGroup(strconv.Itoa(s.rows)) + " rows"
	if s.rows == 1 {
		text = "1 row"
	}
	if s.more {
		text = "first " + text + ", more left out"
	}
	parts := append([]string{text}, more...)
	if s.cut {
		parts = append(parts, fmt.Sprintf("the limit of %s may have left rows out", cellGroup(strconv.FormatInt(opt.Limit, 10))))
	}
	if zone := printZone(cols, opt); zone != "" {
		parts = append(parts, zone)
	}
	return "(" + strings.Join(parts, ", ") + ")\n"
}

// printZone states the zone where something may depend on it.
func printZone(cols []cellColumn, opt printOptions) string {
	has := func(kind cellKind) bool {
		return slices.ContainsFunc(cols, func(col cellColumn) bool { return col.has(kind) })
	}
	what := "times in "
	switch {
	case has(cellStampZone):
	case has(cellDate):
		what = "days in "
	case !opt.Zoned:
		return ""
	}
	return what + fmtZone(opt.Location, "/etc/localtime")
}

// fmtZone names a zone. Go calls the machine's "Local"; its name is in TZ, or in the link that
// /etc/localtime is on most systems.
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

// printNotes writes the notes, each behind before, which may be a line end.
func printNotes(w *bufio.Writer, opt printOptions, before string, clean func(string) string) error {
	if opt.Notes == nil {
		return nil
	}
	notes, err := opt.Notes()
	for _, note := range notes {
		w.WriteString(before + clean(note) + "\n")
	}
	return err
}
