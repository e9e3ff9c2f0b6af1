package warehouse

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"time"
)

//go:embed sql/forget_sessions.sql
var forgetSessionsSQL string

//go:embed sql/forget_copies.sql
var forgetCopiesSQL string

// ForgetPlan says what rules would take.
type ForgetPlan struct {
	Lines    int64
	Bytes    int64
	Sessions []ForgetSessionPlan // the last begun first
	Files    []ForgetFilePlan    // by path
	// Records of these lines that stand in others too, which stay: in resumed and forked sessions.
	Copies        int64
	CopySessions  []string
	ImportedFiles int64  // transcripts of the tree that goes with a host
	ImportedTree  string // where it lies
}

// IsEmpty tells whether there is nothing to forget.
func (p ForgetPlan) IsEmpty() bool { return p.Lines == 0 && p.ImportedTree == "" }

// ForgetSessionPlan is a session that loses lines.
type ForgetSessionPlan struct {
	SessionRef
	Lines int64
}

// ForgetFilePlan is a file that loses lines.
type ForgetFilePlan struct {
	Path   string
	Host   string
	Lines  int64
	Of     int64 // lines of it in the warehouse
	OnDisk bool  // it stays there
}

// PlanForget looks up what rules would take.
func (r *Reader) PlanForget(ctx context.Context, l Layout, asked []Rule) (ForgetPlan, error) {
	var p ForgetPlan
	taken, err := r.gapsOf(ctx, asked)
	if err != nil {
		return p, err
	}
	known, err := readCatalogue(ctx, r.conn)
	if err != nil {
		return p, err
	}
	for _, g := range taken {
		f := known[g.path]
		of := f.storedLines()
		f.add(g)
		one := ForgetFilePlan{Path: g.path, Host: f.host, Of: of, Lines: of - f.storedLines(), OnDisk: exists(g.path) && !rules(asked).host(f.host)}
		p.Files = append(p.Files, one)
		p.Lines += one.Lines
		p.Bytes += g.bytes
	}
	err = r.each(ctx, forgetSessionsSQL, func(scan func(...any) error) error {
		var s ForgetSessionPlan
		var at *time.Time
		if err := scan(&s.Host, &s.Agent, &s.ID, &s.Title, &at, &s.Lines); err != nil {
			return err
		}
		s.StartedAt = orZero(at)
		p.Sessions = append(p.Sessions, s)
		return nil
	})
	if err != nil {
		return p, fmt.Errorf("forget: %w", err)
	}
	var sessions string
	if err := r.conn.QueryRowContext(ctx, forgetCopiesSQL).Scan(&p.Copies, &sessions); err != nil {
		return p, fmt.Errorf("forget: %w", engineError(err))
	}
	if err := json.Unmarshal([]byte(sessions), &p.CopySessions); err != nil {
		return p, err
	}
	for _, rule := range asked {
		if rule.Kind == ForgetHost && exists(l.tree(rule.Value)) {
			p.ImportedTree = l.tree(rule.Value)
			if err := countTree(p.ImportedTree, func(string, int64) { p.ImportedFiles++ }); err != nil {
				return p, err
			}
		}
	}
	return p, nil
}
