package warehouse

import (
	"context"
	_ "embed"
	"fmt"
)

//go:embed sql/describe.sql
var describeSQL string

// Object is a view, table or macro of the file, described by the file itself.
type Object struct {
	Kind    string // view, macro or table
	Name    string
	Comment string
	Columns []ObjectColumn
}

// ObjectColumn is a column of a view or table, or a parameter of a macro.
type ObjectColumn struct {
	Name    string
	Type    string
	Comment string
}

// Objects lists what the file holds: views first, then macros, then tables, each by name.
func (r *Reader) Objects(ctx context.Context) ([]Object, error) {
	rows, err := r.conn.QueryContext(ctx, describeSQL)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", engineError(err))
	}
	defer rows.Close()
	var out []Object
	for rows.Next() {
		var o Object
		var c ObjectColumn
		if err := rows.Scan(&o.Kind, &o.Name, &o.Comment, &c.Name, &c.Type, &c.Comment); err != nil {
			return nil, fmt.Errorf("schema: %w", err)
		}
		if n := len(out); n == 0 || out[n-1].Name != o.Name || out[n-1].Kind != o.Kind {
			out = append(out, o)
		}
		if c.Name != "" {
			last := &out[len(out)-1]
			last.Columns = append(last.Columns, c)
		}
	}
	return out, rows.Err()
}
