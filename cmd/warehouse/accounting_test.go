package main

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAccounting loads each case of testdata/accounting through the command and holds the tokens
// and the cost of its day against expected.tsv.
func TestAccounting(t *testing.T) {
	text, err := os.ReadFile("../../testdata/accounting/expected.tsv")
	if err != nil {
		t.Fatal(err)
	}
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma = '\t'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) < 15 {
		t.Fatalf("expected.tsv has %d rows, want a header and 14 cases", len(rows))
	}
	for _, row := range rows[1:] {
		name := row[0]
		t.Run(name, func(t *testing.T) {
			projects, err := filepath.Abs(filepath.Join("../../testdata/accounting", name, "projects"))
			if err != nil {
				t.Fatal(err)
			}
			builtFrom(t, projects)
			report := readCSV(t, "query", "usage-daily", "--format", "csv", "--tz", "UTC")
			if len(report) != 2 {
				t.Fatalf("got %d days, want one: %q", len(report)-1, report)
			}
			day, output, cost := report[1][0], report[1][4], report[1][8]
			if got, want := strings.Join([]string{day, output, cost}, " "), strings.Join(row[1:], " "); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}
