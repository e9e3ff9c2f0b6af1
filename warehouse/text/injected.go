package text

import (
	"regexp"
	"strings"
)

// wrapped are the blocks that the program puts into a person's text or sends in a person's place.
// Seen in Claude Code 1.0.24 to 2.1.237; the view prompts has the same list.
const wrapped = `system-reminder|command-name|command-message|command-args|command-contents|local-command-stdout|local-command-stderr|local-command-caveat|` +
	`bash-input|bash-stdout|bash-stderr|task-notification|teammate-message|ide_opened_file|ide_selection|user-memory-input|new-diagnostics`

var blocks = regexp.MustCompile(`(?s)<(?:` + wrapped + `)\b[^>]*>.*?</(?:` + wrapped + `)>`)

// openings are how texts begin that the program wrote in a person's place.
var openings = []string{
	"Caveat: The messages below",
	"Base directory for this skill:",
	"Stop hook feedback",
	"This session is being continued from a previous conversation",
	"[Request interrupted by user",
}

// Injected reports whether nothing of a user record's text is a person's: reminders, command
// wrappers and their output, the bodies of skills, marks of interruption.
func Injected(s string) bool {
	if strings.Contains(s, "</") {
		s = blocks.ReplaceAllString(s, "")
	}
	s = strings.Trim(s, " \n\t\r")
	if s == "" || s == "Warmup" {
		return true
	}
	for _, o := range openings {
		if strings.HasPrefix(s, o) {
			return true
		}
	}
	return false
}
