package main

import (
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"warehouse/warehouse"
)

type readOptions struct {
	warehouse.ConversationOptions
	host    string
	blocked bool
	zone    string
	json    bool
}

func newReadCmd(a *app) *cobra.Command {
	o := readOptions{}
	cmd := &cobra.Command{
		Use:   "read SESSION",
		Short: "Read a session as a conversation",
		Long: `Read a session as a conversation. SESSION is its id, or a beginning of it that no other has.

Shown is what people and models wrote in the main thread, in the order of the file; each message
stands below the number of its line. The end says what was left out and how to see it, the command
for the next page, and the one that resumes the session.

LINE is a line of the session's own file, else of the one that --file names. A message is what
is shown of a line. --role goes by the record: results of tools are the user's.`,
		Example: `  warehouse read 1b7e0c52
  warehouse read 1b7e0c52 --last 3
  warehouse read 1b7e0c52 --around 22 --tools
  warehouse read 1b7e0c52 --from 40 --limit 20 --thinking
  warehouse read 1b7e0c52 --role user --limit 0 --json
  warehouse read 1b7e0c52 --agent-id a3c5e81f09d27b64c --full`,
		Args: argRange(1, 1, "session"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return a.completeFrom("SELECT session_id FROM sessions ORDER BY end_time DESC")(cmd, args, prefix)
		},
		RunE: func(cmd *cobra.Command, args []string) error { return a.read(cmd, args[0], o) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.Tools, "tools", false, "show calls of tools and the beginnings of their results")
	f.BoolVar(&o.Whole, "full", false, "show calls and results of tools whole")
	f.BoolVar(&o.Thinking, "thinking", false, "show what the model thought")
	f.BoolVar(&o.Injected, "injected", false, "show what the program wrote in a person's place: reminders, commands and their output")
	f.BoolVar(&o.Subagents, "subagents", false, "show the threads of sub-agents too, behind the main one")
	f.StringVar(&o.AgentID, "agent-id", "", "show the thread of this sub-agent; a beginning of its `id` is enough")
	f.StringVar(&o.Role, "role", "", "show one `side` only: user or assistant")
	f.Int64Var(&o.From, "from", 0, "begin at this `line`")
	f.IntVar(&o.Limit, "limit", 50, "show at most `n` messages; 0 is all")
	f.IntVar(&o.Last, "last", 0, "show the last `n` messages")
	f.Int64Var(&o.Around, "around", 0, "show what this `line` holds and the messages around it")
	f.IntVar(&o.Context, "context", 5, "with --around: `n` messages before and behind")
	f.StringVar(&o.File, "file", "", "the `file` a line is in, where the session has several: its name or path")
	f.StringVar(&o.host, "host", "", "the `machine`, where several have the session (default this one)")
	f.BoolVar(&o.blocked, "include-blocked", false, "read it though its host's egress is blocked")
	f.BoolVar(&o.json, "json", false, "print one object instead")
	f.StringVar(&o.zone, "tz", "", "time `zone` that times are shown in, such as Europe/Berlin (default the system's)")
	cmd.RegisterFlagCompletionFunc("role", cobra.FixedCompletions([]string{"user", "assistant"}, cobra.ShellCompDirectiveNoFileComp))
	cmd.RegisterFlagCompletionFunc("host", a.completeFrom("SELECT DISTINCT host FROM hosts ORDER BY 1"))
	return cmd
}

// check refuses flags that contradict each other or say nothing.
func (o *readOptions) check(f *pflag.FlagSet) error {
	if _, err := zone(o.zone); err != nil {
		return err
	}
	pages := 0
	for name, n := range map[string]int64{"from": o.From, "around": o.Around, "last": int64(o.Last)} {
		if f.Changed(name) {
			if pages++; n < 1 {
				return usagef("--%s is at least 1", name)
			}
		}
	}
	switch {
	case pages > 1:
		return usagef("--from, --around and --last: one of them")
	case f.Changed("limit") && (f.Changed("around") || f.Changed("last")):
		return usagef("--limit goes with --from; --last and --around say how many themselves")
	case f.Changed("context") && !f.Changed("around"):
		return usagef("--context goes with --around")
	case o.Limit < 0 || o.Context < 0:
		return usagef("--limit and --context are not negative")
	case o.Subagents && f.Changed("agent-id"):
		return usagef("--subagents or --agent-id, not both")
	case f.Changed("role") && o.Role != "user" && o.Role != "assistant":
		return usagef("--role is user or assistant, not %q", o.Role)
	}
	for _, name := range []string{"agent-id", "file", "host"} {
		if f.Changed(name) && f.Lookup(name).Value.String() == "" {
			return usagef("--%s is empty", name)
		}
	}
	return nil
}

func (a *app) read(cmd *cobra.Command, name string, o readOptions) error {
	if err := o.check(cmd.Flags()); err != nil {
		return err
	}
	if name == "" {
		return usagef("read: session missing")
	}
	o.Tools = o.Tools || o.Whole
	loc, err := zone(o.zone)
	if err != nil {
		return err
	}
	r, err := a.open(cmd.Context(), o.zone)
	if err != nil {
		return err
	}
	defer r.Close()
	session, err := a.findSession(cmd.Context(), r, name, o.host, sessionCommand{"read", "warehouse read"}, loc, o.blocked)
	if err != nil {
		return err
	}
	if err := a.checkEgress(session, name, o.blocked); err != nil {
		return err
	}
	c, err := r.Conversation(cmd.Context(), session, o.ConversationOptions)
	if err != nil {
		return err
	}
	a.redactConversation(c)
	if o.json {
		return printConversationJSON(a.stdout, c, loc)
	}
	width, terminal := terminalWidth(a.stdout)
	p := conversationPrinter{
		options: o.ConversationOptions,
		loc:     loc,
		width:   width,
		color:   terminal && os.Getenv("NO_COLOR") == "",
		ascii:   asciiLocale(os.Getenv),
		command: readCommand(cmd.Flags(), name),
	}
	return p.print(a.stdout, c)
}
