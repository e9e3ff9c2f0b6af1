package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"warehouse/warehouse"
)

// outputOptions are the flags of every command that prints rows.
type outputOptions struct {
	format  string
	zone    string
	maxRows int
	chart   bool // bars instead of rows
}

func (o *outputOptions) register(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.format, "format", "", "table, json, jsonl, csv or markdown (default table on a terminal, else jsonl)")
	cmd.Flags().StringVar(&o.zone, "tz", "", "time `zone` that days are computed and times shown in, such as Europe/Berlin (default the system's)")
	cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(printFormats, cobra.ShellCompDirectiveNoFileComp))
}

func (o *outputOptions) check() error {
	if o.format != "" && !slices.Contains(printFormats, o.format) {
		return usagef("--format is one of %s, not %q", strings.Join(printFormats, ", "), o.format)
	}
	_, err := zone(o.zone)
	return err
}

// print writes rows in the chosen format. opt is what a report says of them.
func (a *app) print(rows *warehouse.Rows, o outputOptions, opt printOptions) error {
	defer rows.Close()
	return a.printSource(rowsOf{rows}, o, opt)
}

func (a *app) printSource(rows rowSource, o outputOptions, opt printOptions) error {
	width, terminal := terminalWidth(a.stdout)
	format := o.format
	if format == "" {
		format = "jsonl"
		if terminal {
			format = "table"
		}
	}
	loc, err := zone(o.zone)
	if err != nil {
		return err
	}
	if o.chart {
		format = "chart"
	}
	opt.Location, opt.Width, opt.MaxRows = loc, width, o.maxRows
	opt.Color = terminal && colorWanted()
	opt.ASCII = asciiLocale(os.Getenv)
	source, err := a.redactedSource(rows, &opt)
	if err != nil {
		return err
	}
	return printRows(a.stdout, format, source, opt)
}

// colorWanted reports whether a terminal may be coloured.
func colorWanted() bool { return os.Getenv("NO_COLOR") == "" }

// rowsOf is a rowSource of a result.
type rowsOf struct{ *warehouse.Rows }

func (r rowsOf) Columns() []columnInfo {
	var out []columnInfo
	for _, c := range r.Rows.Columns() {
		out = append(out, columnInfo{Name: c.Name, Type: c.Type})
	}
	return out
}

// readScript reads SQL from a file, or from standard input where the name is -.
func (a *app) readScript(name string) (string, error) {
	if name == "-" {
		b, err := io.ReadAll(bufio.NewReader(a.stdin))
		return string(b), err
	}
	b, err := os.ReadFile(name)
	if err != nil {
		return "", fmt.Errorf("read %q: %w", name, pathCause(err))
	}
	return string(b), nil
}
