package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"

	"warehouse/warehouse"
)

type refreshOptions struct {
	maxAge    time.Duration
	wait      time.Duration
	verify    bool
	retention string
	standby   string
	redact    string
	prices    string
	memory    string
	json      bool
	quiet     bool
}

func newRefreshCmd(a *app) *cobra.Command {
	var o refreshOptions
	cmd := &cobra.Command{
		Use:   "refresh",
		Short: "Read what is new in the transcripts and publish it",
		Long: `Read what is new in the transcripts and publish it. The path of the database is the only
line on standard output, so that it can stand in a command; progress and a summary go to
standard error.

Transcripts are read from $CLAUDE_CONFIG_DIR/projects (a comma list is allowed), else from
~/.claude/projects and ~/.config/claude/projects; $CLAUDE_PROJECTS_DIR names the folders
themselves. Trees of other machines lie under <warehouse directory>/imports/<label>.

A file that vanished takes its lines with it; --retention keep holds on to them, from then on.
A folder that is missing or empty is taken for an unmounted disk, never for a deletion.

Prices of models are built in (warehouse sql "FROM model_prices"). Rows of your own, in
~/.config/warehouse/prices.csv or the file that --prices names, come before them: a CSV file with
the columns model, input and output (USD per million tokens) and any others of model_prices. Other
tables of facts that the program brings (hook_deny_messages, shell_programs, …) take rows of your own in
~/.config/warehouse/<table>.csv.

Lines are stored as they are, credentials in them too. With --redact on, every command masks what
looks like one in what it prints, as with its own --redact, and cannot be told not to.

Exit code 3 means: published, but some sources could not be read.`,
		Example: `  warehouse refresh
  duckdb -readonly "$(warehouse refresh)" "FROM sessions LIMIT 5"
  warehouse refresh --max-age 0 --json
  warehouse refresh --retention keep
  warehouse refresh --redact on
  warehouse refresh --prices ~/prices.csv`,
		Args: argRange(0, 0, ""),
		RunE: func(cmd *cobra.Command, args []string) error { return a.refresh(cmd, o) },
	}
	f := cmd.Flags()
	f.DurationVar(&o.maxAge, "max-age", 5*time.Minute, "a refresh younger than this is enough; 0 always looks")
	f.DurationVar(&o.wait, "wait", 10*time.Second, "how long to wait for a refresh that runs already")
	f.BoolVar(&o.verify, "verify", false, "compare every file with what was read of it, byte for byte")
	f.StringVar(&o.retention, "retention", "", "what happens to lines of vanished files: mirror drops, keep keeps; sticks")
	f.StringVar(&o.standby, "standby", "", "off trades the second copy for a copy at each refresh; sticks")
	f.StringVar(&o.redact, "redact", "", "on masks credentials in whatever is printed from then on, off does not; sticks")
	f.StringVar(&o.prices, "prices", "", "CSV `file` with prices of your own; sticks ('' returns to ~/.config/warehouse/prices.csv)")
	f.StringVar(&o.memory, "memory-limit", "", "memory a refresh may use, such as 512MB (default 1GB or a quarter, more for a line that needs it)")
	f.BoolVar(&o.json, "json", false, "print the summary as JSON on standard output instead of the path")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "no progress and no summary")
	return cmd
}

func (a *app) refresh(cmd *cobra.Command, o refreshOptions) error {
	switch {
	case o.retention != "" && o.retention != "mirror" && o.retention != "keep":
		return usagef("--retention is mirror or keep, not %q", o.retention)
	case o.standby != "" && o.standby != "on" && o.standby != "off":
		return usagef("--standby is on or off, not %q", o.standby)
	case o.redact != "" && o.redact != "on" && o.redact != "off":
		return usagef("--redact is on or off here, not %q", o.redact)
	case o.maxAge < 0 || o.wait < 0:
		return usagef("--max-age and --wait are not negative")
	case o.memory != "" && !warehouse.ValidMemoryLimit(o.memory):
		return usagef("--memory-limit is a size such as 512MB or 2GB, not %q", o.memory)
	}
	opt, err := a.refreshOptions()
	if err != nil {
		return err
	}
	opt.MaxAge, opt.Wait, opt.Verify = o.maxAge, o.wait, o.verify
	opt.Retention, opt.Standby, opt.Redact, opt.MemoryLimit = o.retention, o.standby, o.redact, o.memory
	if cmd.Flags().Changed("prices") {
		if o.prices != "" {
			if o.prices, err = filepath.Abs(o.prices); err != nil {
				return err
			}
		}
		opt.Prices = &o.prices
	}
	var clear func()
	if !o.quiet {
		opt.Progress, clear = progress(a.stderr)
	}
	sum, err := warehouse.Refresh(cmd.Context(), opt)
	if clear != nil {
		clear()
	}
	if err != nil {
		return err
	}
	if sum.Failed > 0 {
		a.code = exitPartial
	}
	if !o.quiet {
		printSummary(a.stderr, sum, opt.Roots)
	}
	if o.json {
		enc := json.NewEncoder(a.stdout)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		return enc.Encode(sum)
	}
	_, err = fmt.Fprintln(a.stdout, sum.Database)
	return err
}

