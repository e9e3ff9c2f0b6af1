package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"warehouse/warehouse"
)

type hostsOptions struct {
	outputOptions
	egress string
}

func newHostsCmd(a *app) *cobra.Command {
	var o hostsOptions
	cmd := &cobra.Command{
		Use:   "hosts [LABEL]",
		Short: "List the machines whose transcripts are here",
		Long: `List the machines whose transcripts are here: what the warehouse holds of each, when it was last
imported and from where, and whether its text may leave.

Text of a host whose egress is blocked stays out of search, read and text-export. Imported hosts are
blocked until --egress allowed lets their text out; --egress blocked takes that back. It holds from
the next command on. Plain SQL, other reports and numbers are not policed.`,
		Example: `  warehouse hosts
  warehouse hosts --format json
  warehouse hosts --egress allowed laptop
  warehouse hosts --egress blocked laptop`,
		Args: argRange(0, 1, "label"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return a.completeLabels(cmd, args, prefix)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("egress") {
				return a.setEgress(args, o.egress)
			}
			return a.hosts(cmd, args, o)
		},
	}
	o.register(cmd)
	cmd.Flags().StringVar(&o.egress, "egress", "", "allowed or blocked: whether the text of the host may leave")
	cmd.RegisterFlagCompletionFunc("egress", cobra.FixedCompletions([]string{warehouse.EgressAllowed, warehouse.EgressBlocked}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (a *app) setEgress(args []string, egress string) error {
	if egress != warehouse.EgressAllowed && egress != warehouse.EgressBlocked {
		return usagef("--egress is %s or %s, not %q", warehouse.EgressAllowed, warehouse.EgressBlocked, egress)
	}
	if len(args) == 0 {
		return usagef("hosts: --egress needs the label of a host")
	}
	if err := warehouse.CheckLabel(args[0]); err != nil {
		return warehouse.WithHint(usageError{err}, "list them: warehouse hosts")
	}
	layout, err := a.layout()
	if err != nil {
		return err
	}
	if err := layout.SetEgress(args[0], egress); err != nil {
		return err
	}
	what := "stays out of"
	if egress == warehouse.EgressAllowed {
		what = "is let out by"
	}
	fmt.Fprintf(a.stderr, "text of %s %s search, read and text-export\n", args[0], what)
	return nil
}

func (a *app) hosts(cmd *cobra.Command, args []string, o hostsOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	if len(args) > 0 && args[0] != warehouse.LocalHost {
		if err := warehouse.CheckLabel(args[0]); err != nil {
			return usageError{err}
		}
	}
	layout, err := a.layout()
	if err != nil {
		return err
	}
	r, err := a.open(cmd.Context(), o.zone)
	if labels, _ := layout.Labels(); errors.Is(err, warehouse.ErrNoDatabase) && len(labels) > 0 {
		r = nil // there are trees for the first refresh
	} else if err != nil {
		return err
	}
	var kept []warehouse.Rule
	if r != nil {
		defer r.Close()
		if kept, err = r.Forgotten(cmd.Context()); err != nil {
			return err
		}
	}
	hosts, err := layout.Hosts(cmd.Context(), r)
	if err != nil {
		return err
	}
	rows := &listedRows{columns: []columnInfo{
		{"host", "VARCHAR"}, {"egress", "VARCHAR"}, {"files", "BIGINT"}, {"lines", "BIGINT"}, {"first_record_at", "TIMESTAMP WITH TIME ZONE"},
		{"last_record_at", "TIMESTAMP WITH TIME ZONE"}, {"imported_at", "TIMESTAMP WITH TIME ZONE"}, {"source", "VARCHAR"},
	}}
	var notes []string
	blocked := false
	for _, h := range hosts {
		if len(args) > 0 && h.Label != args[0] {
			continue
		}
		rows.add(h.Label, h.Egress, h.Files, h.Lines, orNull(h.First), orNull(h.Last), orNull(h.ImportedAt), orNull(h.Source))
		blocked = blocked || h.Egress == warehouse.EgressBlocked
		if h.IsInterrupted {
			notes = append(notes, fmt.Sprintf("the last import of %s did not come to its end; repeat it: warehouse import --host %[1]s", h.Label))
		}
	}
	if len(args) > 0 && len(rows.rows) == 0 {
		return warehouse.WithHint(fmt.Errorf("%w: no host %q", warehouse.ErrNotFound, args[0]), "list them: warehouse hosts")
	}
	if blocked {
		notes = append(notes, "blocked: text stays out of search, read and text-export; let it out with: warehouse hosts --egress allowed LABEL")
	}
	if n := len(kept); n > 0 {
		notes = append(notes, fmt.Sprintf("what was forgotten is kept out by %s: warehouse forget --list", count(int64(n), "rule")))
	}
	return a.printSource(rows, o.outputOptions, printOptions{Notes: func() ([]string, error) { return notes, nil }})
}

// orNull is a value, or NULL where it says nothing.
func orNull(v any) any {
	switch v := v.(type) {
	case time.Time:
		if v.IsZero() {
			return nil
		}
	case string:
		if v == "" {
			return nil
		}
	}
	return v
}

// listedRows are rows that were put together.
type listedRows struct {
	columns []columnInfo
	rows    [][]any
	next    int
}

func (l *listedRows) add(values ...any) { l.rows = append(l.rows, values) }

func (l *listedRows) Columns() []columnInfo { return l.columns }

func (l *listedRows) Next() ([]any, error) {
	if l.next == len(l.rows) {
		return nil, io.EOF
	}
	l.next++
	return l.rows[l.next-1], nil
}
