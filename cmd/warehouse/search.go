package main

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"warehouse/warehouse"
)

type searchOptions struct {
	warehouse.SearchOptions
	kind    string
	blocked bool
	full    bool
	json    bool
	zone    string
}

func newSearchCmd(a *app) *cobra.Command {
	var o searchOptions
	cmd := &cobra.Command{
		Use:   "search WORDS",
		Short: "Find what was said, decided or run, in any session",
		Long: `Find passages of transcripts by words, the best first. A passage has all words; where those are
fewer than the limit, passages with most of the words follow, marked. English words are found in
every form; identifiers, paths and numbers as they are, whole or in parts; "words between quotes" as
a phrase (quote them for the shell too).

Prose is searched: prompts, queued prompts and answers. --kind names another kind (summary, thinking,
tool-input), several with commas, or all. tool-result is not in the index and is scanned. What
sub-agents wrote, what the program wrote in a person's place and sessions that no person sat at are
left out, and counted. So is text of imported hosts, unless their egress is allowed (warehouse hosts).

From SQL: FROM search('retry budget') LIMIT 10, and search_any(); see warehouse schema passages.`,
		Example: `  warehouse search retry budget
  warehouse search '"connection reset" upload' --since 30d --project orchard
  warehouse search --literal 'retry_budget_ms = 5' --kind all
  warehouse search --kind tool-result permission denied
  warehouse search migrate orders --full --context 2`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef("search: words missing")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Words = strings.Join(args, " ")
			return a.search(cmd, o)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&o.Any, "any", false, "any of the words is enough")
	f.BoolVar(&o.Literal, "literal", false, "look for the text letter by letter, case too, without the index")
	f.StringVar(&o.kind, "kind", "prose", "prose, summary, thinking, tool-input, several with commas, all, or tool-result")
	f.StringVar(&o.Role, "role", "", "user or assistant")
	f.StringVar(&o.Since, "since", "", "from, inclusive: 7d, 2026-11-01, …")
	f.StringVar(&o.Until, "until", "", "to, inclusive")
	f.StringVar(&o.Session, "session", "", "session id or the beginning of one")
	f.StringVar(&o.Project, "project", "", "folder, its last component, or a glob")
	f.StringVar(&o.Host, "host", "", "machine")
	f.StringVar(&o.Agent, "agent", "", "agent program")
	f.BoolVar(&o.Subagents, "subagents", false, "sub-agents too")
	f.BoolVar(&o.Injected, "injected", false, "text that the program wrote in a person's place too")
	f.BoolVar(&o.Automated, "automated", false, "sessions that no person sat at too")
	f.BoolVar(&o.blocked, "include-blocked", false, "hosts whose egress is blocked too")
	f.IntVar(&o.Limit, "limit", 10, "hits to show")
	f.BoolVar(&o.full, "full", false, "whole passages, 16,000 bytes in all")
	f.IntVar(&o.Context, "context", 0, "texts before and behind each hit, 0 to 5, from what --full leaves of 16,000 bytes")
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	f.StringVar(&o.zone, "tz", "", "time `zone` that times are shown in (default the system's)")
	cmd.RegisterFlagCompletionFunc("kind", cobra.FixedCompletions(append(warehouse.Kinds(), "all", warehouse.ToolResult), cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("role", cobra.FixedCompletions([]string{"user", "assistant"}, cobra.ShellCompDirectiveNoFileComp))
	a.completeFilters(cmd)
	return cmd
}

// check takes --kind apart and refuses what makes no sense.
func (o *searchOptions) check() error {
	if _, err := zone(o.zone); err != nil {
		return err
	}
	switch {
	case o.Limit < 1:
		return usagef("--limit is at least 1")
	case o.Context < 0 || o.Context > 5:
		return usagef("--context is 0 to 5")
	case o.Literal && o.Any:
		return usagef("--literal looks for one text, --any for words")
	case o.Role != "" && o.Role != "user" && o.Role != "assistant":
		return usagef("--role is user or assistant, not %q", o.Role)
	}
	if o.kind == "all" {
		o.Kinds = warehouse.Kinds()
		return nil
	}
	o.Kinds = strings.Split(o.kind, ",")
	for _, k := range o.Kinds {
		if k == warehouse.ToolResult && len(o.Kinds) == 1 {
			return nil
		}
		if !slices.Contains(warehouse.Kinds(), k) {
			return usagef("--kind is %s, several with commas, all, or %s alone, not %q", strings.Join(warehouse.Kinds(), ", "), warehouse.ToolResult, o.kind)
		}
	}
	return nil
}

func (a *app) search(cmd *cobra.Command, o searchOptions) error {
	if err := o.check(); err != nil {
		return err
	}
	open := warehouse.ReadOptions{TimeZone: o.zone, Threads: 1} // a fourth faster: the index gives little to divide
	if o.Literal || slices.Contains(o.Kinds, warehouse.ToolResult) {
		open.Threads = 0
	}
	r, err := a.openWith(cmd.Context(), open)
	if err != nil {
		return err
	}
	defer r.Close()
	if o.EgressHosts, err = a.egressHosts(o.blocked); err != nil {
		return err
	}
	now := time.Now()
	res, err := r.Search(cmd.Context(), o.SearchOptions, now)
	switch {
	case errors.Is(err, warehouse.ErrNoWords):
		return warehouse.WithHint(usageError{err}, "signs are found by: warehouse search --literal '…'")
	case errors.Is(err, warehouse.ErrParameter):
		return usageError{err}
	case err != nil:
		return err
	}
	a.redactHits(res.Hits)
	loc, err := zone(o.zone)
	if err != nil {
		return err
	}
	if o.json {
		return printSearchJSON(a.stdout, o, res, loc)
	}
	width, terminal := terminalWidth(a.stdout)
	p := searchPrinter{options: o, result: res, zone: loc, now: now, width: width, color: terminal && colorWanted()}
	return p.print(a.stdout)
}
