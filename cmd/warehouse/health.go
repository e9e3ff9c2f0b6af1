package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"warehouse/warehouse"
)

// The rules are:
//
//   - Alerts come first and make the exit code 4; what is only worth knowing does not.
//   - A check that alerts has a hint with the command that helps, once, on standard error.
//   - For people the findings are lines with their text wrapped, since they are sentences; for
//     programs they are rows like those of a report.

// healthHelps are the commands that help, by check. SUBJECT stands for that of the finding.
var healthHelps = map[string]string{
	"stream-silent":       "when it was seen: warehouse sql \"FROM streams WHERE stream = 'SUBJECT' ORDER BY day DESC\"",
	"host-staleness":      "copy the machine's transcripts again, then: warehouse refresh --max-age 0",
	"disk-not-indexed":    "read them: warehouse refresh --max-age 0",
	"disk-unreadable":     "is the disk there, and may you read it? See: warehouse refresh --help",
	"hook-deny-invisible": "count both: warehouse sql \"SELECT hook_name, reason FROM hook_denies ORDER BY timestamp DESC\"",
	"disk-lag":            "read what is new: warehouse refresh --max-age 0",
	"files-not-read":      "the reasons: warehouse sql \"SELECT source_file, error FROM source_files WHERE status <> 'ok'\"",
	"broken-lines":        "see them: warehouse query broken-lines --status invalid",
	"values-not-cast":     "see the types: warehouse query fields --path 'SUBJECT'",
	"retention-horizon":   "read them before they go: warehouse refresh --max-age 0",
	"settings-not-read":   "mend the file; nothing of it was taken",
}

func newHealthCmd(a *app) *cobra.Command {
	var o outputOptions
	cmd := &cobra.Command{
		Use:   "health",
		Short: "Check whether the warehouse can be trusted",
		Long: `Check whether the warehouse can be trusted: whether all transcripts on disk are in it, and whether
what the agent program writes is still understood. It reads the list of transcripts and the agent's
settings files beside the warehouse, and writes nothing.

Checked is what the report index-health checks (warehouse query index-health --help), and:

  disk-lag           transcripts that changed since they were read, with the bytes
  files-not-read     files and folders that could not be read, or are no transcripts
  broken-lines       lines that are no JSON
  values-not-cast    numbers, times and flags that are of another type in the line, which views lack
  retention-horizon  what the agent's own clean-up will remove, and when
  settings-not-read  settings files of the agent that cannot be read

Exit code 4 means: there is an alert.`,
		Example: `  warehouse health
  warehouse health --format json
  warehouse health || echo "look at it"`,
		Args: argRange(0, 0, ""),
		RunE: func(cmd *cobra.Command, args []string) error { return a.health(cmd, o) },
	}
	o.register(cmd)
	return cmd
}

func (a *app) health(cmd *cobra.Command, o outputOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	places, err := a.places()
	if err != nil {
		return err
	}
	r, err := a.openWith(cmd.Context(), warehouse.ReadOptions{TimeZone: o.zone, Places: places})
	if err != nil {
		return err
	}
	defer r.Close()
	stop := waiting(a.stderr, "checking")
	findings, err := r.Health(cmd.Context(), time.Now())
	stop()
	if err != nil {
		return err
	}
	width, terminal := terminalWidth(a.stdout)
	if o.format == "table" || o.format == "" && terminal {
		a.printFindings(findings, width, terminal && colorWanted())
	} else {
		rows := &listedRows{columns: []columnInfo{{"check_name", "VARCHAR"}, {"status", "VARCHAR"}, {"subject", "VARCHAR"}, {"detail", "VARCHAR"}}}
		for _, f := range findings {
			rows.add(f.Check, f.Status, f.Subject, f.Detail)
		}
		if err := a.printSource(rows, o, printOptions{}); err != nil {
			return err
		}
	}
	var told []string
	for _, f := range findings {
		if f.Status != warehouse.Alert {
			continue
		}
		a.code = exitNoMatch
		if help, ok := healthHelps[f.Check]; ok && !slices.Contains(told, f.Check) {
			told = append(told, f.Check)
			help = strings.ReplaceAll(help, "SUBJECT", strings.ReplaceAll(f.Subject, "'", "''"))
			fmt.Fprintln(a.stderr, "hint: "+f.Check+": "+oneLine(a.redacted(help)))
		}
	}
	return nil
}

// printFindings writes findings for people.
func (a *app) printFindings(findings []warehouse.Finding, width int, color bool) {
	longest := 0
	for _, f := range findings {
		longest = max(longest, len(f.Check))
	}
	counts := map[string]int{}
	for _, f := range findings {
		counts[f.Status]++
		text := oneLine(a.redacted(f.Subject + ": " + f.Detail))
		lines := []string{text}
		left := len("alert  ") + longest + 2
		if room := width - left; width > 0 && room >= 20 {
			lines = wrap(text, room)
		}
		status := fmt.Sprintf("%-5s", f.Status)
		if color && f.Status == warehouse.Alert {
			status = "\x1b[1;31m" + status + "\x1b[0m"
		}
		fmt.Fprintf(a.stdout, "%s  %-*s  %s\n", status, longest, f.Check, strings.Join(lines, "\n"+strings.Repeat(" ", left)))
	}
	fmt.Fprintf(a.stdout, "(%s, %d to know)\n", count(int64(counts[warehouse.Alert]), "alert"), counts["info"])
}
