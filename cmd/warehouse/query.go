package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"warehouse/queries"
	"warehouse/warehouse"
)

// The rules are:
//
//   - What a report takes is declared in its file alone; its flags and its help are made from there.
//   - --since 7d is short for -p since=7d, and so for every parameter of the report that is named.
//   - A parameter that the report does not declare is an error that lists those it does.

type queryOptions struct {
	outputOptions
	list    bool
	blocked bool
	show    string
	params  []string
	named   map[string]*string // parameter flags
}

func newQueryCmd(a *app, args []string) *cobra.Command {
	o := queryOptions{named: map[string]*string{}}
	cmd := &cobra.Command{
		Use:   "query NAME",
		Short: "Print a report",
		Long: `Print a report. NAME is one of those that --list shows, a file with SQL of your own, or - for
standard input. warehouse query NAME --help tells what a report shows and takes.

Times: --since and --until take a date, a time, or 30m, 12h, 7d, 2w; the day of a bare --until
date counts whole.`,
		Example: `  warehouse query --list
  warehouse query tool-errors --since 7d --limit 5
  warehouse query usage-daily --since 30d --chart
  warehouse query tool-stats --help
  warehouse query --show sessions | duckdb -readonly "$(warehouse path)"
  warehouse query sessions -p project=/home/dev/app --format csv`,
		Args:              argRange(0, 1, "report"),
		ValidArgsFunction: completeQueries,
		RunE:              func(cmd *cobra.Command, args []string) error { return a.query(cmd, args, o) },
	}
	o.register(cmd)
	f := cmd.Flags()
	f.BoolVar(&o.list, "list", false, "list the reports")
	f.StringVar(&o.show, "show", "", "print the SQL of a `report`, to be pasted into DuckDB")
	f.BoolVar(&o.chart, "chart", false, "draw the report as bars, where it says of what")
	f.BoolVar(&o.blocked, "include-blocked", false, "of a report that exports text: hosts whose egress is blocked too")
	f.StringArrayVarP(&o.params, "param", "p", nil, "set a parameter, `name=value`; may be repeated")
	cmd.RegisterFlagCompletionFunc("show", completeQueries)
	for _, name := range []string{"since", "until", "project", "host", "agent", "session", "limit"} {
		o.named[name] = f.String(name, "", "short for -p "+name+"=…")
	}
	// The other parameters of the report that is named become flags too.
	if q, ok := namedReport(args); ok {
		for _, p := range q.Params {
			if f.Lookup(p.Name) == nil && p.Name != egressParam {
				o.named[p.Name] = f.String(p.Name, "", p.Description)
			}
		}
	}
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if q, ok := namedReport(args); ok {
			return warehouse.WithHint(usageError{err}, warehouse.Declared(q))
		}
		return usageError{err}
	})
	plain := cmd.HelpFunc()
	cmd.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		if q, ok := namedReport(args); ok {
			fmt.Fprint(cmd.OutOrStdout(), queries.Help(q))
			return
		}
		plain(cmd, nil)
	})
	a.completeFilters(cmd)
	return cmd
}

// completeFilters completes the flags of what narrows a report or a search.
func (a *app) completeFilters(cmd *cobra.Command) {
	for name, complete := range map[string]string{
		"session": "SELECT session_id FROM sessions ORDER BY end_time DESC",
		"project": "SELECT DISTINCT project_path FROM sessions WHERE project_path IS NOT NULL ORDER BY 1",
		"host":    "SELECT DISTINCT host FROM hosts ORDER BY 1",
	} {
		cmd.RegisterFlagCompletionFunc(name, a.completeFrom(complete))
	}
}

// namedReport finds the report that a command line names, before its flags are known.
func namedReport(args []string) (queries.Query, bool) {
	at := slices.Index(args, "query")
	if at < 0 {
		return queries.Query{}, false
	}
	for _, arg := range args[at+1:] {
		if q, ok := queries.Lookup(arg); ok {
			return q, true
		}
	}
	return queries.Query{}, false
}

