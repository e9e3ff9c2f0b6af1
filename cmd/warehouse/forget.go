package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"warehouse/warehouse"
)

// The rules are:
//
//   - What goes is listed before it goes. On a terminal a person is asked; without one --yes says so.
//   - Transcripts are not touched, but for the tree of a host that was imported.

type forgetOptions struct {
	outputOptions
	host, session, file, before string
	yes, dryRun, list, undo     bool
	wait                        time.Duration
}

func newForgetCmd(a *app) *cobra.Command {
	var o forgetOptions
	cmd := &cobra.Command{
		Use:   "forget --host LABEL | --session ID | --file PATH | --before DATE",
		Short: "Take lines out of the warehouse for good",
		Long: `Take lines out of the warehouse for good: their rows, what is derived from them, their words. The
database is written anew without them, so that their bytes are gone from it and from its second copy,
and published in one step. What goes is listed first; on a terminal you are asked, else say --yes.

A session goes with its sub-agents: all that reading it shows. Copies of its records in resumed and
forked sessions stay, and are named. --before takes lines by their time, with --host those of one
machine; a line without a time goes with the one before it. --host alone takes all of an imported
machine, and its tree in the warehouse directory.

No other transcript is touched. Files that are still there are ignored from then on, and so is what
is added to them (source_files says ignored); lines before the date stay out wherever they are read.
--list shows these rules, --undo lifts one and reads the files again. restore says which files have
gaps.

Backups, snapshots of the disk, and programs that still have the old file open are out of reach.`,
		Example: `  warehouse forget --session 1b7e0c52
  warehouse forget --session 1b7e0c52 --dry-run
  warehouse forget --before 2026-01-01 --yes
  warehouse forget --host laptop
  warehouse forget --list
  warehouse forget --undo --session 1b7e0c52`,
		Args: argRange(0, 0, ""),
		RunE: func(cmd *cobra.Command, args []string) error { return a.forget(cmd, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.host, "host", "", "`label` of an imported machine; with --before also local")
	f.StringVar(&o.session, "session", "", "`id` of a session, or a beginning of it that no other has")
	f.StringVar(&o.file, "file", "", "`path` of a transcript, or the end of one")
	f.StringVar(&o.before, "before", "", "lines before this `date` or time: 2026-01-01, 90d, …")
	f.BoolVar(&o.yes, "yes", false, "do not ask")
	f.BoolVar(&o.dryRun, "dry-run", false, "list what would go, and leave it")
	f.BoolVar(&o.list, "list", false, "list what was forgotten and is kept out")
	f.BoolVar(&o.undo, "undo", false, "no longer keep out what is named, and read it again")
	f.DurationVar(&o.wait, "wait", time.Minute, "how long to wait for a refresh that runs")
	o.register(cmd)
	cmd.RegisterFlagCompletionFunc("session", a.completeFrom(
		"SELECT session_id FROM (SELECT session_id, end_time FROM sessions UNION ALL SELECT value, NULL FROM forgotten WHERE kind = 'session') ORDER BY end_time DESC NULLS LAST"))
	cmd.RegisterFlagCompletionFunc("host", a.completeFrom(
		"SELECT DISTINCT host FROM (SELECT host FROM hosts UNION ALL SELECT value FROM forgotten WHERE kind = 'host') ORDER BY 1"))
	return cmd
}

// check refuses flags that contradict each other or name nothing.
func (o *forgetOptions) check(f *pflag.FlagSet) error {
	if err := o.outputOptions.check(); err != nil {
		return err
	}
	named := 0
	for _, name := range []string{"session", "file", "before", "host"} {
		if !f.Changed(name) || name == "host" && f.Changed("before") {
			continue
		}
		if named++; f.Lookup(name).Value.String() == "" {
			return usagef("--%s is empty", name)
		}
	}
	switch {
	case o.list && (named > 0 || o.undo):
		return usagef("--list lists all that was forgotten")
	case o.list:
		return nil
	case named == 0:
		return usagef("forget: --session, --file, --before or --host missing")
	case named > 1:
		return usagef("--session, --file, --before and --host: one of them; --before and --host go together")
	case o.undo && o.dryRun:
		return usagef("--undo or --dry-run, not both")
	case o.wait < 0:
		return usagef("--wait is not negative")
	}
	if f.Changed("host") && !(f.Changed("before") && o.host == warehouse.LocalHost) {
		if err := warehouse.CheckLabel(o.host); err != nil {
			return warehouse.WithHint(usageError{err}, "list them: warehouse hosts")
		}
	}
	return nil
}

func (a *app) forget(cmd *cobra.Command, o forgetOptions) error {
	if err := o.check(cmd.Flags()); err != nil {
		return err
	}
	loc, err := zone(o.zone)
	if err != nil {
		return err
	}
	screen := a.asksOn()
	if !o.list && !o.undo && !o.dryRun && !o.yes && screen == nil {
		return warehouse.WithHint(usagef("forget: there is no terminal to ask on"), "add --yes, or look first with --dry-run")
	}
	layout, err := a.layout()
	if err != nil {
		return err
	}
	r, err := a.openWith(cmd.Context(), warehouse.ReadOptions{TimeZone: o.zone, AllowStale: true})
	if err != nil {
		return err
	}
	closed := false
	shut := func() {
		if !closed {
			closed = true
			r.Close()
		}
	}
	defer shut()
	stored, err := r.Forgotten(cmd.Context())
	if err != nil {
		return err
	}
	switch {
	case o.list:
		return a.listForgotten(stored, o)
	case o.undo:
		rule, err := o.storedRule(stored, loc)
		if err != nil {
			return err
		}
		shut()
		return a.unforget(cmd.Context(), rule, o)
	}
	rule, err := a.forgetRule(cmd.Context(), r, o, loc)
	if err != nil {
		return err
	}
	plan, err := r.PlanForget(cmd.Context(), layout, []warehouse.Rule{rule})
	if err != nil {
		return err
	}
	if plan.IsEmpty() {
		return nothingToForget(rule, stored, loc)
	}
	shut() // before the file is replaced
	out := a.stderr
	switch {
	case o.dryRun:
		out = a.stdout
	case !o.yes:
		out = screen
	}
	p := forgetPrinter{app: a, loc: loc, out: out}
	p.plan(rule, plan)
	if o.dryRun {
		return nil
	}
	if !o.yes {
		if yes, err := a.ask(screen, "Forget them? [y/N] "); err != nil || !yes {
			fmt.Fprintln(a.stderr, "nothing was forgotten")
			a.code = exitFailed
			return err
		}
	}
	if _, ok := terminalWidth(a.stderr); ok {
		fmt.Fprintln(a.stderr, "writing the database without them …")
	}
	opt, err := a.refreshOptions()
	if err != nil {
		return err
	}
	opt.Wait = o.wait
	sum, err := warehouse.Forget(cmd.Context(), opt, []warehouse.Rule{rule})
	if err != nil {
		return err
	}
	p.done(rule, plan, sum)
	return nil
}

// forgetRule is what the flags name.
func (a *app) forgetRule(ctx context.Context, r *warehouse.Reader, o forgetOptions, loc *time.Location) (warehouse.Rule, error) {
	switch {
	case o.session != "":
		s, err := a.findSession(ctx, r, o.session, "", sessionCommand{"forget", "warehouse forget --session"}, loc, true)
		return warehouse.Rule{Kind: warehouse.ForgetSession, Value: s.ID}, err
	case o.file != "":
		files, err := r.Files(ctx, o.file)
		if err != nil {
			return warehouse.Rule{}, err
		}
		for _, f := range files {
			if len(files) == 1 && (f.Path == o.file || strings.HasSuffix(f.Path, "/"+strings.TrimPrefix(o.file, "./")) || sameAbs(f.Path, o.file)) {
				return warehouse.Rule{Kind: warehouse.ForgetFile, Value: f.Path}, nil
			}
		}
		return warehouse.Rule{}, warehouse.WithHint(fmt.Errorf("%w: no transcript %q", warehouse.ErrNotFound, o.file), "a session is named by: warehouse forget --session "+shellQuote(o.file))
	case o.before != "":
		return o.beforeRule(loc)
	}
	return warehouse.Rule{Kind: warehouse.ForgetHost, Value: o.host}, nil
}

func (o forgetOptions) beforeRule(loc *time.Location) (warehouse.Rule, error) {
	at, err := warehouse.Moment(o.before, loc, time.Now())
	if err != nil {
		return warehouse.Rule{}, usagef("--before is a time such as 2026-01-01 or 90d, not %q", o.before)
	}
	rule := warehouse.Rule{Kind: warehouse.ForgetBefore, Value: warehouse.RuleTime(at)}
	if o.host != "" {
		rule.Host = &o.host
	}
	return rule, nil
}

// asksOn is the terminal of a person who can be asked, nil without one.
func (a *app) asksOn() io.Writer {
	if f, ok := a.stdin.(*os.File); !ok || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	if _, ok := terminalWidth(a.stderr); ok {
		return a.stderr
	}
	// Standard error goes elsewhere.
	if f, err := os.OpenFile("/dev/tty", os.O_WRONLY, 0); err == nil {
		return f
	}
	return nil
}

func (a *app) ask(screen io.Writer, question string) (bool, error) {
	fmt.Fprint(screen, question)
	answer, err := bufio.NewReader(a.stdin).ReadString('\n')
	if err != nil && answer == "" {
		fmt.Fprintln(screen)
		return false, nil
	}
	switch strings.ToLower(strings.TrimSpace(answer)) {
	case "y", "yes":
		return true, nil
	}
	return false, nil
}

// nothingToForget says why nothing would go.
func nothingToForget(rule warehouse.Rule, stored []warehouse.Rule, loc *time.Location) error {
	for _, was := range stored {
		if was.Same(rule) {
			return warehouse.WithHint(fmt.Errorf("%w: %s was forgotten on %s already", warehouse.ErrNotFound, rule, was.At.In(loc).Format(time.DateTime)), "list what is kept out: warehouse forget --list")
		}
	}
	return fmt.Errorf("%w: there is nothing of %s", warehouse.ErrNotFound, rule)
}

// unforget lifts a rule.
func (a *app) unforget(ctx context.Context, rule warehouse.Rule, o forgetOptions) error {
	opt, err := a.refreshOptions()
	if err != nil {
		return err
	}
	opt.Wait, opt.Lift = o.wait, []warehouse.Rule{rule}
	sum, err := warehouse.Refresh(ctx, opt)
	if err != nil {
		return err
	}
	printSummary(a.stderr, sum, opt.Roots)
	fmt.Fprintf(a.stderr, "no longer kept out: %s\n", oneLine(a.redacted(rule.String())))
	if sum.RowsWritten < rule.Lines {
		fmt.Fprintf(a.stderr, "%s then; what is not in a file any more does not come back\n", wentThen(rule.Lines))
	}
	if sum.Failed > 0 {
		a.code = exitPartial
	}
	return nil
}

func wentThen(n int64) string {
	if n == 1 {
		return "1 line went"
	}
	return thousands(n) + " lines went"
}
