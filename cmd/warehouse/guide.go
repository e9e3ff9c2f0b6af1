package main

import (
	_ "embed"
	"strings"

	"github.com/spf13/cobra"
)

// The guide is a skill file too, so that what an agent is told and what a person reads is one text.
// A test runs what is in it.
//
//go:embed SKILL.md
var skill string

func newGuideCmd(a *app) *cobra.Command {
	var asSkill bool
	cmd := &cobra.Command{
		Use:   "guide",
		Short: "Print how an agent uses the warehouse",
		Long: `Print how an agent uses the warehouse: refresh once and read in parallel, the reports that matter,
SQL over JSON and its traps, and how to go from a number to the line it came from.

With --skill it is a skill file, to be put where an agent looks for skills.`,
		Example: `  warehouse guide
  mkdir -p ~/.claude/skills/warehouse && warehouse guide --skill > ~/.claude/skills/warehouse/SKILL.md`,
		Args: argRange(0, 0, ""),
		RunE: func(cmd *cobra.Command, args []string) error {
			text := skill
			if !asSkill {
				_, text, _ = strings.Cut(strings.TrimPrefix(skill, "---\n"), "\n---\n")
			}
			_, err := a.stdout.Write([]byte(strings.TrimLeft(text, "\n")))
			return err
		},
	}
	cmd.Flags().BoolVar(&asSkill, "skill", false, "with the header of a skill file")
	return cmd
}
