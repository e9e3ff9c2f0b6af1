// Amounts of money: DECIMAL columns whose name ends in _usd.
//
// The rules are:
//
//   - For people a column has the same number of decimals in all its cells, the total's too: 2
//     where its largest amount is 10 or more, else 4. Rounded is half away from zero.
//   - An amount that would be rounded to nothing is shown as less than the last decimal, <0.01: a
//     call that cost something is not shown as one that did not.
//   - Programs get all digits, without the zeros behind the last one that says something.

package main

import (
	"math/big"
	"strings"

	"github.com/duckdb/duckdb-go/v2"
)

// moneyDecimals is the number of decimals for a column of these amounts.
func moneyDecimals(amounts []any) int {
	ten := big.NewRat(10, 1)
	for _, v := range amounts {
		if r := cellRat(v); r != nil && r.Abs(r).Cmp(ten) >= 0 {
			return 2
		}
	}
	return 4
}

func moneyText(d duckdb.Decimal, decimals int) string {
	size := new(big.Int).Abs(d.Value)
	if drop := int(d.Scale) - decimals; drop > 0 {
		unit := powerOfTen(drop)
		size.Add(size, new(big.Int).Rsh(unit, 1)).Quo(size, unit)
	} else {
		size.Mul(size, powerOfTen(-drop))
	}
	before := ""
	if size.Sign() == 0 && d.Value.Sign() != 0 {
		size.SetInt64(1)
		before = "<"
		if d.Value.Sign() < 0 {
			before = ">"
		}
	}
	if d.Value.Sign() < 0 {
		size.Neg(size)
	}
	return before + cellDecimal(duckdb.Decimal{Scale: uint8(decimals), Value: size})
}

// moneyDigits is an amount for programs.
func moneyDigits(d duckdb.Decimal) string {
	s := cellDecimal(d)
	if d.Scale > 0 {
		s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	}
	return s
}

func powerOfTen(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}
