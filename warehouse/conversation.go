package warehouse

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Reading a session as a conversation.
//
// The rules are:
//
//   - The order is that of files and lines: times of transcripts go back.
//   - A place is a file and a line in it. A page begins and ends between lines, so that pages that
//     follow each other hold each message once.
//   - A record that stands several times in a session is shown where it stands first.
//   - What is left out is counted by why, each part once.
//   - It costs the session, not the warehouse: its files are found first, and texts are fetched
//     for the page alone.

var (
	//go:embed sql/session_head.sql
	sessionHeadSQL string
	//go:embed sql/conversation.sql
	conversationSQL string
	//go:embed sql/conversation_texts.sql
	conversationTextsSQL string
)

// ConversationOptions choose what of a session is read. At most one of From, Around and Last is
// given; each counts lines that are shown.
type ConversationOptions struct {
	Tools     bool   // calls of tools and their results
	Whole     bool   // results whole, not their heads
	Thinking  bool   // what the model thought
	Injected  bool   // what the program wrote in a person's place
	Subagents bool   // threads of sub-agents behind the main one
	AgentID   string // the thread of this sub-agent instead of the main one
	Role      string // user or assistant
	File      string // path, or end of one, of the file that a line is in; alone, where to begin
	From      int64  // line the page begins at
	Around    int64  // line in the middle of the page, shown whatever it holds
	Context   int    // messages before and behind it
	Last      int    // the last ones
	Limit     int    // 0 is all
}

// Kinds of what is read; a part of a message of another type, such as image, has that as its kind.
const (
	KindText       = "text"
	KindThinking   = "thinking"
	KindToolCall   = "tool-call"
	KindToolResult = "tool-result"
	KindSummary    = "summary"
)

// ConversationItem is a part of a message.
type ConversationItem struct {
	SourceFile string
	SourceLine int64
	ItemIndex  int
	Role       string // user or assistant, as the record has it
	Kind       string
	ToolName   string // on the result too, where its call is in the session
	Timestamp  time.Time
	AgentID    string
	AgentType  string
	IsSubagent bool
	IsQueued   bool // a prompt that only the queue holds
	IsInjected bool
	IsError    bool
	Text       string // of a call its input, as JSON
	TextLength int64  // characters of the whole; more than Text has of a result that is not read whole

	fileNumber int
	toolID     string
	isCopy     bool
	ownText    *string
}

// ConversationFile is a file with lines of a session.
type ConversationFile struct {
	Path    string `json:"path"`
	AgentID string `json:"agent_id"`
	Lines   int64  `json:"lines"`
}

// Thread is a sub-agent of a session.
type Thread struct {
	AgentID string // empty where the program did not name them (to 2.0)
	Type    string // such as Explore; empty where it is not known
	file    string // its first
}

// Place is a line of a file. Name is how ConversationOptions name the file, empty where it is the
// one that lines are of without that.
type Place struct {
	File ConversationFile
	Name string
	Line int64
}

// LeftOut counts parts of messages that are not shown, by why.
type LeftOut struct {
	ToolCalls   int
	ToolResults int
	Thinking    int
	Injected    int // whole texts, and texts with a part that was taken out
	Subagents   int // messages of sub-agents
	OtherRole   int
	Copies      int
}

// Conversation is a page of a session.
type Conversation struct {
	SessionRef
	ProjectPath string
	ResumePath  string // where the agent program has to be started to resume it
	EndedAt     time.Time
	Prompts     int64
	Responses   int64
	Files       []ConversationFile // in the order they are read
	Threads     []Thread

	Items   []ConversationItem
	First   int // number of the first message that is shown, from 1
	Shown   int // messages that are shown: lines
	Total   int // messages there are to show
	LeftOut LeftOut
	Next    *Place // where the next page begins, nil on the last
}

// Conversation reads a page of a session that FindSession found. It returns ErrNotFound for a
// sub-agent, file or line that is not there.
func (r *Reader) Conversation(ctx context.Context, s SessionRef, opt ConversationOptions) (*Conversation, error) {
	c := &Conversation{SessionRef: s}
	for name, value := range map[string]string{"host": s.Host, "session": s.ID} {
		if err := r.set(ctx, name, value); err != nil {
			return nil, err
		}
	}
	items, err := r.conversationItems(ctx)
	if err == nil {
		err = r.conversationHead(ctx, c, items)
	}
	if err != nil {
		return nil, fmt.Errorf("session %q: %w", s.ID, err)
	}
	page, err := c.page(items, opt)
	if err != nil {
		return nil, err
	}
	if err := r.conversationTexts(ctx, page, opt.Whole); err != nil {
		return nil, fmt.Errorf("session %q: %w", s.ID, err)
	}
	c.Items = page
	return c, nil
}

