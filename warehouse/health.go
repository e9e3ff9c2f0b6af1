package warehouse

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"warehouse/queries"
)

// Health: whether what is in the warehouse is all there is, and is understood.
//
// The rules are:
//
//   - What can be asked of the warehouse in SQL is the report index-health; the rest, which reads
//     settings or every line, is sql/health.sql. Both have the same columns.
//   - The disk is compared with what is stored, file by file and byte by byte, never by clocks alone.
//   - Nothing is mended, nothing is written.
//   - A settings file that cannot be read is a finding of its own, and the rest goes on.

//go:embed sql/health.sql
var healthSQL string

// Finding is something that health has to say.
type Finding struct {
	Check   string
	Status  string // alert, info or ok
	Subject string
	Detail  string
}

// Alert is the status of what somebody should look at.
const Alert = "alert"

// statuses in the order in which they are told.
var statuses = []string{Alert, "info", "ok"}

// Health runs all checks. Alerts come first.
func (r *Reader) Health(ctx context.Context, now time.Time) ([]Finding, error) {
	report, ok := queries.Lookup("index-health")
	if !ok {
		return nil, errors.New("no report index-health")
	}
	rows, err := r.Run(ctx, report, nil, now)
	if err != nil {
		return nil, err
	}
	findings, err := readFindings(rows)
	if err != nil {
		return nil, err
	}
	warnings, err := r.fill(ctx, "disk_settings", nil)
	if err != nil {
		return nil, err
	}
	for _, w := range warnings {
		findings = append(findings, Finding{"settings-not-read", Alert, "settings", w})
	}
	if rows, err = r.Query(ctx, healthSQL); err != nil {
		return nil, fmt.Errorf("health: %w", err)
	}
	more, err := readFindings(rows)
	if err != nil {
		return nil, err
	}
	findings = append(findings, more...)
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return slices.Index(statuses, a.Status) - slices.Index(statuses, b.Status)
	})
	return findings, nil
}

func readFindings(rows *Rows) ([]Finding, error) {
	defer rows.Close()
	var out []Finding
	for {
		values, err := rows.Next()
		if err == io.EOF {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		var f Finding
		for i, field := range []*string{&f.Check, &f.Status, &f.Subject, &f.Detail} {
			*field, _ = values[i].(string)
		}
		out = append(out, f)
	}
}
