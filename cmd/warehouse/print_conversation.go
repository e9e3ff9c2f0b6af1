// A session as text.
//
// The rules are:
//
//   - Each message stands below a line with the number of its line, by which it can be asked for
//     again; the name of a file stands above its first message where that is not the first file.
//   - Text is as it was written, but for control characters (print_clean.go) and blank lines at its
//     ends. Lines are kept; only on a terminal those too long for it are broken, between words.
//   - What is cut says how much of it is missing, what is left out how to see it.
//   - On a terminal the lines above messages are drawn to its width and coloured. Elsewhere they
//     are short: who reads there pays by the letter.

package main

import (
	"bufio"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"warehouse/warehouse"
)

type conversationPrinter struct {
	options warehouse.ConversationOptions
	loc     *time.Location
	width   int // 0 where it is no terminal
	color   bool
	ascii   bool
	command string // this one, without what chooses the page

	out *bufio.Writer
}

// Colours of the lines above messages.
const (
	colorUser      = "\x1b[1;36m"
	colorAssistant = "\x1b[1;32m"
	colorTool      = "\x1b[33m"
	colorError     = "\x1b[31m"
	colorOther     = "\x1b[35m"
	colorFile      = "\x1b[1m"
	colorDim       = "\x1b[2m"
)

func (p conversationPrinter) print(w io.Writer, c *warehouse.Conversation) error {
	p.out = bufio.NewWriterSize(w, 1<<16)
	p.head(c)
	var file, above string
	if len(c.Files) > 0 {
		file = c.Files[0].Path
	}
	threads := map[string]bool{}
	for _, f := range c.Files {
		threads[f.Path] = f.AgentID != ""
	}
	for _, i := range c.Items {
		if i.SourceFile != file {
			file, above = i.SourceFile, ""
			p.file(i)
		}
		title, color := messageTitle(i)
		if i.IsSubagent && !threads[file] {
			title = "sub-agent " + title // up to 2.0 they stand among the lines of the main thread
		}
		if line := fmt.Sprint(i.SourceLine, " ", title); line != above {
			if above = line; !i.Timestamp.IsZero() {
				line += " " + i.Timestamp.In(p.loc).Format(time.DateTime)
			}
			p.rule("─", line, color)
		} else {
			p.out.WriteByte('\n')
		}
		p.item(i)
	}
	p.foot(c)
	return p.out.Flush()
}

// head writes what the session is.
func (p conversationPrinter) head(c *warehouse.Conversation) {
	title := printSafe(c.Title)
	if title == "" {
		title = "(no title)"
	}
	p.out.WriteString(p.paint(colorFile, title) + "\n")
	field := func(name, value string) {
		if value != "" {
			p.out.WriteString(p.paint(colorDim, fmt.Sprintf("%-8s ", name)) + printSafe(value) + "\n")
		}
	}
	field("session", c.ID)
	field("project", c.ProjectPath)
	if c.Host != warehouse.LocalHost {
		field("host", c.Host)
	}
	if begun, ended := c.StartedAt.In(p.loc), c.EndedAt.In(p.loc); !c.StartedAt.IsZero() {
		to := ended.Format(time.DateTime)
		if begun.Format(time.DateOnly) == ended.Format(time.DateOnly) {
			to = ended.Format(time.TimeOnly)
		}
		field("time", begun.Format(time.DateTime)+" – "+to+" "+fmtZone(p.loc, "/etc/localtime"))
	}
	holds := []string{count(c.Prompts, "prompt"), count(c.Responses, "response")}
	if n := len(c.Threads); n > 0 {
		holds = append(holds, count(int64(n), "sub-agent"))
	}
	field("holds", strings.Join(holds, ", "))
	name := "file"
	for _, f := range c.Files {
		if f.AgentID == "" {
			field(name, f.Path+" ("+count(f.Lines, "line")+")")
			name = ""
		}
	}
	const most = 5
	name = "agents"
	for n, t := range c.Threads {
		if n == most {
			field(name, fmt.Sprintf("and %d more", len(c.Threads)-n))
			break
		}
		if t.AgentID != "" {
			field(name, agentName(t.AgentID, t.Type))
			name = ""
		}
	}
}

