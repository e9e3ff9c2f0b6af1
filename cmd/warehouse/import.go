package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"warehouse/warehouse"
)

type importOptions struct {
	host  string
	from  string
	moved bool
}

func newImportCmd(a *app) *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import --host LABEL [--from DIR]",
		Short: "Bring in the transcripts of another machine",
		Long: `Bring in the transcripts of another machine, under a label of letters, digits, - and _. The next
refresh reads them as those of that host.

With --from they are copied from a folder: a mounted disk, a backup. Copied is what changed since the
last time: transcripts and the *.meta.json files beside them, no settings, memories or output files.
Links are not followed. What is gone there stays here. Without --from the import is repeated from the
same folder; or a tree that lies in <warehouse directory>/imports/LABEL already is registered.

Nothing is fetched from other machines: for --from user@host:folder there is a line for rsync to type,
and the same command again registers what came.

Text of an imported host stays out of search, read and text-export until its egress is allowed
(warehouse hosts --egress allowed LABEL).`,
		Example: `  warehouse import --host laptop --from /mnt/laptop/home/dev/.claude/projects
  warehouse import --host laptop
  warehouse import --host desk-2 --from dev@desk-2:.claude/projects`,
		Args: argRange(0, 0, ""),
		RunE: func(cmd *cobra.Command, args []string) error { return a.importTree(cmd, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.host, "host", "", "`label` of the machine")
	f.StringVar(&o.from, "from", "", "`folder` of its transcripts")
	f.BoolVar(&o.moved, "moved", false, "the tree that the label stands for is at --from now")
	cmd.RegisterFlagCompletionFunc("host", a.completeLabels)
	return cmd
}

func (a *app) importTree(cmd *cobra.Command, o importOptions) error {
	f := cmd.Flags()
	switch {
	case !f.Changed("host"):
		return usagef("import: --host missing")
	case f.Changed("from") && o.from == "":
		return usagef("import: --from is empty")
	case o.moved && !f.Changed("from"):
		return usagef("--moved goes with --from")
	}
	layout, err := a.layout()
	if err != nil {
		return err
	}
	home, _ := os.UserHomeDir()
	bar, clear := progress(a.stderr)
	sum, err := warehouse.Import(cmd.Context(), warehouse.ImportOptions{
		Layout: layout, Host: o.host, From: o.from, Moved: o.moved, Getenv: os.Getenv, Home: home, Progress: bar,
	})
	if clear != nil {
		clear()
	}
	var remote *warehouse.RemoteError
	switch {
	case errors.As(err, &remote):
		return remoteHelp(remote, o)
	case errors.Is(err, warehouse.ErrImport):
		return usageError{err}
	case err != nil:
		return err
	}
	printImport(a.stderr, sum)
	if len(sum.Failures) > 0 {
		a.code = exitPartial
	}
	_, err = fmt.Fprintln(a.stdout, sum.Tree)
	return err
}

// remoteHelp says how transcripts get here from a machine that this program does not talk to.
func remoteHelp(remote *warehouse.RemoteError, o importOptions) error {
	source, again := remote.Source, "warehouse import --host "+o.host
	if source == "" {
		return warehouse.WithHint(usagef("import: there is no tree at %s", remote.Tree),
			"copy one from a folder: "+again+" --from DIR",
			"or from another machine: "+rsync("user@"+o.host+":.claude/projects", remote.Tree),
			"then: "+again)
	}
	if again += " --from " + shellQuote(source); o.moved {
		again += " --moved"
	}
	return warehouse.WithHint(usageError{remote}, rsync(source, remote.Tree), "then: "+again)
}

// rsync is a command line that brings what an import would copy.
func rsync(source, tree string) string {
	return "rsync -rtm --chmod=D700,F600 --exclude=tool-results/ --exclude=memory/ --include='*/' --include='*.jsonl' --include='*.meta.json' --exclude='*' " +
		shellQuote(strings.TrimRight(source, "/")+"/") + " " + shellQuote(tree+"/")
}

func printImport(w io.Writer, s warehouse.ImportSummary) {
	if !s.IsCopied {
		fmt.Fprintf(w, "registered %s: %s, %s\n", s.Host, count(s.Files, "file"), size(s.Bytes))
	} else {
		var parts []string
		for _, p := range []struct {
			n    int
			what string
		}{{s.New, "new"}, {s.Changed, "changed"}, {s.Unchanged, "unchanged"}, {len(s.Failures), "failed"}, {len(s.Skipped), "skipped"}} {
			if p.n > 0 {
				parts = append(parts, thousands(int64(p.n))+" "+p.what)
			}
		}
		fmt.Fprintf(w, "imported %s from %s: %s; %s copied; %s of %s\n", s.Host, oneLine(s.Source), strings.Join(parts, ", "),
			size(s.Written), count(s.Files, "file"), size(s.Bytes))
		if s.KeptFiles > 0 {
			fmt.Fprintf(w, "kept %s that %s not at the source any more\n", count(s.KeptFiles, "file"), isAre(s.KeptFiles))
		}
	}
	const most = 10
	failures := slices.Concat(s.Failures, s.Skipped)
	for i, f := range failures {
		if i == most {
			fmt.Fprintf(w, "warning: and %d more\n", len(failures)-most)
			break
		}
		fmt.Fprintf(w, "warning: %s: %s\n", oneLine(f.Path), f.Reason)
	}
	if !s.IsCopied && s.Source != "" {
		fmt.Fprintln(w, "next time: "+rsync(s.Source, s.Tree))
	}
	if s.Egress == warehouse.EgressBlocked {
		fmt.Fprintf(w, "its text stays out of search, read and text-export; let it out with: warehouse hosts --egress allowed %s\n", s.Host)
	}
	fmt.Fprintln(w, "read it with: warehouse refresh")
}

func isAre(n int64) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// completeLabels completes labels of imported hosts.
func (a *app) completeLabels(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	layout, err := a.layout()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	labels, _ := layout.Labels()
	return labels, cobra.ShellCompDirectiveNoFileComp
}
