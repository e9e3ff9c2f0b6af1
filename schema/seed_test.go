package schema

import (
	"strings"
	"testing"
)

func pricesTable(t testing.TB) Object {
	t.Helper()
	set, err := Embedded()
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range set.Seeded() {
		if o.Name == "model_prices" {
			return o
		}
	}
	t.Fatal("no model_prices")
	return Object{}
}

func TestSeedRows(t *testing.T) {
	o := pricesTable(t)
	rows, err := o.SeedRows("a.csv", "\ufeffoutput,model , input,cache_read\r\n 2.50,it's,0.000001,\r\n\"3\",b,1,0\n", Own)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"'it''s', DATE '1970-01-01', 0.000001, 2.50, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'own'",
		"'b', DATE '1970-01-01', 1, 3, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 'own'",
	}
	for i, row := range rows {
		if got := strings.Join(row, ", "); got != want[i] {
			t.Errorf("got  %s\nwant %s", got, want[i])
		}
	}
	if len(rows) != 2 {
		t.Errorf("got %d rows", len(rows))
	}
}

func TestSeedRowsRefuse(t *testing.T) {
	o := pricesTable(t)
	for _, tt := range []struct{ text, want string }{
		{"", "p.csv: empty, want a line with the names of columns: model, valid_from, "},
		{"model,input,output,price\n", `p.csv:1: unknown column "price"; `},
		{"Model,input,output\n", `p.csv:1: unknown column "Model"; `},
		{"model,input,input,output\n", `p.csv:1: column "input" stands there twice`},
		{"model,input\n", `p.csv:1: no column "output"; `},
		{"model,input,output\na,1\n", "p.csv:2: wrong number of fields"},
		{"model,input,output\n\"a,1,2\n", "p.csv:2: extraneous or missing \" in quoted-field"},
		{"model,input,output\n,1,2\n", "p.csv:2: model: empty"},
		{"model,input,output\na,,2\n", "p.csv:2: input: empty"},
		{"model,input,output\n\na,-1,2\n", `p.csv:3: input: got "-1", want a number that is not negative`},
		{"model,input,output\na,1e3,2\n", `p.csv:2: input: got "1e3", want a number`},
		{"model,input,output\na,NaN,2\n", `p.csv:2: input: got "NaN", want a number`},
		{"model,input,output\na,1,.5\n", `p.csv:2: output: got ".5", want a number`},
		{"model,input,output\na,1,0.0000001\n", `p.csv:2: output: got "0.0000001", want at most 6 digits behind the point`},
		{"model,input,output\na,1,1234567890123\n", `p.csv:2: output: got "1234567890123", want at most 12 digits before the point`},
		{"model,input,output,tier_above_input_tokens\na,1,1,2.5\n", `p.csv:2: tier_above_input_tokens: got "2.5", want a whole number`},
		{"model,input,output,valid_from\na,1,1,2026-02-30\n", `p.csv:2: valid_from: got "2026-02-30", want a day such as 2026-11-30`},
		{"model,input,output\na,1,1\nb,1,1\na,2,2\n", `p.csv:4: model 'a', valid_from DATE '1970-01-01' is on line 2 already`},
		{"model,input,output,valid_from\na,1,1,2026-01-01\na,1,1,2026-01-02\na,2,2,2026-01-01\n", `p.csv:4: model 'a', valid_from DATE '2026-01-01' is on line 2 already`},
	} {
		rows, err := o.SeedRows("p.csv", tt.text, Own)
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%q: got %v and %d rows, want %s", tt.text, err, len(rows), tt.want)
		}
	}
}
