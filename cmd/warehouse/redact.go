package main

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/duckdb/duckdb-go/v2"

	"warehouse/warehouse"
	"warehouse/warehouse/redact"
)

// Redaction: credentials are masked in everything that a command prints of the warehouse.
//
// The rules are:
//
//   - It is off unless --redact or the warehouse's setting asks for it. The setting is an
//     operator's: --redact=false is refused then, not obeyed.
//   - Values are masked before they are laid out, so that every format has the same and widths fit:
//     text and JSON in lists, structs, maps and unions too, BLOBs, and names of columns, which a
//     PIVOT makes of values. Errors quote values, so they are masked as well.
//   - What cannot be masked is refused (restore).
//   - A command that prints text of its own hands it to redacted, whole and before it is cut:
//     half a key is not known for one.

// redactOff is the way to what a warehouse's setting keeps back.
const redactOff = "whoever looks after the warehouse can switch it off: warehouse refresh --redact off"

// heedRedact takes the setting of the warehouse that is read.
func (a *app) heedRedact(setting bool) error {
	if setting && !a.redact && a.redactFlag != nil && a.redactFlag.Changed {
		return warehouse.WithHint(usagef("--redact=false: what is read of this warehouse is redacted by a setting"), redactOff)
	}
	if a.redact = a.redact || setting; !a.redact {
		return nil
	}
	_, err := a.redactor()
	return err
}

// redactor is made when it is first needed.
func (a *app) redactor() (*redact.Redactor, error) {
	if a.masks == nil {
		var err error
		if a.masks, err = redact.New(); err != nil {
			return nil, err
		}
	}
	return a.masks, nil
}

// redacted is text as it may be printed.
func (a *app) redacted(text string) string {
	if !a.redact {
		return text
	}
	r, err := a.redactor()
	if err != nil {
		return "[redacted: " + err.Error() + "]"
	}
	return r.Text(text)
}

// redactedSource is rows and the notes below them as they may be printed.
func (a *app) redactedSource(rows rowSource, opt *printOptions) (rowSource, error) {
	if !a.redact {
		return rows, nil
	}
	r, err := a.redactor()
	if err != nil {
		return nil, err
	}
	if notes := opt.Notes; notes != nil {
		opt.Notes = func() ([]string, error) {
			lines, err := notes()
			for i := range lines {
				lines[i] = r.Text(lines[i])
			}
			return lines, err
		}
	}
	return redactedRows{rows, r}, nil
}

func (a *app) redactObjects(objects []warehouse.Object) {
	for i := range objects {
		o := &objects[i]
		o.Comment = a.redacted(o.Comment)
		for j := range o.Columns {
			c := &o.Columns[j]
			c.Type, c.Comment = a.redacted(c.Type), a.redacted(c.Comment)
		}
	}
}

// redactedRows masks the values that pass.
type redactedRows struct {
	rowSource
	masks *redact.Redactor
}

func (r redactedRows) Columns() []columnInfo {
	var out []columnInfo
	for _, c := range r.rowSource.Columns() {
		c.Name = r.masks.Text(c.Name)
		out = append(out, c)
	}
	return out
}

func (r redactedRows) Next() ([]any, error) {
	values, err := r.rowSource.Next()
	for i, v := range values {
		values[i] = r.value(v)
	}
	return values, err
}

func (r redactedRows) value(v any) any {
	switch v := v.(type) {
	case string:
		return r.masks.Text(v)
	case []byte:
		return []byte(r.masks.Text(string(v)))
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = r.value(e)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, e := range v {
			key := distinct(r.masks.Text(name), func(k string) bool { _, taken := out[k]; return taken })
			out[key] = r.member(name, e)
		}
		return out
	case duckdb.OrderedMap:
		var out duckdb.OrderedMap
		values := v.Values()
		for i, k := range v.Keys() {
			key := r.value(k)
			if s, ok := key.(string); ok {
				key = distinct(s, func(k string) bool { _, taken := out.Get(k); return taken })
			}
			out.Set(key, r.member(k, values[i]))
		}
		return out
	case duckdb.Map:
		out := duckdb.Map{}
		for k, e := range v {
			key := r.value(k)
			if s, ok := key.(string); ok {
				key = distinct(s, func(k string) bool { _, taken := out[k]; return taken })
			}
			out[key] = r.member(k, e)
		}
		return out
	case duckdb.Union:
		v.Value = r.value(v.Value)
		return v
	}
	return v
}

// member is the value of a struct's or a map's member, which its name may give away.
func (r redactedRows) member(name, v any) any {
	key, ok := name.(string)
	text, isText := v.(string)
	if ok && isText {
		return r.masks.Member(key, text)
	}
	return r.value(v)
}

// distinct numbers a key whose secret was masked where another is the same now.
func distinct(key string, taken func(string) bool) string {
	out := key
	for n := 2; taken(out); n++ {
		out = fmt.Sprintf("%s_%d", key, n)
	}
	return out
}

// redactConversation masks what a conversation says. A result that was not read whole ends with a
// whole word, as half a key is not known for one.
func (a *app) redactConversation(c *warehouse.Conversation) {
	if !a.redact {
		return
	}
	c.Title, c.ProjectPath = a.redacted(c.Title), a.redacted(c.ProjectPath)
	for i := range c.Items {
		item := &c.Items[i]
		if item.TextLength > int64(utf8.RuneCountInString(item.Text)) {
			item.Text = item.Text[:strings.LastIndexAny(item.Text, " \t\n")+1]
		}
		item.Text = a.redacted(item.Text)
	}
}

// redactHits masks what a search found.
func (a *app) redactHits(hits []warehouse.Hit) {
	if !a.redact {
		return
	}
	for i := range hits {
		h := &hits[i]
		h.Title, h.ProjectPath, h.Text = a.redacted(h.Title), a.redacted(h.ProjectPath), a.redacted(h.Text)
		for _, texts := range [][]warehouse.Neighbour{h.Before, h.Behind} {
			for n := range texts {
				texts[n].Text = a.redacted(texts[n].Text)
			}
		}
	}
}