// conversationItems returns all that a session holds, without its texts.
func (r *Reader) conversationItems(ctx context.Context) ([]ConversationItem, error) {
	var items []ConversationItem
	names := map[string]string{} // of tools, by the id of the call
	err := r.each(ctx, conversationSQL, func(scan func(...any) error) error {
		var i ConversationItem
		var at *time.Time
		if err := scan(&i.SourceFile, &i.SourceLine, &i.ItemIndex, &i.fileNumber, &i.AgentID, &i.IsSubagent, &i.AgentType, &at,
			&i.Role, &i.Kind, &i.IsQueued, &i.toolID, &i.ToolName, &i.isCopy, &i.IsInjected, &i.ownText); err != nil {
			return err
		}
		i.Timestamp = orZero(at)
		if i.Kind == KindToolCall && i.toolID != "" {
			names[i.toolID] = i.ToolName
		}
		items = append(items, i)
		return nil
	})
	for n := range items {
		if items[n].Kind == KindToolResult {
			items[n].ToolName = names[items[n].toolID]
		}
	}
	return items, err
}

// conversationHead reads what stands above a page, and puts the files in the order of the items.
func (r *Reader) conversationHead(ctx context.Context, c *Conversation, items []ConversationItem) error {
	var path, resume *string
	var begun, ended *time.Time
	var files string
	if err := r.conn.QueryRowContext(ctx, sessionHeadSQL).Scan(&path, &resume, &begun, &ended, &c.Responses, &files); err != nil {
		return engineError(err)
	}
	c.ProjectPath, c.ResumePath = orZero(path), orZero(resume)
	c.StartedAt, c.EndedAt = orZero(begun), orZero(ended)
	if err := json.Unmarshal([]byte(files), &c.Files); err != nil {
		return err
	}
	order := map[string]int{}
	for _, i := range items {
		order[i.SourceFile] = i.fileNumber
	}
	// A file without a message is of no use for reading.
	c.Files = slices.DeleteFunc(c.Files, func(f ConversationFile) bool { return order[f.Path] == 0 && len(order) > 0 })
	slices.SortStableFunc(c.Files, func(a, b ConversationFile) int { return order[a.Path] - order[b.Path] })
	c.Threads = threads(items)
	c.Prompts = prompts(items)
	return nil
}

// threads lists the sub-agents in the order of their first messages.
func threads(items []ConversationItem) []Thread {
	var out []Thread
	at := map[string]int{}
	for _, i := range items {
		if !i.IsSubagent {
			continue
		}
		n, known := at[i.AgentID]
		if !known {
			n = len(out)
			at[i.AgentID] = n
			out = append(out, Thread{AgentID: i.AgentID, file: i.SourceFile})
		}
		if out[n].Type == "" {
			out[n].Type = i.AgentType
		}
	}
	return out
}

// prompts counts what people asked, as the view prompts does.
func prompts(items []ConversationItem) int64 {
	type place struct {
		file int
		line int64
	}
	asked := map[place]bool{}
	for _, i := range items {
		at := place{i.fileNumber, i.SourceLine}
		switch {
		case i.Role != "user" || i.IsSubagent || i.isCopy:
		case i.Kind == KindToolResult:
			asked[at] = false
		case i.Kind == KindText && !i.IsInjected:
			if _, known := asked[at]; !known {
				asked[at] = true
			}
		}
	}
	var n int64
	for _, is := range asked {
		if is {
			n++
		}
	}
	return n
}

// conversationTexts fetches the texts of a page.
func (r *Reader) conversationTexts(ctx context.Context, page []ConversationItem, whole bool) error {
	type key struct {
		file  string
		line  int64
		index int
	}
	at := map[key]*ConversationItem{}
	places := map[string][]int64{}
	for n := range page {
		i := &page[n]
		at[key{i.SourceFile, i.SourceLine, i.ItemIndex}] = i
		if lines := places[i.SourceFile]; len(lines) == 0 || lines[len(lines)-1] != i.SourceLine {
			places[i.SourceFile] = append(lines, i.SourceLine)
		}
	}
	text, err := json.Marshal(places)
	if err != nil {
		return err
	}
	if err := r.set(ctx, "places", string(text)); err != nil {
		return err
	}
	if err := r.set(ctx, "whole", fmt.Sprint(whole)); err != nil {
		return err
	}
	return r.each(ctx, conversationTextsSQL, func(scan func(...any) error) error {
		var k key
		var got ConversationItem
		if err := scan(&k.file, &k.line, &k.index, &got.Text, &got.TextLength, &got.IsError); err != nil {
			return err
		}
		if i := at[k]; i != nil {
			i.Text, i.TextLength, i.IsError = got.Text, got.TextLength, got.IsError
			if i.ownText != nil {
				i.Text, i.TextLength = *i.ownText, int64(len([]rune(*i.ownText)))
			}
		}
		return nil
	})
}

func orZero[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

// set gives a variable of the SQL files a value.
func (r *Reader) set(ctx context.Context, name, value string) error {
	_, err := r.conn.ExecContext(ctx, "SET VARIABLE "+quoteName(name)+" = "+quote(value))
	if err != nil {
		return engineError(err)
	}
	return nil
}

// each calls row for each row of a query.
func (r *Reader) each(ctx context.Context, query string, row func(scan func(...any) error) error) error {
	rows, err := r.conn.QueryContext(ctx, query)
	if err != nil {
		return engineError(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return engineError(err)
	}
	return nil
}