func agentName(id, kind string) string {
	if kind != "" {
		return id + " (" + kind + ")"
	}
	return id
}

// file writes which file the messages below are of.
func (p conversationPrinter) file(i warehouse.ConversationItem) {
	title := filepath.Base(i.SourceFile)
	if i.AgentID != "" {
		title = "sub-agent " + agentName(i.AgentID, i.AgentType) + ", " + title
	}
	p.rule("═", title, colorFile)
}

// messageTitle says whose message it is and what, and its colour.
func messageTitle(i warehouse.ConversationItem) (title, color string) {
	switch i.Kind {
	case warehouse.KindThinking:
		title, color = i.Role+" thinking", colorOther
	case warehouse.KindSummary:
		title, color = "summary of what was compacted", colorOther
	case warehouse.KindToolCall:
		title, color = "tool call", colorTool
	case warehouse.KindToolResult:
		title, color = "tool result", colorTool
		if i.ToolName != "" {
			title += " of " + i.ToolName
		}
		if i.IsError {
			title, color = title+", failed", colorError
		}
	default:
		title, color = i.Role, colorAssistant
		if i.Role == "user" {
			color = colorUser
		}
		switch {
		case i.IsInjected:
			title, color = title+", injected", colorOther
		case i.IsQueued:
			title += ", queued"
		}
	}
	return title, color
}

// rule writes a line with a title in it, below a blank one.
func (p conversationPrinter) rule(line, title, color string) {
	if p.ascii {
		line = map[string]string{"─": "-", "═": "="}[line]
	}
	title = printSafe(title)
	room := 2
	if p.width > 0 {
		// Not to the last column: some terminals go on to the next line then.
		room = max(2, min(p.width, 100)-1-4-text.StringWidthWithoutEscSequences(title))
	}
	p.out.WriteString("\n" + p.paint(color, strings.Repeat(line, 2)+" "+title+" "+strings.Repeat(line, room)) + "\n")
}

func (p conversationPrinter) paint(color, s string) string {
	if !p.color {
		return s
	}
	return color + s + "\x1b[0m"
}

// item writes what a part of a message holds.
func (p conversationPrinter) item(i warehouse.ConversationItem) {
	switch i.Kind {
	case warehouse.KindToolCall:
		p.call(i)
	case warehouse.KindToolResult:
		p.result(i)
	case warehouse.KindText, warehouse.KindThinking, warehouse.KindSummary:
		p.text(i.Text, "")
	default:
		p.text("["+printSafe(i.Kind)+"] "+i.Text, "") // an image, a document, or what no version wrote yet
	}
}

// text writes lines, each behind an indent.
func (p conversationPrinter) text(s, indent string) {
	s = strings.Trim(cleanLines(s), "\n")
	for _, line := range strings.Split(s, "\n") {
		line = strings.TrimRight(line, " \t")
		if p.width > 0 {
			line = withoutTabs(line)
		}
		for _, part := range p.broken(line, len(indent)) {
			p.out.WriteString(strings.TrimRight(indent+part, " ") + "\n")
		}
	}
}

// withoutTabs puts blanks for tabs, so that a line has the width it seems to have.
func withoutTabs(line string) string {
	for {
		n := strings.IndexByte(line, '\t')
		if n < 0 {
			return line
		}
		blanks := 8 - text.StringWidthWithoutEscSequences(line[:n])%8
		line = line[:n] + strings.Repeat(" ", blanks) + line[n+1:]
	}
}

