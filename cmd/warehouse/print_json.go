// Values as JSON.
//
// The rules are:
//
//   - A value is on one line, and pure UTF-8.
//   - Control characters are escaped, those that JSON would allow (U+007F to U+009F) too: a
//     terminal takes U+009B for the start of a sequence. Nothing is lost by that.
//   - A JSON column is put in as it is, without the blanks between its parts: numbers keep their
//     digits, objects their order and doubled keys. What is no JSON is a string.
//   - A union is an object with its tag as the key, as DuckDB's to_json has it.

package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/duckdb/duckdb-go/v2"
)

func (c cellWriter) jsonObject(b []byte, keys []string, cols []cellColumn, values []any) []byte {
	b = append(b, '{')
	for i, v := range values {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(jsonString(b, keys[i]), ':')
		b = c.jsonAppend(b, v, cols[i].cellType)
	}
	return append(b, '}')
}

func (c cellWriter) jsonAppend(b []byte, v any, t cellType) []byte {
	switch v := v.(type) {
	case []any:
		b = append(b, '[')
		for i, e := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = c.jsonAppend(b, e, t.elem(0))
		}
		return append(b, ']')
	case map[string]any:
		return c.jsonStruct(b, v, t)
	case duckdb.OrderedMap:
		return c.jsonMap(b, v.Keys(), v.Values(), t)
	case duckdb.Map:
		// A Go map has no order: sorted, so that the same result is the same text.
		var keys, values []any
		for k := range v {
			keys = append(keys, k)
		}
		slices.SortFunc(keys, func(x, y any) int {
			return strings.Compare(c.jsonKey(x, t), c.jsonKey(y, t))
		})
		for _, k := range keys {
			values = append(values, v[k])
		}
		return c.jsonMap(b, keys, values, t)
	case duckdb.Union:
		b = append(jsonString(append(b, '{'), v.Tag), ':')
		return append(c.jsonAppend(b, v.Value, t.field(v.Tag)), '}')
	}
	s, shape := c.scalar(v, t)
	switch shape {
	case cellNull, cellNaN:
		return append(b, "null"...)
	case cellBare:
		return append(b, s...)
	case cellRaw:
		return jsonRaw(b, s)
	}
	return jsonString(b, s)
}

// jsonStruct writes the fields in the order of the type. A map without one is JSON that was nested
// in another type, which the driver decodes.
func (c cellWriter) jsonStruct(b []byte, v map[string]any, t cellType) []byte {
	var names []string
	for _, f := range t.fields {
		if _, ok := v[f.name]; ok && t.kind == cellStruct {
			names = append(names, f.name)
		}
	}
	if len(names) != len(v) {
		names = nil
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
	}
	b = append(b, '{')
	for i, name := range names {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(jsonString(b, name), ':')
		b = c.jsonAppend(b, v[name], t.field(name))
	}
	return append(b, '}')
}

func (c cellWriter) jsonMap(b []byte, keys, values []any, t cellType) []byte {
	b = append(b, '{')
	for i, k := range keys {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(jsonString(b, c.jsonKey(k, t)), ':')
		b = c.jsonAppend(b, values[i], t.elem(1))
	}
	return append(b, '}')
}

func (c cellWriter) jsonKey(k any, t cellType) string {
	s, _ := c.scalar(k, t.elem(0))
	return s
}

// jsonString appends s as a string. json.Marshal would take each < for HTML.
func jsonString(b []byte, s string) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, '\\', 'n')
		case r == '\t':
			b = append(b, '\\', 't')
		case r == '\r':
			b = append(b, '\\', 'r')
		case cellControl(r):
			b = jsonEscape(b, r)
		case r == utf8.RuneError:
			b = append(b, "\ufffd"...)
		default:
			b = append(b, s[i:i+size]...)
		}
		i += size
	}
	return append(b, '"')
}

// jsonRaw appends text that is JSON, else a string. A control character in valid JSON stands in a
// string, where an escape means the same.
func jsonRaw(b []byte, s string) []byte {
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(s)); err != nil {
		return jsonString(b, s)
	}
	for _, r := range compact.String() { // makes broken UTF-8 U+FFFD
		if cellControl(r) {
			b = jsonEscape(b, r)
		} else {
			b = utf8.AppendRune(b, r)
		}
	}
	return b
}

func jsonEscape(b []byte, r rune) []byte {
	const hex = "0123456789abcdef"
	return append(b, '\\', 'u', '0', '0', hex[r>>4&15], hex[r&15])
}