// refreshOptions are those of every command that writes: the sources, and where things are.
func (a *app) refreshOptions() (warehouse.RefreshOptions, error) {
	layout, err := a.layout()
	if err != nil {
		return warehouse.RefreshOptions{}, err
	}
	home, _ := os.UserHomeDir()
	roots, warnings, err := warehouse.Sources(layout, os.Getenv, home)
	if err != nil {
		return warehouse.RefreshOptions{}, err
	}
	return warehouse.RefreshOptions{
		Layout: layout, Roots: roots, Warnings: warnings, ConfigDir: warehouse.ConfigDir(os.Getenv, home),
	}, nil
}

// progress draws a bar on a terminal and nothing elsewhere.
func progress(w io.Writer) (func(done, total int64), func()) {
	width, ok := terminalWidth(w)
	if !ok {
		return nil, nil
	}
	var bar *progressbar.ProgressBar
	return func(done, total int64) {
			if bar == nil {
				bar = progressbar.NewOptions64(total,
					progressbar.OptionSetWriter(w), progressbar.OptionSetDescription("reading"),
					progressbar.OptionShowBytes(true), progressbar.OptionSetWidth(max(10, min(40, width-50))),
					progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(100*time.Millisecond))
			}
			bar.Set64(min(done, total))
		}, func() {
			if bar != nil {
				bar.Clear()
			}
		}
}

// printSummary writes the summary line, then what a person should know.
func printSummary(w io.Writer, s warehouse.Summary, roots []warehouse.Root) {
	switch s.Status {
	case "busy":
		fmt.Fprintln(w, "another refresh is running; this is the database as it was before")
		return
	case "fresh":
		fmt.Fprintf(w, "fresh: refreshed a moment ago, %s (--max-age 0 looks again)\n", count(s.Lines, "line"))
		return
	}
	parts := []string{count(int64(s.Scanned), "file")}
	for _, p := range []struct {
		n    int
		what string
	}{
		{s.Unchanged, "unchanged"}, {s.Added, "new"}, {s.Appended, "appended"}, {s.Replaced, "replaced"},
		{s.Vanished, "vanished"}, {s.Failed, "failed"}, {s.Skipped, "skipped"}, {s.Ignored, "ignored"},
	} {
		if p.n > 0 {
			parts = append(parts, thousands(int64(p.n))+" "+p.what)
		}
	}
	fmt.Fprintf(w, "%s: %s; %s, %s read in %.2f s; %s of %s\n", s.Status, strings.Join(parts, ", "),
		count(s.RowsWritten, "new line"), size(s.BytesRead), s.Seconds, count(s.Lines, "line"), size(s.Bytes))
	if s.OwnRows > 0 {
		fmt.Fprintf(w, "with %s of your own\n", count(int64(s.OwnRows), "row"))
	}
	if s.LeftOut > 0 {
		fmt.Fprintf(w, "left out %s that %s forgotten (warehouse forget --list)\n", count(s.LeftOut, "line"), wasWere(s.LeftOut))
	}
	for _, warning := range s.Warnings {
		fmt.Fprintln(w, "warning: "+warning)
	}
	if s.VanishedLines > 0 && s.Kept {
		fmt.Fprintf(w, "kept %s of files that vanished\n", count(s.VanishedLines, "line"))
	} else if s.VanishedLines > 0 {
		fmt.Fprintf(w, "warning: %s went with the files that vanished\n", count(s.VanishedLines, "line"))
		fmt.Fprintln(w, "hint: keep such lines from now on: warehouse refresh --retention keep")
	}
	const most = 10
	for i, f := range s.Failures {
		if i == most {
			fmt.Fprintf(w, "warning: and %d more; see: warehouse sql \"FROM source_files WHERE status <> 'ok'\"\n", len(s.Failures)-most)
			break
		}
		fmt.Fprintf(w, "warning: %s: %s\n", oneLine(f.Path), f.Reason)
	}
	if s.Scanned == 0 && s.Lines == 0 {
		fmt.Fprintln(w, "warning: no transcripts found")
		for _, r := range roots {
			fmt.Fprintf(w, "hint: looked in %s\n", r.Path)
		}
		fmt.Fprintln(w, "hint: name another folder: CLAUDE_PROJECTS_DIR=/path/to/projects warehouse refresh")
	}
}

// size shows a number of bytes with a decimal unit.
func size(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1e6:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	case n < 1e9:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.2f GB", float64(n)/1e9)
}

// count shows a number of things.
func count(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return thousands(n) + " " + noun + "s"
}

// thousands shows a number with separators.
func thousands(n int64) string {
	s := fmt.Sprintf("%d", n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
