package main

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/jedib0t/go-pretty/v6/text"
)

// What each value is in a table cell, a CSV field and a JSON value.
func TestPrintValues(t *testing.T) {
	at := time.Date(2026, 11, 30, 13, 5, 9, 120e3, time.UTC)
	huge, _ := new(big.Int).SetString("-170141183460469231731687303715884105728", 10)
	decimal := func(scale uint8, v int64) duckdb.Decimal {
		return duckdb.Decimal{Width: 18, Scale: scale, Value: big.NewInt(v)}
	}
	var ordered duckdb.OrderedMap
	ordered.Set("z", int32(1))
	ordered.Set("a", nil)
	for _, tt := range []struct {
		name, typ        string
		value            any
		table, csv, json string
	}{
		{"n", "VARCHAR", nil, "", `""`, "null"},
		{"n", "BIGINT", int64(-1234567), "-1,234,567", "-1234567", "-1234567"},
		{"n", "BIGINT", int64(-123), "-123", "-123", "-123"},
		{"n", "UTINYINT", uint8(200), "200", "200", "200"},
		{"n", "UBIGINT", uint64(math.MaxUint64), "18,446,744,073,709,551,615", "18446744073709551615", "18446744073709551615"},
		{"n", "HUGEINT", huge, "-170,141,183,460,469,231,731,687,303,715,884,105,728", huge.String(), huge.String()},
		{"session_id", "BIGINT", int64(12345), "12345", "12345", "12345"},
		{"line", "INTEGER", int32(12345), "12345", "12345", "12345"},
		{"max(source_line)", "INTEGER", int32(12345), "12345", "12345", "12345"},
		{"lines", "INTEGER", int32(12345), "12,345", "12345", "12345"},
		{"valid", "INTEGER", int32(12345), "12,345", "12345", "12345"},
		{"n", "DECIMAL(18,6)", decimal(6, 1234500000), "1,234.500000", "1234.500000", "1234.500000"},
		{"n", "DECIMAL(18,6)", decimal(6, -1), "-0.000001", "-0.000001", "-0.000001"},
		{"n", "DECIMAL(18,6)", decimal(6, 0), "0.000000", "0.000000", "0.000000"},
		{"n", "DECIMAL(18,0)", decimal(0, 4200), "4,200", "4200", "4200"},
		{"cost_usd", "DECIMAL(18,6)", nil, "unpriced", "unpriced", "null"},
		{"max_cost_usd", "DOUBLE", nil, "unpriced", "unpriced", "null"},
		{"mycost_usd", "DOUBLE", nil, "", `""`, "null"},
		{"n", "DOUBLE", 0.30000000000000004, "0.3", "0.30000000000000004", "0.30000000000000004"},
		{"n", "DOUBLE", 12345.6789012, "12,345.678901", "12345.6789012", "12345.6789012"},
		{"n", "DOUBLE", 0.00012345678, "0.000123457", "0.00012345678", "0.00012345678"},
		{"n", "DOUBLE", 100.0, "100", "100", "100"},
		{"n", "DOUBLE", -0.99999999, "-1", "-0.99999999", "-0.99999999"},
		{"n", "DOUBLE", 1.5e300, "1.5e+300", "1.5e+300", "1.5e+300"},
		{"n", "DOUBLE", 1e-9, "1e-09", "1e-09", "1e-09"},
		{"n", "DOUBLE", 0.0, "0", "0", "0"},
		{"n", "DOUBLE", math.NaN(), "NaN", "NaN", "null"},
		{"n", "DOUBLE", math.Inf(-1), "-Infinity", "-Infinity", "null"},
		{"n", "FLOAT", float32(0.1), "0.1", "0.1", "0.1"},
		{"n", "BOOLEAN", true, "true", "true", "true"},
		{"t", "TIMESTAMP WITH TIME ZONE", at, "2026-11-30 14:05:09", "2026-11-30T14:05:09.000120+01:00", `"2026-11-30T14:05:09.000120+01:00"`},
		{"t", "TIMESTAMPTZ", at, "2026-11-30 14:05:09", "2026-11-30T14:05:09.000120+01:00", `"2026-11-30T14:05:09.000120+01:00"`},
		{"t", "TIMESTAMP", at, "2026-11-30 13:05:09", "2026-11-30T13:05:09.000120", `"2026-11-30T13:05:09.000120"`},
		{"t", "TIMESTAMP_NS", at.Add(1), "2026-11-30 13:05:09", "2026-11-30T13:05:09.000120001", `"2026-11-30T13:05:09.000120001"`},
		{"t", "TIMESTAMP", time.UnixMicro(math.MaxInt64), "infinity", "infinity", `"infinity"`},
		{"t", "TIMESTAMPTZ", time.UnixMicro(-math.MaxInt64), "-infinity", "-infinity", `"-infinity"`},
		{"t", "DATE", time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC), "2026-11-30", "2026-11-30", `"2026-11-30"`},
		{"t", "TIME", time.Date(1, 1, 1, 23, 59, 1, 5e8, time.UTC), "23:59:01", "23:59:01.500000", `"23:59:01.500000"`},
		{"t", "TIMETZ", time.Date(1, 1, 1, 23, 59, 1, 0, time.FixedZone("", -5400)), "23:59:01-01:30", "23:59:01-01:30", `"23:59:01-01:30"`},
		{"d", "INTERVAL", duckdb.Interval{Micros: 3723e6}, "1h02m03s", "1h02m03s", `"1h02m03s"`},
		{"d", "INTERVAL", duckdb.Interval{Micros: 123250e3}, "2m03.25s", "2m03.25s", `"2m03.25s"`},
		{"d", "INTERVAL", duckdb.Interval{Micros: 5}, "0.000005s", "0.000005s", `"0.000005s"`},
		{"d", "INTERVAL", duckdb.Interval{}, "0s", "0s", `"0s"`},
		{"d", "INTERVAL", duckdb.Interval{Months: 14, Days: 3}, "1y 2mo 3d", "1y 2mo 3d", `"1y 2mo 3d"`},
		{"d", "INTERVAL", duckdb.Interval{Days: -1, Micros: -90e6}, "-1d 1m30s", "-1d 1m30s", `"-1d 1m30s"`},
		{"d", "INTERVAL", duckdb.Interval{Days: 1, Micros: -90e6}, "1d -1m30s", "1d -1m30s", `"1d -1m30s"`},
		{"d", "INTERVAL", duckdb.Interval{Micros: math.MinInt64}, "-2562047788h00m54.775808s", "-2562047788h00m54.775808s", `"-2562047788h00m54.775808s"`},
		{"d", "INTERVAL", 90 * time.Second, "1m30s", "1m30s", `"1m30s"`},
		{"b", "BLOB", []byte{0xff, 0, 'a'}, "<3 bytes>", "/wBh", `"/wBh"`},
		{"b", "BLOB", []byte{0}, "<1 byte>", "AA==", `"AA=="`},
		{"u", "UUID", []byte("\x12\x3e\x45\x67\xe8\x9b\x12\xd3\xa4\x56\x42\x66\x14\x17\x40\x00"), "123e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-12d3-a456-426614174000", `"123e4567-e89b-12d3-a456-426614174000"`},
		{"u", "UUID", duckdb.UUID{15: 1}, "00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000001", `"00000000-0000-0000-0000-000000000001"`},
		{"j", "JSON", `{"z": [1.10, 12345678901234567890], "z":null}`, `{"z": [1.10, 12345678901234567890], "z":null}`, `"{""z"": [1.10, 12345678901234567890], ""z"":null}"`, `{"z":[1.10,12345678901234567890],"z":null}`},
		{"j", "JSON", `{broken`, `{broken`, `{broken`, `"{broken"`},
		{"j", "JSON", "{\"a\":\n\"\u009b\u007f\xff\\ud800\"}", "{\"a\": \"\\u009b\\x7f\ufffd\\ud800\"}", "\"{\"\"a\"\":\n\"\"\\u009b\\x7f\ufffd\\ud800\"\"}\"", "{\"a\":\"\\u009b\\u007f\ufffd\\ud800\"}"},
		{"l", "VARCHAR[]", []any{"a", nil, `"`}, `["a",null,"\""]`, `"[""a"",null,""\""""]"`, `["a",null,"\""]`},
		{"l", "DATE[2]", []any{at, at}, `["2026-11-30","2026-11-30"]`, `"[""2026-11-30"",""2026-11-30""]"`, `["2026-11-30","2026-11-30"]`},
		{"l", "TIMESTAMPTZ[][]", []any{[]any{at}}, `[["2026-11-30T14:05:09.000120+01:00"]]`, `"[[""2026-11-30T14:05:09.000120+01:00""]]"`, `[["2026-11-30T14:05:09.000120+01:00"]]`},
		{"l", "DOUBLE[]", []any{math.NaN(), 0.5}, `[null,0.5]`, `"[null,0.5]"`, `[null,0.5]`},
		{"s", `STRUCT("z ""q" DATE, a STRUCT(b DECIMAL(4,1)[], c TIMESTAMP WITH TIME ZONE))`,
			map[string]any{`z "q`: at, "a": map[string]any{"b": []any{decimal(1, 15)}, "c": at}},
			`{"z \"q":"2026-11-30","a":{"b":[1.5],"c":"2026-11-30T14:05:09.000120+01:00"}}`,
			`"{""z \""q"":""2026-11-30"",""a"":{""b"":[1.5],""c"":""2026-11-30T14:05:09.000120+01:00""}}"`,
			`{"z \"q":"2026-11-30","a":{"b":[1.5],"c":"2026-11-30T14:05:09.000120+01:00"}}`},
		{"s", "VARCHAR[]", []any{map[string]any{"b": 1.5, "a": []any{true}}}, `[{"a":[true],"b":1.5}]`, `"[{""a"":[true],""b"":1.5}]"`, `[{"a":[true],"b":1.5}]`},
		{"m", "MAP(VARCHAR, INTEGER)", ordered, `{"z":1,"a":null}`, `"{""z"":1,""a"":null}"`, `{"z":1,"a":null}`},
		{"m", "MAP(INTEGER, DATE)", duckdb.Map{int32(2): at, int32(1): nil}, `{"1":null,"2":"2026-11-30"}`, `"{""1"":null,""2"":""2026-11-30""}"`, `{"1":null,"2":"2026-11-30"}`},
		{"u", `UNION("day" DATE, "n" INTEGER)`, duckdb.Union{Tag: "day", Value: at}, "2026-11-30", `"{""day"":""2026-11-30""}"`, `{"day":"2026-11-30"}`},
		{"e", "ENUM", "high", "high", "high", `"high"`},
	} {
		t.Run(fmt.Sprintf("%s %s %.20v", tt.name, tt.typ, tt.value), func(t *testing.T) {
			opt := printOptions{Location: printBerlin(t)}
			cols := []columnInfo{{tt.name, tt.typ}}
			got := strings.Split(printed(t, "table", opt, cols, []any{tt.value}), "\n")
			if cell := strings.TrimSpace(got[2]); cell != tt.table {
				t.Errorf("table: got %q, want %q", cell, tt.table)
			}
			_, field, _ := strings.Cut(printed(t, "csv", opt, cols, []any{tt.value}), "\n")
			if field != tt.csv+"\n" {
				t.Errorf("csv: got %q, want %q", field, tt.csv)
			}
			key, _ := json.Marshal(tt.name)
			want := "{" + string(key) + ":" + tt.json + "}\n"
			line := printed(t, "jsonl", opt, cols, []any{tt.value})
			if line != want {
				t.Errorf("jsonl: got %q, want %q", line, want)
			}
			if !json.Valid([]byte(line)) {
				t.Errorf("jsonl: not valid: %q", line)
			}
		})
	}
}

