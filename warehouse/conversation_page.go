package warehouse

import (
	"fmt"
	"path/filepath"
	"strings"
)

// Choosing what of a session is shown: what of each message, and which messages of all.

// message is what is shown of a line.
type message struct {
	first, end int // its items among those of the session
	fileNumber int
	line       int64
}

// page chooses the items that are shown, and says what was left out and where it goes on.
func (c *Conversation) page(items []ConversationItem, opt ConversationOptions) ([]ConversationItem, error) {
	asked := opt.AgentID
	file, err := c.start(&opt)
	if err != nil {
		return nil, err
	}
	number := 0 // of the file that a line is in
	for _, i := range items {
		if i.SourceFile == file.Path {
			number = i.fileNumber
			break
		}
	}
	if opt.Around > file.Lines {
		return nil, fmt.Errorf("%w: no line %d, the last of %q is %d", ErrNotFound, opt.Around, file.Path, file.Lines)
	}
	shown, messages := c.choose(items, opt, number)
	c.Total = len(messages)
	from, to := 0, len(messages)
	before := func(m message, line int64) bool {
		return m.fileNumber < number || m.fileNumber == number && m.line < line
	}
	switch {
	case opt.Last > 0:
		from = max(0, to-opt.Last)
	case opt.Around > 0:
		for from < len(messages)-1 && before(messages[from], opt.Around) {
			from++
		}
		from, to = max(0, from-opt.Context), min(to, from+opt.Context+1)
	default:
		for from < len(messages) && before(messages[from], opt.From) {
			from++
		}
		if opt.Limit > 0 {
			to = min(to, from+opt.Limit)
		}
	}
	if to < len(messages) {
		c.Next = c.place(messages[to], shown)
		if opt.AgentID != asked || c.Next.File.Path != c.first(opt.AgentID).Path {
			c.Next.Name = c.shortName(c.Next.File)
		}
	}
	if c.Shown = to - from; c.Shown == 0 {
		return nil, nil
	}
	c.First = from + 1
	return shown[messages[from].first:messages[to-1].end], nil
}

// start finds the file that a line is in, and the thread that is read where its file alone says so.
func (c *Conversation) start(opt *ConversationOptions) (ConversationFile, error) {
	if opt.AgentID != "" {
		id, err := c.thread(opt.AgentID)
		if err != nil {
			return ConversationFile{}, err
		}
		opt.AgentID = id
	}
	if opt.File != "" {
		f, err := c.file(opt.File)
		if err == nil && f.AgentID != "" && !opt.Subagents && opt.AgentID == "" {
			opt.AgentID = f.AgentID
		}
		return f, err
	}
	return c.first(opt.AgentID), nil
}

// first is the file that lines are of where none is named: the first of the thread.
func (c *Conversation) first(agentID string) ConversationFile {
	path := ""
	for _, t := range c.Threads {
		if t.AgentID == agentID {
			path = t.file
		}
	}
	for _, f := range c.Files {
		if agentID == "" || f.Path == path {
			return f
		}
	}
	return ConversationFile{}
}

// choose returns the items that are shown and the messages they make, and counts the others.
// Lines are of the file with this number.
func (c *Conversation) choose(items []ConversationItem, opt ConversationOptions, number int) ([]ConversationItem, []message) {
	var shown []ConversationItem
	var messages []message
	var counted message // the last one of a sub-agent that was
	for _, i := range items {
		at := message{fileNumber: i.fileNumber, line: i.SourceLine}
		asked := opt.Around > 0 && i.fileNumber == number && i.SourceLine == opt.Around
		if !asked {
			if opt.AgentID != "" && i.AgentID != opt.AgentID {
				continue
			}
			why := c.LeftOut.why(i, opt)
			if i.IsSubagent && !opt.Subagents && opt.AgentID == "" {
				if why == nil && at != counted {
					c.LeftOut.Subagents++
					counted = at
				}
				continue
			}
			if why != nil {
				*why++
				continue
			}
		}
		if i.ownText != nil {
			if opt.Injected {
				i.ownText = nil
			} else {
				c.LeftOut.Injected++
			}
		}
		shown = append(shown, i)
		if n := len(messages); n == 0 || messages[n-1].fileNumber != i.fileNumber || messages[n-1].line != i.SourceLine {
			at.first = len(shown) - 1
			messages = append(messages, at)
		}
		messages[len(messages)-1].end = len(shown)
	}
	return shown, messages
}

// why is what counts an item that is not shown, nil for one that is.
func (l *LeftOut) why(i ConversationItem, opt ConversationOptions) *int {
	switch {
	case i.isCopy:
		return &l.Copies
	case i.Kind == KindToolCall && !opt.Tools:
		return &l.ToolCalls
	case i.Kind == KindToolResult && !opt.Tools:
		return &l.ToolResults
	case i.Kind == KindThinking && !opt.Thinking:
		return &l.Thinking
	case i.IsInjected && !opt.Injected:
		return &l.Injected
	case opt.Role != "" && i.Role != opt.Role:
		return &l.OtherRole
	}
	return nil
}

// place is where a message stands.
func (c *Conversation) place(m message, shown []ConversationItem) *Place {
	p := &Place{Line: m.line}
	for _, f := range c.Files {
		if f.Path == shown[m.first].SourceFile {
			p.File = f
		}
	}
	return p
}

// shortName is the name of a file, or its path where others of the session have that name too.
func (c *Conversation) shortName(file ConversationFile) string {
	name := filepath.Base(file.Path)
	for _, f := range c.Files {
		if f.Path != file.Path && filepath.Base(f.Path) == name {
			return file.Path
		}
	}
	return name
}

// thread completes the id of a sub-agent.
func (c *Conversation) thread(name string) (string, error) {
	name = strings.TrimPrefix(name, "agent-")
	var found, hints []string
	for _, t := range c.Threads {
		switch {
		case t.AgentID == "":
			continue
		case t.AgentID == name:
			return name, nil
		case name != "" && strings.HasPrefix(t.AgentID, name):
			found = append(found, t.AgentID)
		}
		if len(hints) < 5 {
			hints = append(hints, "--agent-id "+t.AgentID)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", WithHint(fmt.Errorf("%w: no sub-agent %q in session %q", ErrNotFound, name, c.ID), hints...)
	}
	return "", WithHint(fmt.Errorf("%w: %q begins the ids of %d sub-agents", ErrNotFound, name, len(found)), hints...)
}

// file finds the file of the session that a path or the end of one means.
func (c *Conversation) file(name string) (ConversationFile, error) {
	here, err := filepath.Abs(name)
	if err != nil {
		return ConversationFile{}, err
	}
	var found []ConversationFile
	for _, f := range c.Files {
		if f.Path == name || f.Path == here {
			return f, nil
		}
		if strings.HasSuffix(f.Path, "/"+strings.TrimPrefix(name, "/")) {
			found = append(found, f)
		}
	}
	if len(found) == 1 {
		return found[0], nil
	}
	err = fmt.Errorf("%w: no file %q with messages of session %q", ErrNotFound, name, c.ID)
	if len(found) > 1 {
		err = fmt.Errorf("%w: %q is the end of %d paths", ErrNotFound, name, len(found))
	}
	var hints []string
	for _, f := range c.Files[:min(5, len(c.Files))] {
		hints = append(hints, fmt.Sprintf("--file %q", f.Path))
	}
	return ConversationFile{}, WithHint(err, hints...)
}
