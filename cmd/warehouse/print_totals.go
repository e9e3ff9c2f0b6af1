// Sums of columns.
//
// The rules are:
//
//   - A sum is exact: numbers are added as fractions, and only the sum of floats becomes a float.
//   - NULL is left out; the sum of nothing but NULL is NULL.
//   - No sum is shown of one row or none.

package main

import (
	"fmt"
	"math/big"
	"reflect"
	"slices"

	"github.com/duckdb/duckdb-go/v2"
)

// cellRat is a finite number, exactly; nil for NULL and what is none.
func cellRat(v any) *big.Rat {
	switch v := v.(type) {
	case *big.Int:
		if v != nil {
			return new(big.Rat).SetInt(v)
		}
	case duckdb.Decimal:
		if v.Value != nil {
			return new(big.Rat).SetFrac(v.Value, powerOfTen(int(v.Scale)))
		}
	case float64:
		return new(big.Rat).SetFloat64(v)
	case float32:
		return new(big.Rat).SetFloat64(float64(v))
	default:
		switch n := reflect.ValueOf(v); {
		case n.CanInt():
			return new(big.Rat).SetInt64(n.Int())
		case n.CanUint():
			return new(big.Rat).SetUint64(n.Uint())
		}
	}
	return nil
}

// cellSum adds up the values of a column.
type cellSum struct {
	sum  big.Rat
	like any     // a value of the column, nil while all were NULL
	odd  float64 // sum of infinities and NaN, which no fraction is
}

func (s *cellSum) add(v any) {
	if r := cellRat(v); r != nil {
		s.sum.Add(&s.sum, r)
		s.like = v
		return
	}
	switch f := v.(type) {
	case float64:
		s.odd, s.like = s.odd+f, v
	case float32:
		s.odd, s.like = s.odd+float64(f), v
	}
}

// value is the sum, in the form of the column's values.
func (s *cellSum) value() any {
	switch v := s.like.(type) {
	case nil:
		return nil
	case duckdb.Decimal:
		digits := new(big.Rat).Mul(&s.sum, new(big.Rat).SetInt(powerOfTen(int(v.Scale))))
		return duckdb.Decimal{Width: v.Width, Scale: v.Scale, Value: new(big.Int).Set(digits.Num())}
	case float64, float32:
		if s.odd != 0 { // NaN too
			return s.odd
		}
		f, _ := s.sum.Float64()
		return f
	}
	return new(big.Int).Set(s.sum.Num())
}

// printSums returns a sum to fill for each column that has one.
func printSums(cols []cellColumn, totals []string) (map[int]*cellSum, error) {
	sums := map[int]*cellSum{}
	for _, name := range totals {
		i, err := printNumber(cols, name, "a total")
		if err != nil {
			return nil, err
		}
		sums[i] = &cellSum{}
	}
	return sums, nil
}

// printNumber finds the column of numbers that a header names.
func printNumber(cols []cellColumn, name, use string) (int, error) {
	i := slices.IndexFunc(cols, func(c cellColumn) bool { return c.Name == name })
	switch {
	case i < 0:
		return 0, fmt.Errorf("the header wants %s of %q, which the result has not", use, name)
	case cols[i].kind != cellNumber:
		return 0, fmt.Errorf("the header wants %s of %q, which is %s, no number", use, name, cols[i].Type)
	}
	return i, nil
}
