package main

import (
	"encoding/csv"
	"math/big"
	"os"
	"regexp"
	"testing"
)

// priceList is the built-in list: by model, USD for a million tokens by the name of the column, nil
// where the list has none.
type priceList map[string]map[string]*big.Rat

func readPrices(t testing.TB) priceList {
	t.Helper()
	f, err := os.Open("../../schema/model_prices.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	list := priceList{}
	for _, row := range rows[1:] {
		p := map[string]*big.Rat{}
		for i, name := range rows[0] {
			if name == "model" || name == "valid_from" || row[i] == "" {
				continue
			}
			n, ok := new(big.Rat).SetString(row[i])
			if !ok {
				t.Fatalf("price %q", row[i])
			}
			p[name] = n
		}
		list[row[0]] = p
	}
	return list
}

var (
	longContext = regexp.MustCompile(`\[1m\]$`)
	dateOfModel = regexp.MustCompile(`(-\d{8}|-\d{4}-\d\d-\d\d|@\d{8})$`)
)

// find looks a model up by its name, then without [1m], then without that and a date.
func (list priceList) find(model string) map[string]*big.Rat {
	plain := longContext.ReplaceAllString(model, "")
	for _, name := range []string{model, plain, dateOfModel.ReplaceAllString(plain, "")} {
		if p, ok := list[name]; ok {
			return p
		}
	}
	return nil
}

// cost is nil where a price is missing for any of the tokens.
func (list priceList) cost(r reckoned, speed, tier string) *big.Rat {
	p := list.find(r.model)
	if p == nil {
		return nil
	}
	price := func(name string) *big.Rat { return p[name] }
	if limit := p["tier_above_input_tokens"]; limit != nil && big.NewRat(r.input+r.read+r.write5m+r.write1h, 1).Cmp(limit) > 0 {
		price = func(name string) *big.Rat {
			if n := p["tier_"+name]; n != nil || name == "cache_write_1h" {
				return n
			}
			return p[name]
		}
	}
	sum := new(big.Rat)
	for _, bucket := range []struct {
		tokens int64
		price  string
	}{
		{r.input, "input"}, {r.output, "output"}, {r.read, "cache_read"}, {r.write5m, "cache_write_5m"}, {r.write1h, "cache_write_1h"},
	} {
		if bucket.tokens == 0 {
			continue
		}
		each := price(bucket.price)
		if each == nil && bucket.price == "cache_write_1h" {
			each = new(big.Rat).Mul(big.NewRat(2, 1), price("input"))
		}
		if each == nil {
			return nil
		}
		sum.Add(sum, new(big.Rat).Mul(each, big.NewRat(bucket.tokens, 1e6)))
	}
	if speed == "fast" && p["fast_multiplier"] != nil {
		sum.Mul(sum, p["fast_multiplier"])
	}
	if tier == "batch" {
		sum.Quo(sum, big.NewRat(2, 1))
	}
	return sum.Add(sum, big.NewRat(r.searches, 100))
}
