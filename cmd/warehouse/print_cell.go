// Values as text.
//
// The rules are:
//
//   - A number has all its digits, a decimal its whole scale; money has rules of its own, in
//     print_money.go. Else only a table rounds, and only floats: to six decimals, or six digits
//     below one.
//   - A time has microseconds only where they are not zero, and in tables none.
//   - A duration reads like 1h02m03s, with days (3d) and months (2mo) before it where DuckDB keeps
//     them apart, since a day or a month is no fixed number of hours.
//   - Lists, structs and maps are JSON.

package main

import (
	"encoding/base64"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/duckdb/duckdb-go/v2"
	"github.com/google/uuid"
)

// cellForm is whom values are written for.
type cellForm int

const (
	cellData cellForm = iota // a program
	cellTable
	cellMarkdown
)

// cellShape is how a value's text stands in JSON.
type cellShape int

const (
	cellNull   cellShape = iota
	cellBare             // a number, true or false
	cellNaN              // a number JSON has not
	cellString           // text
	cellRaw              // text that may be JSON
	cellNested           // no text of its own
)

type cellWriter struct {
	loc  *time.Location
	form cellForm
}

// text is the value in a cell. It may hold any character.
func (c cellWriter) text(v any, col cellColumn) string {
	if v == nil && col.unpriced {
		return "unpriced"
	}
	s, shape := c.scalar(v, col.cellType)
	if shape == cellBare && col.grouped && (c.form == cellTable || c.form == cellMarkdown && col.money) {
		return cellGroup(s)
	}
	return s
}

// scalar is the text of a value, by its Go type, and by its SQL type where that says more.
func (c cellWriter) scalar(v any, t cellType) (string, cellShape) {
	switch v := v.(type) {
	case nil:
		return "", cellNull
	case bool:
		return strconv.FormatBool(v), cellBare
	case string:
		if t.kind == cellJSON {
			return v, cellRaw
		}
		return v, cellString
	case float64:
		return c.float(v, 64)
	case float32:
		return c.float(float64(v), 32)
	case *big.Int:
		if v == nil {
			return "", cellNull
		}
		return v.String(), cellBare
	case duckdb.Decimal:
		if v.Value == nil {
			return "", cellNull
		}
		switch {
		case !t.money:
			return cellDecimal(v), cellBare
		case c.form == cellData:
			return moneyDigits(v), cellBare
		}
		return moneyText(v, t.decimals), cellBare
	case time.Time:
		return c.time(v, t.kind), cellString
	case duckdb.Interval:
		return cellDuration(v), cellString
	case time.Duration:
		return cellDuration(duckdb.Interval{Micros: v.Microseconds()}), cellString
	case duckdb.UUID:
		return v.String(), cellString
	case []byte:
		return c.bytes(v, t), cellString
	case duckdb.Union:
		if c.form != cellData {
			return c.scalar(v.Value, t.field(v.Tag))
		}
	case []any, map[string]any, duckdb.OrderedMap, duckdb.Map:
	case fmt.Stringer:
		return v.String(), cellString
	default:
		switch n := reflect.ValueOf(v); {
		case n.CanInt():
			return strconv.FormatInt(n.Int(), 10), cellBare
		case n.CanUint():
			return strconv.FormatUint(n.Uint(), 10), cellBare
		}
		return fmt.Sprint(v), cellString
	}
	return string(cellWriter{c.loc, cellData}.jsonAppend(nil, v, t)), cellNested
}

func (c cellWriter) bytes(v []byte, t cellType) string {
	switch {
	case t.kind == cellUUID && len(v) == len(uuid.UUID{}):
		return uuid.UUID(v).String()
	case c.form == cellData:
		return base64.StdEncoding.EncodeToString(v)
	case len(v) == 1:
		return "<1 byte>"
	}
	return fmt.Sprintf("<%d bytes>", len(v))
}