func (a *app) query(cmd *cobra.Command, args []string, o queryOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	switch {
	case o.list:
		return a.listQueries()
	case o.show != "":
		q, ok := queries.Lookup(o.show)
		if !ok {
			return unknownReport(o.show)
		}
		_, err := fmt.Fprint(a.stdout, q.SQL)
		return err
	case len(args) == 0:
		return warehouse.WithHint(usagef("query: report missing"), "list them: warehouse query --list")
	}
	q, err := a.findQuery(args[0])
	if err != nil {
		return err
	}
	switch {
	case o.chart && o.format != "" && o.format != "table":
		return usagef("--chart draws in the terminal, it has no --format %s", o.format)
	case o.chart && q.Chart == (queries.Chart{}):
		return warehouse.WithHint(usagef("%s has no chart", q.Name), "as a table: warehouse query "+q.Name)
	}
	values, err := o.values(cmd)
	if err != nil {
		return err
	}
	if tz, ok := values["tz"]; ok {
		// The zone is the session's, not a report's; it can be given like a parameter.
		if o.zone = tz; o.check() != nil {
			return o.check()
		}
		delete(values, "tz")
	}
	if err := a.heedEgress(q, values, o.blocked); err != nil {
		return err
	}
	opt := warehouse.ReadOptions{TimeZone: o.zone}
	if len(q.Reads) > 0 {
		if opt.Places, err = a.places(); err != nil {
			return err
		}
	}
	r, err := a.openWith(cmd.Context(), opt)
	if err != nil {
		return err
	}
	defer r.Close()
	stop := waiting(a.stderr, "running "+q.Name)
	rows, err := r.Run(cmd.Context(), q, values, time.Now())
	stop()
	if errors.Is(err, warehouse.ErrParameter) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	for _, warning := range rows.Warnings {
		fmt.Fprintln(a.stderr, "warning: "+oneLine(a.redacted(warning)))
	}
	shown := reportOptions(cmd.Context(), q, r, rows)
	if _, exports := q.Param(egressParam); !exports {
		return a.print(rows, o.outputOptions, shown)
	}
	shown.Notes = nil
	if err := a.print(rows, o.outputOptions, shown); err != nil {
		return err
	}
	return a.sayLeftOut(cmd.Context(), q, r)
}

// reportOptions is what a report says of its rows.
func reportOptions(ctx context.Context, q queries.Query, r *warehouse.Reader, rows *warehouse.Rows) printOptions {
	opt := printOptions{Totals: q.Totals, Chart: q.Chart, Limit: rows.Limit}
	for _, p := range q.Params {
		opt.Zoned = opt.Zoned || p.Type == "TIMESTAMPTZ"
	}
	if q.Notes != "" {
		opt.Notes = func() ([]string, error) {
			rows.Close()
			return r.Notes(ctx, q)
		}
	}
	return opt
}

// values collects the parameters that were given.
func (o queryOptions) values(cmd *cobra.Command) (map[string]string, error) {
	values := map[string]string{}
	for name, value := range o.named {
		if cmd.Flags().Changed(name) {
			values[name] = *value
		}
	}
	for _, p := range o.params {
		name, value, ok := strings.Cut(p, "=")
		if !ok || name == "" {
			return nil, usagef("-p takes name=value, not %q", p)
		}
		if _, twice := values[name]; twice {
			return nil, usagef("parameter %q is given twice", name)
		}
		values[name] = value
	}
	return values, nil
}

// findQuery returns a report by name, a person's own by file name, or the one on standard input.
func (a *app) findQuery(name string) (queries.Query, error) {
	if q, ok := queries.Lookup(name); ok {
		return q, nil
	}
	if name != "-" && !strings.ContainsAny(name, `/\`) && filepath.Ext(name) != ".sql" {
		if _, err := os.Stat(name); err != nil {
			return queries.Query{}, unknownReport(name)
		}
	}
	text, err := a.readScript(name)
	if err != nil {
		return queries.Query{}, err
	}
	q, err := queries.ParseUser(name, text)
	if err != nil {
		return queries.Query{}, usageError{err}
	}
	return q, nil
}

func unknownReport(name string) error {
	hints := []string{"list them: warehouse query --list"}
	all, _ := queries.All()
	best, distance := "", len(name)/2+1
	for _, q := range all {
		if d := editDistance(name, q.Name); d < distance {
			best, distance = q.Name, d
		}
	}
	if best != "" {
		hints = append([]string{"did you mean: warehouse query " + best}, hints...)
	}
	return warehouse.WithHint(usagef("no report %q", name), hints...)
}

// editDistance is the number of letters to add, drop or change between two names.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

func (a *app) listQueries() error {
	all, err := queries.All()
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(a.stdout, 0, 8, 2, ' ', 0)
	for _, q := range all {
		title := q.Title
		if reads := q.ReadsText(); reads != "" {
			title += " (" + reads + ")"
		}
		fmt.Fprintf(w, "%s\t%s\n", q.Name, title)
	}
	return w.Flush()
}

func completeQueries(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	all, _ := queries.All()
	var out []string
	for _, q := range all {
		out = append(out, q.Name+"\t"+q.Title)
	}
	return out, cobra.ShellCompDirectiveDefault
}

// completeFrom completes from the first column of a query, and from nothing without a warehouse.
func (a *app) completeFrom(statement string) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(cmd *cobra.Command, _ []string, prefix string) ([]string, cobra.ShellCompDirective) {
		r, err := a.open(cmd.Context(), "")
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer r.Close()
		rows, err := r.Query(cmd.Context(), statement)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		defer rows.Close()
		var out []string
		for len(out) < 50 {
			values, err := rows.Next()
			if err != nil {
				break
			}
			if s, ok := values[0].(string); ok && strings.HasPrefix(s, prefix) && a.redacted(s) == s {
				out = append(out, s)
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}
