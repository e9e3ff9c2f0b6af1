package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"warehouse/warehouse"
	"warehouse/warehouse/redact"
)

// The rules are:
//
//   - What a person asked for goes to stdout, everything else to stderr.
//   - An error is one line "warehouse: …", then "hint: …" lines with a command to type.
//   - Exit codes: 0 fine; 1 failed; 2 usage; 3 done, but some sources failed; 4 nothing matched
//     where a match was asked for by id, or health has an alert.
//   - Only refresh, import, forget and hosts --egress write.

const (
	exitOK = iota
	exitFailed
	exitUsage
	exitPartial
	exitNoMatch
)

// app is what every command needs.
type app struct {
	db         string      // --db
	redact     bool        // --redact, or the warehouse's setting
	redactFlag *pflag.Flag // to know whether it was given
	masks      *redact.Redactor
	stdin      io.Reader
	stdout     io.Writer
	stderr     io.Writer
	code       int // exit code of a command that did its work
}

// usageError is an error in what was typed.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr}
	root := newRootCmd(a, args)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return a.code
	}
	var usage usageError
	isUsage := errors.As(err, &usage)
	switch {
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		fmt.Fprintln(stderr, "warehouse: interrupted")
		return exitFailed
	case isClosedPipe(err):
		return exitOK // the reader of our output has seen enough
	}
	fmt.Fprintln(stderr, "warehouse: "+oneLine(a.redacted(err.Error())))
	for _, hint := range warehouse.Hints(err) {
		fmt.Fprintln(stderr, "hint: "+oneLine(a.redacted(hint)))
	}
	switch {
	case isUsage:
		if len(warehouse.Hints(err)) == 0 {
			fmt.Fprintf(stderr, "hint: %s --help\n", cmd.CommandPath())
		}
		return exitUsage
	case errors.Is(err, warehouse.ErrNotFound):
		return exitNoMatch
	}
	return exitFailed
}

func newRootCmd(a *app, args []string) *cobra.Command {
	root := &cobra.Command{
		Use:   "warehouse",
		Short: "Ask SQL questions of your coding agents' transcripts",
		Long: `warehouse keeps every line of your coding agents' transcripts, verbatim, in one DuckDB file,
with views, reports and plain SQL over it. Refresh once, then read with any DuckDB client.`,
		Example: `  warehouse refresh
  warehouse query --list
  warehouse query tool-errors --since 7d
  warehouse search retry budget
  warehouse sql "SELECT tool_name, count(*) FROM tool_calls GROUP BY ALL ORDER BY 2 DESC"
  duckdb -readonly "$(warehouse refresh)"`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("no command %q", args[0])
			}
			return nil
		},
		RunE:          func(cmd *cobra.Command, args []string) error { return cmd.Help() },
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.PersistentFlags().StringVar(&a.db, "db", "", "published database `file` (default: see warehouse path --help)")
	root.PersistentFlags().BoolVar(&a.redact, "redact", false, "mask credentials in what is printed (see README, Secrets)")
	a.redactFlag = root.PersistentFlags().Lookup("redact")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usageError{err} })
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(newRefreshCmd(a), newQueryCmd(a, args), newSearchCmd(a), newReadCmd(a), newSQLCmd(a), newSchemaCmd(a), newHealthCmd(a),
		newHostsCmd(a), newImportCmd(a), newForgetCmd(a), newRestoreCmd(a), newPathCmd(a), newGuideCmd(a))
	return root
}

// exactArgs and friends make wrong counts usage errors.
func argRange(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usagef("%s: %s missing", cmd.Name(), what)
		case len(args) > most:
			return usagef("%s: unexpected %q", cmd.Name(), args[most])
		}
		return nil
	}
}

func (a *app) layout() (warehouse.Layout, error) {
	home, _ := os.UserHomeDir()
	return warehouse.Locate(a.db, os.Getenv, home)
}

// places says where what some reports read beside the warehouse lies.
func (a *app) places() (warehouse.Places, error) {
	layout, err := a.layout()
	if err != nil {
		return warehouse.Places{}, err
	}
	home, _ := os.UserHomeDir()
	return warehouse.FindPlaces(layout, os.Getenv, home)
}

// open opens the published file for reading; zone is empty for the system's.
func (a *app) open(ctx context.Context, zone string) (*warehouse.Reader, error) {
	return a.openWith(ctx, warehouse.ReadOptions{TimeZone: zone})
}

func (a *app) openWith(ctx context.Context, o warehouse.ReadOptions) (*warehouse.Reader, error) {
	layout, err := a.layout()
	if err != nil {
		return nil, err
	}
	r, err := warehouse.OpenReadOnly(ctx, layout.Published, o)
	if err != nil {
		return nil, err
	}
	if err := a.heedRedact(r.Meta.Redact); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// zone checks --tz and returns the location that times are shown in.
func zone(name string) (*time.Location, error) {
	if name == "" {
		return time.Local, nil
	}
	loc, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return nil, usagef("--tz: no time zone %q, want a name such as Europe/Berlin or UTC", name)
	}
	return loc, nil
}

// terminalWidth returns the width of w's terminal, and false where it is none.
func terminalWidth(w io.Writer) (int, bool) {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return 0, false
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil || width <= 0 {
		width = 80
	}
	return width, true
}

// oneLine makes text from elsewhere fit to stand in one line of a terminal.
func oneLine(s string) string {
	return strings.TrimSpace(printSafe(s))
}
