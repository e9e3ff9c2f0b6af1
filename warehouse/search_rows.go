package warehouse

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"warehouse/queries"
)

// searchScripts are the parsed scripts, by name.
var searchScripts sync.Map

// runScript runs a script of this package like a report, with those of the values that it declares.
func (r *Reader) runScript(ctx context.Context, name, script string, values map[string]string, now time.Time) ([]map[string]any, error) {
	parsed, ok := searchScripts.Load(name)
	if !ok {
		q, err := queries.ParseUser(name+".sql", script)
		if err != nil {
			return nil, err
		}
		parsed, _ = searchScripts.LoadOrStore(name, q)
	}
	q := parsed.(queries.Query)
	// One call for all of it: what a search costs is mostly round trips and planning.
	var set strings.Builder
	for _, p := range q.Params {
		value, given := values[p.Name]
		switch {
		case given && p.Type == "TIMESTAMPTZ":
			value = moment(value, p.Name == "until", now)
			var fits bool
			if err := r.conn.QueryRowContext(ctx, "SELECT try_cast(?::VARCHAR AS TIMESTAMPTZ) IS NOT NULL", value).Scan(&fits); err != nil {
				return nil, engineError(err)
			}
			if !fits {
				return nil, fmt.Errorf("--%s is a time such as 7d or 2026-11-01, not %q%w", p.Name, values[p.Name], silent{ErrParameter})
			}
			fallthrough
		case given:
			fmt.Fprintf(&set, "SET VARIABLE %s = %s;\n", quoteName(p.Name), quote(value))
		case r.variables[p.Name]:
			fmt.Fprintf(&set, "RESET VARIABLE %s;\n", quoteName(p.Name))
		}
		r.sets(p.Name)
	}
	statements := queries.Split(q.SQL)
	last := len(statements) - 1
	if _, err := r.conn.ExecContext(ctx, set.String()+strings.Join(statements[:last], ";\n")); err != nil {
		return nil, engineError(err)
	}
	rows, err := r.conn.QueryContext(ctx, statements[last])
	if err != nil {
		return nil, queryError(err)
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return nil, engineError(err)
	}
	var out []map[string]any
	for rows.Next() {
		row, pointers := make([]any, len(names)), make([]any, len(names))
		for i := range row {
			pointers[i] = &row[i]
		}
		if err := rows.Scan(pointers...); err != nil {
			return nil, engineError(err)
		}
		one := map[string]any{}
		for i, name := range names {
			one[name] = row[i]
		}
		out = append(out, one)
	}
	return out, engineError(rows.Err())
}

func hitOf(row map[string]any) Hit {
	h := Hit{
		SessionID: asText(row["session_id"]), Role: asText(row["role"]), Kind: asText(row["kind"]),
		Timestamp: asTime(row["timestamp"]), ProjectPath: asText(row["project_path"]), Host: asText(row["host"]), Agent: asText(row["agent"]),
		AgentID: asText(row["agent_id"]), SourceFile: asText(row["source_file"]), SourceLine: asInt(row["source_line"]),
		ItemIndex: asInt(row["item_index"]), PassageNumber: asInt(row["passage_number"]),
		Copies: asInt(row["copies"]), Text: asText(row["text"]),
	}
	if missing := asText(row["words_missing"]); missing != "" {
		h.Missing = strings.Split(missing, "\n")
	}
	h.IsSubagent, _ = row["is_subagent"].(bool)
	h.IsInjected, _ = row["is_injected"].(bool)
	h.IsAutomated, _ = row["is_automated"].(bool)
	h.Score, _ = row["score"].(float64)
	return h
}

func asText(v any) string { s, _ := v.(string); return s }

func asTime(v any) time.Time { t, _ := v.(time.Time); return t }

func asInt(v any) int64 {
	switch n := v.(type) {
	case int64:
		return n
	case int32:
		return int64(n)
	}
	return 0
}
