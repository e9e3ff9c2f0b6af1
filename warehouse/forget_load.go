package warehouse

import (
	"context"
	"database/sql/driver"
	"fmt"

	_ "embed"
)

// What the writer does for rules: it copies the lines that stay, and judges those that are read.

//go:embed sql/leave_out.sql
var leaveOutSQL string

//go:embed sql/left_out.sql
var leftOutSQL string

// doom makes s.main.doomed_lines of the lines of a relation that rules take.
func (w *writer) doom(ctx context.Context, relation string, rules []Rule) error {
	err := w.exec(ctx,
		"SET VARIABLE rules = "+quote(jsonText(rules)),
		"CREATE OR REPLACE TEMP VIEW raw AS "+relation,
		"CREATE OR REPLACE TABLE s.main.doomed_lines AS "+forgetLinesSQL,
		"DROP VIEW temp.raw")
	if err != nil {
		return fmt.Errorf("forget: %w", err)
	}
	return nil
}

// staying is the condition on hosts for what may be copied of the catalogue and of the list of hosts.
// They are to be left out at once: DuckDB writes the deleted rows of a row group with the others.
func (rs rules) staying() string {
	hosts := "''"
	for _, r := range rs {
		if r.Kind == ForgetHost {
			hosts += ", " + quote(r.Value)
		}
	}
	return "host NOT IN (" + hosts + ")"
}

// judging makes the writer keep out lines that rules take, from here on.
func (w *writer) judging(ctx context.Context, rules []Rule) error {
	if len(rules) == 0 {
		return nil
	}
	w.rules = rules
	return w.exec(ctx,
		"CREATE OR REPLACE TABLE s.main.left_out (source_file VARCHAR, source_line BIGINT, byte_offset BIGINT, length_bytes BIGINT)",
		"CREATE OR REPLACE TABLE s.main.last_times (source_file VARCHAR, source_line BIGINT, timestamp TIMESTAMPTZ)")
}

// leaveOut takes the lines that rules keep out from a table of projected rows.
func (w *writer) leaveOut(ctx context.Context, table string) error {
	if err := w.exec(ctx, "CREATE OR REPLACE TEMP VIEW batch AS SELECT * FROM "+table); err != nil {
		return fmt.Errorf("forget: %w", err)
	}
	if err := w.doom(ctx, leaveOutSQL, w.rules); err != nil {
		return err
	}
	err := w.exec(ctx,
		`INSERT INTO s.main.last_times SELECT source_file, max(source_line), arg_max(timestamp, source_line) FROM temp.batch
			WHERE timestamp IS NOT NULL GROUP BY source_file`,
		`INSERT INTO s.main.left_out SELECT source_file, source_line, byte_offset, coalesce(octet_length(bytes), strlen(data::VARCHAR)) + 1
			FROM temp.batch SEMI JOIN s.main.doomed_lines USING (source_file, source_line)`,
		"DELETE FROM "+table+" AS t USING s.main.doomed_lines AS d WHERE t.source_file = d.source_file AND t.source_line = d.source_line",
		"DROP VIEW temp.batch")
	if err != nil {
		return fmt.Errorf("forget: %w", err)
	}
	return nil
}

// countLeftOut notes in the outcomes what was kept out of the files that were read.
func (r *refresh) countLeftOut(ctx context.Context, w *writer) error {
	if len(w.rules) == 0 {
		return nil
	}
	at := map[string]*outcome{}
	err := w.appendTable(ctx, "outcomes", "(source_file VARCHAR, consumed_lines BIGINT, consumed_bytes BIGINT)", func(add func(...driver.Value) error) error {
		for i := range r.outcomes {
			o := &r.outcomes[i]
			if o.row.path == "" || o.change == failed {
				continue
			}
			o.row.ignoredTail = false // it was read again
			at[o.row.path] = o
			if err := add(o.row.path, o.row.consumedLines, o.row.consumedBytes); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	rows, err := w.query(ctx, leftOutSQL)
	if err != nil {
		return fmt.Errorf("forget: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var g gaps
		if err := rows.Scan(&g.path, &g.lines, &g.bytes, &g.tail, &g.end); err != nil {
			return fmt.Errorf("forget: %w", err)
		}
		o := at[g.path]
		g.end = g.end || o.row.endIgnored
		o.row.add(g)
		r.sum.LeftOut += g.lines
		if g.tail {
			r.sum.LeftOut++
		}
	}
	return engineError(rows.Err())
}

// storeRules writes the rules.
func (r *refresh) storeRules(generation int64) []string {
	if !r.rulesChange {
		return nil
	}
	statements := []string{"DELETE FROM w.main.forgotten"}
	for _, rule := range r.rules {
		host := "NULL"
		if rule.Host != nil {
			host = quote(*rule.Host)
		}
		statements = append(statements, fmt.Sprintf("INSERT INTO w.main.forgotten VALUES (%s, %s, %s, %s::TIMESTAMPTZ, %d, %d, %d)",
			quote(string(rule.Kind)), quote(rule.Value), host, quote(RuleTime(rule.At)), rule.Files, rule.Lines, generation))
	}
	return statements
}