// float writes very big and very small numbers with an exponent, as JavaScript does.
func (c cellWriter) float(v float64, bits int) (string, cellShape) {
	size := math.Abs(v)
	switch {
	case math.IsNaN(v):
		return "NaN", cellNaN
	case math.IsInf(v, 1):
		return "Infinity", cellNaN
	case math.IsInf(v, -1):
		return "-Infinity", cellNaN
	case c.form == cellTable && v != 0 && size < 1e15 && size >= 1e-6:
		decimals := 6
		if size < 1 {
			decimals = 5 - int(math.Floor(math.Log10(size)))
		}
		s := strings.TrimRight(strconv.FormatFloat(v, 'f', decimals, bits), "0")
		return strings.TrimSuffix(s, "."), cellBare
	case size >= 1e21, v != 0 && size < 1e-6:
		return strconv.FormatFloat(v, 'e', -1, bits), cellBare
	}
	return strconv.FormatFloat(v, 'f', -1, bits), cellBare
}

// cellDecimal keeps the trailing zeros of the scale, which the driver's String drops.
func cellDecimal(d duckdb.Decimal) string {
	digits := new(big.Int).Abs(d.Value).String()
	if missing := int(d.Scale) + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	if d.Scale > 0 {
		point := len(digits) - int(d.Scale)
		digits = digits[:point] + "." + digits[point:]
	}
	if d.Value.Sign() < 0 {
		return "-" + digits
	}
	return digits
}

// cellGroup sets commas between the thousands of a plain number.
func cellGroup(s string) string {
	if strings.ContainsAny(s, "eaNI") { // an exponent, true, false
		return s
	}
	whole, rest := s, ""
	if i := strings.IndexByte(s, '.'); i >= 0 {
		whole, rest = s[:i], s[i:]
	}
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	return sign + whole + rest
}

// Times the driver returns for 'infinity'::TIMESTAMP and its negative, in microseconds.
const (
	cellInfinity      = math.MaxInt64
	cellMinusInfinity = -math.MaxInt64
)

func (c cellWriter) time(v time.Time, kind cellKind) string {
	switch {
	case kind != cellStamp && kind != cellStampZone:
	case v.Equal(time.UnixMicro(cellInfinity)):
		return "infinity"
	case v.Equal(time.UnixMicro(cellMinusInfinity)):
		return "-infinity"
	}
	day, clock, zone := "2006-01-02 ", "15:04:05", ""
	if c.form == cellData {
		day = "2006-01-02T"
	}
	if c.form != cellTable {
		switch ns := v.Nanosecond(); {
		case ns%1000 != 0:
			clock += ".000000000"
		case ns != 0:
			clock += ".000000"
		}
	}
	switch kind {
	case cellDate:
		return v.Format("2006-01-02")
	case cellTime:
		return v.Format(clock)
	case cellTimeZone:
		return v.Format(clock + "-07:00")
	case cellStamp:
		return v.Format(day + clock)
	}
	switch c.form {
	case cellData:
		zone = "Z07:00"
	case cellMarkdown:
		zone = " -07:00"
	}
	return v.In(c.loc).Format(day + clock + zone)
}

// cellDuration writes parts of one sign behind one sign; parts of both keep theirs.
func cellDuration(v duckdb.Interval) string {
	var parts []string
	some := func(n int64, unit string) {
		if n != 0 {
			parts = append(parts, strconv.FormatInt(n, 10)+unit)
		}
	}
	some(int64(v.Months)/12, "y")
	some(int64(v.Months)%12, "mo")
	some(int64(v.Days), "d")
	if v.Micros != 0 || len(parts) == 0 {
		parts = append(parts, cellClock(v.Micros))
	}
	s := strings.Join(parts, " ")
	if minus := strings.Count(s, "-"); minus > 1 && minus == len(parts) {
		return "-" + strings.ReplaceAll(s, "-", "")
	}
	return s
}

func cellClock(micros int64) string {
	sign, left := "", uint64(micros)
	if micros < 0 {
		sign, left = "-", -uint64(micros)
	}
	fraction := ""
	if f := left % 1e6; f > 0 {
		fraction = "." + strings.TrimRight(fmt.Sprintf("%06d", f), "0")
	}
	left /= 1e6
	h, m, s := left/3600, left/60%60, left%60
	switch {
	case h > 0:
		return fmt.Sprintf("%s%dh%02dm%02d%ss", sign, h, m, s, fraction)
	case m > 0:
		return fmt.Sprintf("%s%dm%02d%ss", sign, m, s, fraction)
	}
	return fmt.Sprintf("%s%d%ss", sign, s, fraction)
}
