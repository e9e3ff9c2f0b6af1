package main

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/duckdb/duckdb-go/v2"

	"warehouse/queries"
)

// usd is an amount of millionths.
func usd(millionths int64) duckdb.Decimal {
	return duckdb.Decimal{Width: 38, Scale: 6, Value: big.NewInt(millionths)}
}

func day(d int) time.Time { return time.Date(2026, 11, d, 0, 0, 0, 0, time.UTC) }

var (
	printDays = []columnInfo{{"day", "DATE"}, {"models", "VARCHAR"}, {"output_tokens", "BIGINT"}, {"cost_usd", "DECIMAL(38,6)"}}
	printUse  = [][]any{
		{day(1), "opus, sonnet", int64(1_200), usd(12_345_678)},
		{day(2), "opus", int64(34), usd(1)},
		{day(5), "glm", int64(7), nil},
	}
	printUsage = printOptions{
		Totals: []string{"output_tokens", "cost_usd"}, Chart: queries.Chart{Label: "day", Value: "cost_usd"},
		Zoned: true, Notes: func() ([]string, error) { return []string{"no price\x1b for 7 tokens"}, nil },
	}
)

func TestPrintTotals(t *testing.T) {
	shown := printUsage
	shown.Limit = 3
	narrow := printUsage
	narrow.Width = 40
	for _, tt := range []struct {
		name, format string
		opt          printOptions
		rows         [][]any
		want         string
	}{
		{"table", "table", printUsage, printUse, `
day         models        output_tokens  cost_usd
──────────  ────────────  ─────────────  ────────  ────────────────────
2026-11-01  opus, sonnet          1,200     12.35  ████████████████████
2026-11-02  opus                     34     <0.01  ▏
2026-11-05  glm                       7  unpriced
──────────  ────────────  ─────────────  ────────  ────────────────────
total                             1,241     12.35
(3 rows, days in UTC)
no price\x1b for 7 tokens
`},
		{"limited", "table", shown, printUse, `
day         models        output_tokens  cost_usd
──────────  ────────────  ─────────────  ────────  ────────────────────
2026-11-01  opus, sonnet          1,200     12.35  ████████████████████
2026-11-02  opus                     34     <0.01  ▏
2026-11-05  glm                       7  unpriced
──────────  ────────────  ─────────────  ────────  ────────────────────
shown                             1,241     12.35
(3 rows, the limit of 3 may have left rows out, days in UTC)
no price\x1b for 7 tokens
`},
		// The cost stays where there is no room for all.
		{"narrow", "table", narrow, printUse, `
day         models        cost_usd
──────────  ────────────  ────────
2026-11-01  opus, sonnet     12.35
2026-11-02  opus             <0.01
2026-11-05  glm           unpriced
──────────  ────────────  ────────
total                        12.35
(3 rows, days in UTC)
no room for output_tokens; --format jsonl has them
no price\x1b for 7 tokens
`},
		{"one row", "table", printUsage, printUse[1:2], `
day         models  output_tokens  cost_usd
──────────  ──────  ─────────────  ────────
2026-11-02  opus               34   <0.0001
(1 row, days in UTC)
no price\x1b for 7 tokens
`},
		{"markdown", "markdown", printUsage, printUse, `
| day | models | output_tokens | cost_usd |
| --- | --- | ---: | ---: |
| 2026-11-01 | opus, sonnet | 1200 | 12.35 |
| 2026-11-02 | opus | 34 | &lt;0.01 |
| 2026-11-05 | glm | 7 | unpriced |
| **total** |  | **1241** | **12.35** |

(3 rows, days in UTC)

no price\x1b for 7 tokens
`},
		{"csv", "csv", printUsage, printUse, `
day,models,output_tokens,cost_usd
2026-11-01,"opus, sonnet",1200,12.345678
2026-11-02,opus,34,0.000001
2026-11-05,glm,7,unpriced
`},
		// The days between are part of the picture.
		{"chart", "chart", narrow, printUse, `
cost_usd by day
2026-11-01  ██████████████████     12.35
2026-11-02  ▏                      <0.01
2026-11-03
2026-11-04
2026-11-05                      unpriced
(3 rows, 12.35 in all, days in UTC)
no price\x1b for 7 tokens
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := "\n" + printed(t, tt.format, tt.opt, printDays, tt.rows...); got != tt.want {
				t.Errorf("got%s\nwant%s", got, tt.want)
			}
		})
	}
}

// No width makes a line wider than the terminal, and a locale without UTF-8 gets no blocks.
func TestPrintChartWidths(t *testing.T) {
	for width := 40; width < 200; width += 7 {
		for _, ascii := range []bool{false, true} {
			opt := printUsage
			opt.Width, opt.ASCII, opt.Notes = width, ascii, nil
			for _, format := range []string{"chart", "table"} {
				out := printed(t, format, opt, printDays, printUse...)
				for line := range strings.Lines(out) {
					if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > width && !strings.HasPrefix(line, "no room") {
						t.Errorf("%s %d: a line of %d: %s", format, width, n, line)
					}
				}
				if ascii && strings.Contains(out, "█") {
					t.Errorf("%s: blocks:\n%s", format, out)
				}
			}
		}
	}
	for locale, want := range map[string]bool{"": false, "C": true, "POSIX": true, "C.UTF-8": false, "de_DE.utf8": false, "en_US.ISO-8859-1": true} {
		if got := asciiLocale(func(name string) string { return map[string]string{"LANG": locale}[name] }); got != want {
			t.Errorf("LANG=%s: ascii %v", locale, got)
		}
	}
}

// A sum is exact whatever its numbers are.
func TestPrintSumsAreExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		want := new(big.Int)
		var sum cellSum
		n := 2 + rng.IntN(50)
		for range n {
			v := new(big.Int).Mul(big.NewInt(rng.Int64()-1<<62), big.NewInt(rng.Int64()))
			want.Add(want, v)
			sum.add(duckdb.Decimal{Width: 38, Scale: 12, Value: v})
			sum.add(nil)
		}
		got := sum.value().(duckdb.Decimal)
		if got.Scale != 12 || got.Value.Cmp(want) != 0 {
			t.Fatalf("got %s, want %s", fmt.Sprint(got.Value), want)
		}
	}
}
