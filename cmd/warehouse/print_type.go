// The types of columns, as far as printing depends on them.
//
// The rules are:
//
//   - The driver gives Go values without their SQL type: a DATE and a TIMESTAMPTZ are both
//     time.Time, a struct is a map without an order. So the type's name is read, nested ones too.
//   - Both spellings are read, the driver's (TIMESTAMPTZ, "a" INTEGER) and DuckDB's (TIMESTAMP
//     WITH TIME ZONE, a INTEGER). An unknown type is text.

package main

import (
	"slices"
	"strings"
	"unicode"
)

type cellKind int

const (
	cellText cellKind = iota
	cellNumber
	cellBool
	cellDate
	cellTime
	cellTimeZone
	cellStamp
	cellStampZone
	cellInterval
	cellUUID
	cellBlob
	cellJSON
	cellList
	cellMap
	cellStruct
	cellUnion
)

type cellType struct {
	kind     cellKind
	fields   []cellField // of a list its element, of a map key and value
	money    bool        // a column of amounts
	decimals int         // that they are shown with
}

type cellField struct {
	name string
	cellType
}

var cellKinds = map[string]cellKind{
	"TINYINT": cellNumber, "SMALLINT": cellNumber, "INTEGER": cellNumber, "BIGINT": cellNumber,
	"UTINYINT": cellNumber, "USMALLINT": cellNumber, "UINTEGER": cellNumber, "UBIGINT": cellNumber,
	"HUGEINT": cellNumber, "UHUGEINT": cellNumber, "BIGNUM": cellNumber, "DECIMAL": cellNumber,
	"FLOAT": cellNumber, "DOUBLE": cellNumber, "BOOLEAN": cellBool,
	"DATE": cellDate, "TIME": cellTime, "TIME_NS": cellTime,
	"TIMETZ": cellTimeZone, "TIME WITH TIME ZONE": cellTimeZone,
	"TIMESTAMP": cellStamp, "TIMESTAMP_S": cellStamp, "TIMESTAMP_MS": cellStamp, "TIMESTAMP_NS": cellStamp,
	"TIMESTAMPTZ": cellStampZone, "TIMESTAMP WITH TIME ZONE": cellStampZone,
	"INTERVAL": cellInterval, "UUID": cellUUID, "BLOB": cellBlob, "GEOMETRY": cellBlob,
	"JSON": cellJSON, "MAP": cellMap, "STRUCT": cellStruct, "UNION": cellUnion,
}

func cellTypeOf(name string) cellType {
	name = strings.TrimSpace(name)
	if strings.HasSuffix(name, "]") {
		elem := name[:max(strings.LastIndexByte(name, '['), 0)]
		return cellType{kind: cellList, fields: []cellField{{"", cellTypeOf(elem)}}}
	}
	base, args, _ := strings.Cut(name, "(")
	t := cellType{kind: cellKinds[strings.ToUpper(strings.TrimSpace(base))]}
	args = strings.TrimSuffix(args, ")")
	switch t.kind {
	case cellMap:
		for _, arg := range cellSplit(args, ',') {
			t.fields = append(t.fields, cellField{"", cellTypeOf(arg)})
		}
	case cellStruct, cellUnion:
		for _, arg := range cellSplit(args, ',') {
			words := cellSplit(strings.TrimSpace(arg), ' ')
			name := words[0]
			if len(name) > 1 && name[0] == '"' {
				name = strings.ReplaceAll(name[1:len(name)-1], `""`, `"`)
			}
			t.fields = append(t.fields, cellField{name, cellTypeOf(strings.Join(words[1:], " "))})
		}
	}
	return t
}

// cellSplit splits at the separators that are in neither parentheses nor quotes.
func cellSplit(s string, sep byte) []string {
	var parts []string
	depth, start, quoted := 0, 0, false
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == sep && depth == 0:
			parts = append(parts, s[start:i])
			start = i + 1
		}
	}
	return append(parts, s[start:])
}

// field is the type of a struct's or union's field; text when it has none of that name.
func (t cellType) field(name string) cellType {
	for _, f := range t.fields {
		if f.name == name {
			return f.cellType
		}
	}
	return cellType{}
}

// elem is the type of a list's element, or of a map's key (0) and value (1).
func (t cellType) elem(i int) cellType {
	if i < len(t.fields) {
		return t.fields[i].cellType
	}
	return cellType{}
}

// has tells whether values are of the kind or hold such.
func (t cellType) has(kind cellKind) bool {
	return t.kind == kind ||
		slices.ContainsFunc(t.fields, func(f cellField) bool { return f.has(kind) })
}

type cellColumn struct {
	columnInfo
	cellType
	right    bool // aligned to the right
	cut      bool // may be cut to make a table fit
	grouped  bool // shown with thousands separators in a table
	unpriced bool // NULL is a cost that is not known
}

// cellKeys are last words of names whose numbers say which, not how many: nobody looks for
// line 1,024.
var cellKeys = strings.Fields(`id line year month day hour pid port inode device version
	generation code number no index seq revision`)

func cellColumnOf(info columnInfo) cellColumn {
	c := cellColumn{columnInfo: info, cellType: cellTypeOf(info.Type)}
	switch c.kind {
	case cellNumber, cellInterval:
		c.right = true
	case cellText, cellJSON, cellUUID, cellList, cellMap, cellStruct, cellUnion:
		c.cut = true
	}
	// The last word also of an expression: max(source_line) is a line too.
	words := strings.FieldsFunc(strings.ToLower(info.Name), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	c.grouped = c.kind == cellNumber && (len(words) == 0 || !slices.Contains(cellKeys, words[len(words)-1]))
	c.money = strings.HasPrefix(strings.ToUpper(info.Type), "DECIMAL") && c.kind == cellNumber && strings.HasSuffix(info.Name, "_usd")
	c.unpriced = info.Name == "cost_usd" || strings.HasSuffix(info.Name, "_cost_usd")
	return c
}