// broken breaks a line that is too long for the terminal. What follows stands below the line's
// own indent.
func (p conversationPrinter) broken(line string, indent int) []string {
	width := p.width - 1 - indent
	if p.width == 0 || len(line) <= width || text.StringWidthWithoutEscSequences(line) <= width {
		return []string{line}
	}
	margin := line[:len(line)-len(strings.TrimLeft(line, " "))]
	if len(margin) > width/2 {
		margin, line = "", strings.TrimLeft(line, " ")
	}
	var parts []string
	for {
		// The last blank that fits, else the last letter that does.
		blank, end, at := 0, 0, 0
		for n, r := range line {
			if at += text.RuneWidth(r); at > width {
				break
			}
			end = n + len(string(r))
			if r == ' ' && n >= len(margin) && n > 0 {
				blank = n
			}
		}
		if end >= len(line) || end == 0 {
			return append(parts, line)
		}
		rest := line[end:]
		if line[end] == ' ' {
			blank = end
		}
		if strings.TrimSpace(line[:blank]) != "" {
			rest, end = line[blank:], blank
		}
		parts = append(parts, line[:end])
		if rest = strings.TrimLeft(rest, " "); rest == "" {
			return parts
		}
		line = margin + rest
	}
}

// foot says what was shown and what not, and how to go on.
func (p conversationPrinter) foot(c *warehouse.Conversation) {
	zone := ", times in " + fmtZone(p.loc, "/etc/localtime")
	p.out.WriteByte('\n')
	switch {
	case c.Total == 0:
		p.out.WriteString("(no messages" + zone + ")\n")
	case c.Shown == 0:
		fmt.Fprintf(p.out, "(no messages from line %d on, %s before%s)\n", p.options.From, thousands(int64(c.Total)), zone)
	case c.Shown == 1:
		fmt.Fprintf(p.out, "(message %s of %s%s)\n", thousands(int64(c.First)), thousands(int64(c.Total)), zone)
	default:
		fmt.Fprintf(p.out, "(messages %s–%s of %s%s)\n", thousands(int64(c.First)), thousands(int64(c.First+c.Shown-1)), thousands(int64(c.Total)), zone)
	}
	if left := p.leftOut(c); len(left) > 0 {
		for _, line := range p.broken("left out: "+strings.Join(left, ", "), 0) {
			p.out.WriteString(line + "\n")
		}
	}
	if c.Next != nil {
		next := p.command
		if c.Next.Name != "" {
			next += " --file " + shellQuote(c.Next.Name)
		}
		fmt.Fprintf(p.out, "next: %s --from %d\n", next, c.Next.Line)
	}
	if resume := resumeCommand(c); resume != "" {
		where := "resume"
		if c.Host != warehouse.LocalHost {
			where += " on " + printSafe(c.Host)
		}
		p.out.WriteString(where + ": " + resume + "\n")
	}
}

// leftOut lists what is not shown, with the switch that shows it.
func (p conversationPrinter) leftOut(c *warehouse.Conversation) []string {
	l := c.LeftOut
	var out []string
	add := func(n int, what, flag string) {
		if n > 0 {
			out = append(out, count(int64(n), what)+flag)
		}
	}
	if l.ToolCalls > 0 && l.ToolResults > 0 {
		out = append(out, count(int64(l.ToolCalls), "tool call")+" and "+count(int64(l.ToolResults), "result")+" (--tools)")
	} else {
		add(l.ToolCalls, "tool call", " (--tools)")
		add(l.ToolResults, "tool result", " (--tools)")
	}
	add(l.Thinking, "thought", " (--thinking)")
	add(l.Injected, "injected text", " (--injected)")
	add(l.Subagents, "message", " of sub-agents (--subagents)")
	add(l.OtherRole, "part", " of the other side (without --role)")
	if l.Copies == 1 {
		out = append(out, "1 copy")
	} else if l.Copies > 1 {
		out = append(out, thousands(int64(l.Copies))+" copies")
	}
	return out
}

// resumeCommand is what resumes the session with its agent program, empty where that is not known.
func resumeCommand(c *warehouse.Conversation) string {
	if c.Agent != "claude-code" {
		return ""
	}
	command := "claude --resume " + shellQuote(c.ID)
	if c.ResumePath != "" {
		command = "cd " + shellQuote(c.ResumePath) + " && " + command
	}
	return command
}
