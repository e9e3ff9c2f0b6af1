package text

import "strings"

// openings are how texts begin that stand in a person's place and were written by the program.
// Seen in Claude Code 1.0.24 to 2.1.237.
var openings = []string{
	"Caveat: The messages below",
	"Base directory for this skill:",
	"Stop hook feedback",
	"This session is being continued from a previous conversation",
	"[Request interrupted by user",
}

// Injected reports whether a text of a user record was written by the program: reminders, command
// wrappers and their output, the bodies of skills, marks of interruption.
func Injected(s string) bool {
	s = strings.TrimLeft(s, " \t\r\n")
	if isTag(s) || s == "Warmup" {
		return true
	}
	for _, o := range openings {
		if strings.HasPrefix(s, o) {
			return true
		}
	}
	return false
}

// isTag reports whether s begins with a tag such as <system-reminder>. Names have a hyphen, or
// pasted HTML would count.
func isTag(s string) bool {
	if !strings.HasPrefix(s, "<") {
		return false
	}
	end := strings.IndexAny(s, "> \n")
	if end < 2 || s[end] == '\n' {
		return false
	}
	hyphen := false
	for _, c := range s[1:end] {
		switch {
		case c == '-' || c == '_':
			hyphen = true
		case c < 'a' || c > 'z':
			return false
		}
	}
	return hyphen
}
