package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"warehouse/warehouse"
)

func newSchemaCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "schema [NAME]",
		Short: "List views and tables, or the columns of one",
		Long: `List the views, tables and macros of the warehouse with what they hold, or the columns of one.
Everything is read from the file itself, where any DuckDB client finds it as comments.`,
		Example: `  warehouse schema
  warehouse schema tool_calls`,
		Args: argRange(0, 1, "name"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
			return a.completeFrom("SELECT table_name FROM information_schema.tables WHERE table_name <> 'goose_db_version' ORDER BY 1")(cmd, args, prefix)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := a.open(cmd.Context(), "")
			if err != nil {
				return err
			}
			defer r.Close()
			objects, err := r.Objects(cmd.Context())
			if err != nil {
				return err
			}
			a.redactObjects(objects)
			width, ok := terminalWidth(a.stdout)
			if !ok {
				width = 0
			}
			if len(args) == 0 {
				return a.printObjects(objects, width)
			}
			for _, o := range objects {
				if o.Name == args[0] {
					return a.printObject(o, width)
				}
			}
			return warehouse.WithHint(fmt.Errorf("%w: no view, table or macro %q", warehouse.ErrNotFound, args[0]), "list them: warehouse schema")
		},
	}
}

func (a *app) printObjects(objects []warehouse.Object, width int) error {
	longest := 0
	for _, o := range objects {
		longest = max(longest, len(o.Name))
	}
	kind := ""
	for _, o := range objects {
		if o.Kind != kind {
			if kind != "" {
				fmt.Fprintln(a.stdout)
			}
			kind = o.Kind
			fmt.Fprintln(a.stdout, strings.ToUpper(kind[:1])+kind[1:]+"s")
		}
		title, _, _ := strings.Cut(o.Comment, "\n")
		if err := printEntry(a, o.Name, longest, title, width); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) printObject(o warehouse.Object, width int) error {
	wrapAt := width
	if wrapAt == 0 || wrapAt > 100 {
		wrapAt = 100
	}
	fmt.Fprintf(a.stdout, "%s (%s)\n\n", o.Name, o.Kind)
	for _, paragraph := range strings.Split(o.Comment, "\n\n") {
		fmt.Fprintln(a.stdout, strings.Join(wrap(paragraph, wrapAt), "\n")+"\n")
	}
	longest := 0
	for _, c := range o.Columns {
		longest = max(longest, len(c.Name)+2+len(c.Type))
	}
	for _, c := range o.Columns {
		name := c.Name + strings.Repeat(" ", longest-len(c.Name)-len(c.Type)) + c.Type
		if err := printEntry(a, name, longest, c.Comment, width); err != nil {
			return err
		}
	}
	return nil
}

// printEntry writes a name and its text, wrapped beside it on a terminal.
func printEntry(a *app, name string, longest int, text string, width int) error {
	lines := []string{text}
	if room := width - longest - 4; width > 0 && room >= 20 {
		lines = wrap(text, room)
	}
	for i, line := range lines {
		if i > 0 {
			name = ""
		}
		if _, err := fmt.Fprintln(a.stdout, strings.TrimRight(fmt.Sprintf("  %-*s  %s", longest, name, line), " ")); err != nil {
			return err
		}
	}
	return nil
}

// wrap breaks text at blanks into lines of at most width characters, where a word is not longer.
func wrap(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len([]rune(line))+1+len([]rune(word)) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
