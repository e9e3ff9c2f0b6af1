package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/jedib0t/go-pretty/v6/text"
)

// printFake is a result of given rows, which ends with err or as it should.
type printFake struct {
	cols []columnInfo
	rows [][]any
	err  error
	read int
}

func (f *printFake) Columns() []columnInfo { return f.cols }

func (f *printFake) Next() ([]any, error) {
	if f.read < len(f.rows) {
		f.read++
		return f.rows[f.read-1], nil
	}
	if f.err != nil {
		return nil, f.err
	}
	return nil, io.EOF
}

func printBerlin(t *testing.T) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func printed(t *testing.T, format string, opt printOptions, cols []columnInfo, rows ...[]any) string {
	t.Helper()
	// Else a Chinese or Japanese locale would give … the width 2.
	text.OverrideRuneWidthEastAsianWidth(false)
	var b bytes.Buffer
	if err := printRows(&b, format, &printFake{cols: cols, rows: rows}, opt); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var printReport = []columnInfo{
	{"tool_name", "VARCHAR"}, {"failures", "BIGINT"}, {"cost_usd", "DECIMAL(18,6)"},
	{"source_line", "INTEGER"}, {"last_at", "TIMESTAMP WITH TIME ZONE"},
}

var printReportRows = [][]any{
	{"Bash", int64(1234567), duckdb.Decimal{Width: 18, Scale: 6, Value: big.NewInt(1234500000)}, int32(12345),
		time.Date(2026, 11, 30, 13, 5, 9, 0, time.UTC)},
	{"a|b\n\"c\"", int64(-3), nil, nil, time.Date(2026, 7, 1, 22, 30, 0, 250e6, time.UTC)},
}

func TestPrintFormats(t *testing.T) {
	opt := printOptions{Location: printBerlin(t)}
	for _, tt := range []struct{ format, want, empty string }{
		{"table", `
tool_name   failures  cost_usd  source_line  last_at
─────────  ─────────  ────────  ───────────  ───────────────────
Bash       1,234,567  1,234.50        12345  2026-11-30 14:05:09
a|b "c"           -3  unpriced               2026-07-02 00:30:00
(2 rows, times in Europe/Berlin)
`, `
tool_name  failures  cost_usd  source_line  last_at
─────────  ────────  ────────  ───────────  ───────
(0 rows, times in Europe/Berlin)
`},
		{"json", `
[{"tool_name":"Bash","failures":1234567,"cost_usd":1234.5,"source_line":12345,"last_at":"2026-11-30T14:05:09+01:00"},
 {"tool_name":"a|b\n\"c\"","failures":-3,"cost_usd":null,"source_line":null,"last_at":"2026-07-02T00:30:00.250000+02:00"}]
`, `
[]
`},
		{"jsonl", `
{"tool_name":"Bash","failures":1234567,"cost_usd":1234.5,"source_line":12345,"last_at":"2026-11-30T14:05:09+01:00"}
{"tool_name":"a|b\n\"c\"","failures":-3,"cost_usd":null,"source_line":null,"last_at":"2026-07-02T00:30:00.250000+02:00"}
`, `
`},
		{"csv", `
tool_name,failures,cost_usd,source_line,last_at
Bash,1234567,1234.5,12345,2026-11-30T14:05:09+01:00
"a|b
""c""",-3,unpriced,,2026-07-02T00:30:00.250000+02:00
`, `
tool_name,failures,cost_usd,source_line,last_at
`},
		{"markdown", `
| tool_name | failures | cost_usd | source_line | last_at |
| --- | ---: | ---: | ---: | --- |
| Bash | 1234567 | 1,234.50 | 12345 | 2026-11-30 14:05:09 +01:00 |
| a\|b<br>"c" | -3 | unpriced |  | 2026-07-02 00:30:00.250000 +02:00 |
`, `
| tool_name | failures | cost_usd | source_line | last_at |
| --- | ---: | ---: | ---: | --- |
`},
	} {
		t.Run(tt.format, func(t *testing.T) {
			if got := "\n" + printed(t, tt.format, opt, printReport, printReportRows...); got != tt.want {
				t.Errorf("got%s\nwant%s", got, tt.want)
			}
			if got := "\n" + printed(t, tt.format, opt, printReport); got != tt.empty {
				t.Errorf("without rows got%s\nwant%s", got, tt.empty)
			}
		})
	}
}

func TestPrintCSVReadsBack(t *testing.T) {
	cols := []columnInfo{{"only", "VARCHAR"}}
	want := [][]string{{"only"}, {"a,\"b\"\nc"}, {""}, {"x"}}
	got, err := csv.NewReader(strings.NewReader(printed(t, "csv", printOptions{}, cols,
		[]any{want[1][0]}, []any{nil}, []any{"x"}))).ReadAll()
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

func TestPrintSameNames(t *testing.T) {
	cols := []columnInfo{{"a", "INTEGER"}, {"a", "INTEGER"}, {"a_2", "INTEGER"}, {"a", "INTEGER"}, {"b", "INTEGER"}, {"b", "INTEGER"}}
	row := []any{int32(1), int32(2), int32(3), int32(4), int32(5), int32(6)}
	want := `{"a":1,"a_3":2,"a_2":3,"a_4":4,"b":5,"b_2":6}` + "\n"
	if got := printed(t, "jsonl", printOptions{}, cols, row); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestPrintTableFits(t *testing.T) {
	cols := []columnInfo{{"session", "VARCHAR"}, {"tokens", "BIGINT"}, {"text", "VARCHAR"}, {"tags", "VARCHAR[]"}}
	rows := [][]any{
		{"0b0b7c2a-1111", int64(1234567890), strings.Repeat("the quick brown fox ", 40), []any{"a", "b"}},
		{"short", int64(1), "日本語のテキストは幅が二倍です", []any{}},
		{"short", int64(1), "👩\u200d👩\u200d👧 emoji 🎉🎉🎉🎉🎉🎉🎉🎉 e\u0301e\u0301e\u0301", []any{}},
	}
	// 15 is the first column and its gap.
	for width := 15; width <= 120; width++ {
		out := printed(t, "table", printOptions{Width: width}, cols, rows...)
		lines := strings.Split(out, "\n")
		for _, line := range lines[:2+len(rows)] {
			// Both ways to count: go-pretty lays out by code point, many terminals by cluster.
			if w := text.StringWidthWithoutEscSequences(line); w > width {
				t.Errorf("width %d: line of %d: %q", width, w, line)
			}
			if a, b := text.StringWidth(line), text.StringWidthWithoutEscSequences(line); a != b {
				t.Errorf("width %d: line of %d or %d: %q", width, a, b, line)
			}
		}
		// Shown whole or not at all, and then by name.
		if strings.Contains(out, "1,234,567,890") == strings.Contains(out, "no room for tokens") {
			t.Errorf("width %d: the number was cut:\n%s", width, out)
		}
		// A cut at a blank drops it. With all columns there the room is used.
		if rule := text.StringWidth(lines[1]); rule < width-1 && !strings.Contains(out, "no room for") {
			t.Errorf("width %d: the table is only %d wide", width, rule)
		}
	}
	wide := printed(t, "table", printOptions{}, cols, rows...)
	if !strings.Contains(wide, strings.Repeat("the quick brown fox ", 39)) || strings.Contains(wide, "…") {
		t.Errorf("cut without a width:\n%s", wide)
	}
}

func TestPrintTableCutsTheWidest(t *testing.T) {
	cols := []columnInfo{{"session", "VARCHAR"}, {"n", "BIGINT"}, {"text", "VARCHAR"}, {"cut_name_too", "VARCHAR"}}
	rows := [][]any{
		{"0b0b7c2a", int64(1234), "the quick brown fox", "x"},
		{"1c", int64(1), "日本語のテキスト", nil},
	}
	for width, want := range map[int]string{
		47: `
session       n  text              cut_name_too
────────  ─────  ────────────────  ────────────
0b0b7c2a  1,234  the quick brown…  x
1c            1  日本語のテキスト
(2 rows)
`,
		40: `
session       n  text
────────  ─────  ───────────────────
0b0b7c2a  1,234  the quick brown fox
1c            1  日本語のテキスト
(2 rows)
no room for cut_name_too; --format jsonl has them
`,
		34: `
session       n  text
────────  ─────  ────────────────
0b0b7c2a  1,234  the quick brown…
1c            1  日本語のテキスト
(2 rows)
no room for cut_name_too; --format jsonl has them
`,
		20: `
session       n
────────  ─────
0b0b7c2a  1,234
1c            1
(2 rows)
no room for text, cut_name_too; --format jsonl has them
`,
		// The first column is there always.
		3: `
se…
───
0b…
1c
(2 rows)
no room for n, text, cut_name_too; --format jsonl has them
`,
	} {
		got := "\n" + printed(t, "table", printOptions{Width: width}, cols, rows...)
		if got != want {
			t.Errorf("width %d: got%s\nwant%s", width, got, want)
		}
	}
}

func TestPrintTableMaxRows(t *testing.T) {
	cols := []columnInfo{{"n", "BIGINT"}}
	rows := [][]any{{int64(1)}, {int64(2)}, {int64(3)}}
	for n, want := range map[int]string{
		0: "n\n─\n1\n2\n3\n(3 rows)\n",
		1: "n\n─\n1\n(first 1 row, more left out)\n",
		2: "n\n─\n1\n2\n(first 2 rows, more left out)\n",
		3: "n\n─\n1\n2\n3\n(3 rows)\n",
	} {
		if got := printed(t, "table", printOptions{MaxRows: n}, cols, rows...); got != want {
			t.Errorf("at most %d: got\n%s\nwant\n%s", n, got, want)
		}
	}
	if got := printed(t, "jsonl", printOptions{MaxRows: 1}, cols, rows...); strings.Count(got, "\n") != 3 {
		t.Errorf("jsonl was cut: %s", got)
	}
	var many [][]any
	for i := range 1200 {
		many = append(many, []any{int64(i)})
	}
	if got := printed(t, "table", printOptions{}, cols, many...); !strings.HasSuffix(got, "\n(1,200 rows)\n") {
		t.Errorf("got %s", got[len(got)-40:])
	}
}

func TestPrintTableColor(t *testing.T) {
	cols := []columnInfo{{"name", "VARCHAR"}, {"n", "BIGINT"}}
	got := printed(t, "table", printOptions{Color: true, Width: 40}, cols, []any{"a long name", int64(1234)})
	want := "\x1b[1mname\x1b[0m             \x1b[1mn\x1b[0m\n───────────  ─────\na long name  1,234\n(1 row)\n"
	if got != want {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

func TestPrintNoColumns(t *testing.T) {
	for format, want := range map[string]string{"table": "(0 rows)\n", "json": "[]\n", "jsonl": "", "csv": "", "markdown": ""} {
		if got := printed(t, format, printOptions{}, nil); got != want {
			t.Errorf("%s: got %q, want %q", format, got, want)
		}
	}
}

func TestPrintErrors(t *testing.T) {
	broken := errors.New("read broke")
	for _, tt := range []struct{ format, want string }{
		{"table", ""},
		{"json", `[{"n":1}`},
		{"jsonl", "{\"n\":1}\n"},
		{"csv", "n\n1\n"},
		{"markdown", "| n |\n| ---: |\n| 1 |\n"},
	} {
		var b bytes.Buffer
		cols := []columnInfo{{"n", "BIGINT"}}
		err := printRows(&b, tt.format, &printFake{cols: cols, rows: [][]any{{int64(1)}}, err: broken}, printOptions{})
		if !errors.Is(err, broken) || b.String() != tt.want {
			t.Errorf("%s: got %q, %v, want %q", tt.format, b.String(), err, tt.want)
		}
		err = printRows(printFull{}, tt.format, &printFake{cols: cols, rows: [][]any{{int64(1)}}}, printOptions{})
		if !errors.Is(err, errPrintFull) {
			t.Errorf("%s: on a full disk got %v", tt.format, err)
		}
		err = printRows(io.Discard, tt.format, &printFake{cols: cols, rows: [][]any{{1, 2}}}, printOptions{})
		if err == nil {
			t.Errorf("%s: got no error for a row that is too long", tt.format)
		}
	}
	err := printRows(io.Discard, "xml", &printFake{}, printOptions{})
	if got := fmt.Sprint(err); got != `unknown format "xml", want one of table, json, jsonl, csv, markdown` {
		t.Errorf("got %s", got)
	}
}

var errPrintFull = errors.New("no space left")

type printFull struct{}

func (printFull) Write([]byte) (int, error) { return 0, errPrintFull }

func TestPrintZoneName(t *testing.T) {
	link := filepath.Join(t.TempDir(), "localtime")
	if err := os.Symlink("/usr/share/zoneinfo/Asia/Tokyo", link); err != nil {
		t.Fatal(err)
	}
	local := time.FixedZone("Local", 3600)
	for _, tt := range []struct {
		loc        *time.Location
		link, want string
	}{
		{time.UTC, link, "UTC"},
		{printBerlin(t), link, "Europe/Berlin"},
		{local, link, "Asia/Tokyo"},
		{local, link + "-none", "local time"},
	} {
		if got := fmtZone(tt.loc, tt.link); got != tt.want {
			t.Errorf("%v: got %q, want %q", tt.loc, got, tt.want)
		}
	}
}