func TestPrintUnsafeText(t *testing.T) {
	for _, tt := range []struct{ name, text, table, csv, markdown, json string }{
		{"escape sequence", "a\x1b[31mred\a", `a\x1b[31mred\x07`, `a\x1b[31mred\x07`, `a\x1b[31mred\x07`, `"a\u001b[31mred\u0007"`},
		{"eight-bit sequence", "\u009b31m\u007f", `\u009b31m\x7f`, `\u009b31m\x7f`, `\u009b31m\x7f`, `"\u009b31m\u007f"`},
		{"NUL", "a\x00b", `a\x00b`, `a\x00b`, `a\x00b`, `"a\u0000b"`},
		{"invalid UTF-8", "a\xff\xc3b", "a\ufffd\ufffdb", "a\ufffd\ufffdb", "a\ufffd\ufffdb", "\"a\ufffd\ufffdb\""},
		{"line ends", " a\r\n\t b  c\n", " a b  c", "\" a\r\n\t b  c\n\"", " a<br>  b  c<br>", `" a\r\n\t b  c\n"`},
		{"carriage return", "safe\rrm", "safe rm", `safe\x0drm`, "safe<br>rm", `"safe\rrm"`},
		{"turned around", "a\u202eb", `a\u202eb`, "a\u202eb", `a\u202eb`, "\"a\u202eb\""},
		{"markup", `<b> \| C:\x \`, `<b> \| C:\x \`, `<b> \| C:\x \`, `&lt;b> \\\| C:\x \`, `"<b> \\| C:\\x \\"`},
		{"joined emoji", "👩\u200d👩🏽❤\ufe0f.", "👩👩❤.", "👩\u200d👩🏽❤\ufe0f.", "👩\u200d👩🏽❤\ufe0f.", "\"👩\u200d👩🏽❤\ufe0f.\""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cols := []columnInfo{{"text", "VARCHAR"}, {"n", "BIGINT"}}
			row := []any{tt.text, int64(1)}
			line := strings.Split(printed(t, "table", printOptions{}, cols, row), "\n")[2]
			if got := strings.TrimRight(strings.TrimSuffix(line, "1"), " "); got != tt.table {
				t.Errorf("table: got %q, want %q", got, tt.table)
			}
			if got := printed(t, "csv", printOptions{}, cols, row); got != "text,n\n"+csvQuoted(tt.csv)+",1\n" {
				t.Errorf("csv: got %q, want %q", got, tt.csv)
			}
			line = strings.Split(printed(t, "markdown", printOptions{}, cols, row), "\n")[2]
			if want := "| " + tt.markdown + " | 1 |"; line != want {
				t.Errorf("markdown: got %q, want %q", line, want)
			}
			got := printed(t, "jsonl", printOptions{}, cols, row)
			if want := `{"text":` + tt.json + `,"n":1}` + "\n"; got != want {
				t.Errorf("jsonl: got %q, want %q", got, want)
			}
			if got := strings.TrimRight(printSafe(tt.text), " "); got != tt.table {
				t.Errorf("message: got %q, want %q", got, tt.table)
			}
			// Column names are data too: SELECT 1 AS "…".
			for _, format := range printFormats {
				got := printed(t, format, printOptions{}, []columnInfo{{tt.text, "VARCHAR"}})
				for _, r := range got {
					if cellControl(r) && r != '\n' && (format != "csv" || r != '\t' && r != '\r') {
						t.Errorf("%s: %q in %q", format, r, got)
					}
				}
			}
		})
	}
}

// csvQuoted leaves alone what is given with its quotes.
func csvQuoted(s string) string {
	if strings.HasPrefix(s, " ") {
		return `"` + s + `"`
	}
	return s
}

// printSQL reads a result as a caller does, to hold the values above against the driver.
type printSQL struct{ *sql.Rows }

func (r printSQL) Columns() []columnInfo {
	var cols []columnInfo
	types, _ := r.ColumnTypes()
	for _, t := range types {
		cols = append(cols, columnInfo{t.Name(), t.DatabaseTypeName()})
	}
	return cols
}

func (r printSQL) Next() ([]any, error) {
	if !r.Rows.Next() {
		return nil, cmp.Or(r.Err(), io.EOF)
	}
	cols, _ := r.Rows.Columns()
	values := make([]any, len(cols))
	pointers := make([]any, len(cols))
	for i := range values {
		pointers[i] = &values[i]
	}
	return values, r.Scan(pointers...)
}

func TestPrintDriverValues(t *testing.T) {
	db, err := sql.Open("duckdb", "")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, tt := range []struct{ expr, want string }{
		{"NULL", "null"},
		{"12345678901234567890::HUGEINT", "12345678901234567890"},
		{"123456789012345678901234567890::BIGNUM", "123456789012345678901234567890"},
		{"1.50::DECIMAL(38,4)", "1.5000"},
		{"-0.05::DECIMAL(4,2)", "-0.05"},
		{"0.1::FLOAT", "0.1"},
		{"'nan'::DOUBLE", "null"},
		{"'2026-11-30 13:05:09+00'::TIMESTAMPTZ", `"2026-11-30T14:05:09+01:00"`},
		{"'2026-11-30 13:05:09'::TIMESTAMP", `"2026-11-30T13:05:09"`},
		{"'2026-11-30 13:05:09.123456789'::TIMESTAMP_NS", `"2026-11-30T13:05:09.123456789"`},
		{"'infinity'::TIMESTAMP", `"infinity"`},
		{"'-infinity'::TIMESTAMPTZ", `"-infinity"`},
		{"'2026-11-30'::DATE", `"2026-11-30"`},
		{"'13:05:09.5'::TIME", `"13:05:09.500000"`},
		{"'13:05:09+02'::TIMETZ", `"13:05:09+02:00"`},
		{"INTERVAL '26 hours'", `"26h00m00s"`},
		{"'2026-11-30'::TIMESTAMP - '2026-10-01 01:00:00'::TIMESTAMP", `"59d 23h00m00s"`},
		{"'123e4567-e89b-12d3-a456-426614174000'::UUID", `"123e4567-e89b-12d3-a456-426614174000"`},
		{"['123e4567-e89b-12d3-a456-426614174000'::UUID]", `["123e4567-e89b-12d3-a456-426614174000"]`},
		{"'\\xFF\\x00'::BLOB", `"/wA="`},
		{"'101'::BIT", `"101"`},
		{"'a'::ENUM('a', 'b')", `"a"`},
		{"{'z': DATE '2026-11-30', 'a b': [1, NULL], 'q\"': 1.5::DECIMAL(4,2)}", `{"z":"2026-11-30","a b":[1,null],"q\"":1.50}`},
		{"array_value(DATE '2026-11-30')", `["2026-11-30"]`},
		{"MAP {'b': DATE '2026-11-30', 'a': NULL}", `{"b":"2026-11-30","a":null}`},
		{"MAP {DATE '2026-11-30': 1}", `{"2026-11-30":1}`},
		{"union_value(n := DATE '2026-11-30')", `{"n":"2026-11-30"}`},
		{"[union_value(n := 1)]", `[{"n":1}]`},
		{"chr(27) || '[31m'", `"\u001b[31m"`},
	} {
		rows, err := db.QueryContext(context.Background(), "SELECT "+tt.expr+" AS v")
		if err != nil {
			t.Errorf("%s: %v", tt.expr, err)
			continue
		}
		var b bytes.Buffer
		if err := printRows(&b, "jsonl", printSQL{rows}, printOptions{Location: printBerlin(t)}); err != nil {
			t.Errorf("%s: %v", tt.expr, err)
		}
		rows.Close()
		if got, want := b.String(), `{"v":`+tt.want+"}\n"; got != want {
			t.Errorf("%s: got %s, want %s", tt.expr, got, want)
		}
	}
}

func FuzzPrintText(f *testing.F) {
	f.Add("the quick brown fox", 30)
	f.Add("a\x1b[31m\u009b\x00\xff\r\n|\\<", 12)
	f.Add("日本語 👩\u200d👩🏽❤\ufe0f\u200d🔥 e\u0301 \u202e🇩🇪 \u1112\u1161\u11ab", 20)
	f.Add(`{"a": "\ud800", "a": 1e999}`, 40)
	f.Fuzz(func(t *testing.T, s string, width int) {
		width = 15 + max(width, -width)%100
		cols := []columnInfo{{"text", "VARCHAR"}, {"n", "BIGINT"}, {"json", "JSON"}}
		row := []any{s, int64(1234567), s}
		table := printed(t, "table", printOptions{Width: width}, cols, row)
		lines := strings.Split(table, "\n")
		left := strings.Contains(table, "\nno room for ")
		if want := map[bool]int{false: 5, true: 6}[left]; len(lines) != want {
			t.Fatalf("got %d lines, want %d: %q", len(lines), want, table)
		}
		for _, line := range lines[:3] {
			if w := text.StringWidthWithoutEscSequences(line); w > width || text.StringWidth(line) > width {
				t.Fatalf("width %d: line of %d: %q", width, w, line)
			}
		}
		if !strings.Contains(lines[2], "1,234,567") && !strings.Contains(table, "no room for n, ") {
			t.Fatalf("the number was cut: %q", lines[2])
		}
		markdown := printed(t, "markdown", printOptions{}, cols, row)
		if strings.Count(markdown, "\n") != 3 {
			t.Fatalf("the cell was left: %q", markdown)
		}
		line := printed(t, "jsonl", printOptions{}, cols, row)
		for _, out := range []string{table, markdown, line} {
			if i := strings.IndexFunc(out, func(r rune) bool { return cellControl(r) && r != '\n' }); i >= 0 || !utf8.ValidString(out) {
				t.Fatalf("unsafe at %d: %q", i, out)
			}
		}
		var got struct {
			Text string
			JSON json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &got); err != nil || strings.Count(line, "\n") != 1 {
			t.Fatalf("%v: %q", err, line)
		}
		if want := string([]rune(s)); got.Text != want {
			t.Fatalf("got %q, want %q", got.Text, want)
		}
		if !json.Valid([]byte(s)) && string(got.JSON) != string(jsonString(nil, s)) {
			t.Fatalf("got %s for text that is no JSON", got.JSON)
		}
		records, err := csv.NewReader(strings.NewReader(printed(t, "csv", printOptions{}, cols, row))).ReadAll()
		if err != nil || len(records) != 2 || len(records[1]) != 3 {
			t.Fatalf("csv: %q, %v", records, err)
		}
	})
}
