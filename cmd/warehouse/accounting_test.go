package main

import (
	"bytes"
	"encoding/csv"
	"os"
	"path/filepath"
	"testing"
)

// TestAccountingTokens loads each case of testdata/accounting through the command and compares
// the output tokens of each day with expected.tsv.
func TestAccountingTokens(t *testing.T) {
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
		name, day, output := row[0], row[1], row[2]
		t.Run(name, func(t *testing.T) {
			projects, err := filepath.Abs(filepath.Join("../../testdata/accounting", name, "projects"))
			if err != nil {
				t.Fatal(err)
			}
			builtFrom(t, projects)
			got := succeed(t, "sql", "--format", "csv", "--tz", "UTC",
				"SELECT timestamp::DATE AS day, sum(output_tokens)::BIGINT AS output FROM message_usage WHERE NOT is_attempt GROUP BY ALL ORDER BY ALL")
			if want := "day,output\n" + day + "," + output + "\n"; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
