package main

import (
	"bufio"
	"encoding/json"
	"io"
	"time"

	"warehouse/warehouse"
)

// safeText is a string of JSON with nothing in it that a terminal obeys (print_json.go).
type safeText string

func (s safeText) MarshalJSON() ([]byte, error) { return jsonString(nil, string(s)), nil }

// optional is null where it is empty.
func optional(s string) *safeText {
	if s == "" {
		return nil
	}
	t := safeText(s)
	return &t
}

type conversationJSON struct {
	Session     safeText      `json:"session"`
	Title       *safeText     `json:"title"`
	ProjectPath *safeText     `json:"project_path"`
	Host        safeText      `json:"host"`
	Agent       safeText      `json:"agent"`
	StartedAt   *safeText     `json:"started_at"`
	EndedAt     *safeText     `json:"ended_at"`
	TimeZone    safeText      `json:"time_zone"`
	Prompts     int64         `json:"prompts"`
	Responses   int64         `json:"responses"`
	Files       []fileJSON    `json:"files"`
	Messages    []messageJSON `json:"messages"`
	First       int           `json:"first_message"`
	Shown       int           `json:"messages_shown"`
	Total       int           `json:"messages_total"`
	LeftOut     leftOutJSON   `json:"left_out"`
	NextLine    *int64        `json:"next_line"`
	NextFile    *safeText     `json:"next_file"`
	Resume      *safeText     `json:"resume"`
}

type fileJSON struct {
	SourceFile safeText  `json:"source_file"`
	AgentID    *safeText `json:"agent_id"`
	Lines      int64     `json:"lines"`
}

type messageJSON struct {
	SourceFile safeText  `json:"source_file"`
	SourceLine int64     `json:"source_line"`
	ItemIndex  int       `json:"item_index"`
	Role       safeText  `json:"role"`
	Kind       safeText  `json:"kind"`
	ToolName   *safeText `json:"tool_name"`
	Timestamp  *safeText `json:"timestamp"`
	AgentID    *safeText `json:"agent_id"`
	IsSubagent bool      `json:"is_subagent"`
	IsQueued   bool      `json:"is_queued"`
	IsInjected bool      `json:"is_injected"`
	IsError    bool      `json:"is_error"`
	TextLength int64     `json:"text_length"`
	Text       safeText  `json:"text"`
}

type leftOutJSON struct {
	ToolCalls   int `json:"tool_calls"`
	ToolResults int `json:"tool_results"`
	Thinking    int `json:"thinking"`
	Injected    int `json:"injected"`
	Subagents   int `json:"subagent_messages"`
	OtherRole   int `json:"other_role"`
	Copies      int `json:"copies"`
}

// printConversationJSON writes a page as one object. A message has one entry for each of its parts.
func printConversationJSON(w io.Writer, c *warehouse.Conversation, loc *time.Location) error {
	at := func(t time.Time) *safeText {
		if t.IsZero() {
			return nil
		}
		return optional(cellWriter{loc, cellData}.time(t.In(loc), cellStampZone))
	}
	doc := conversationJSON{
		Session:     safeText(c.ID),
		Title:       optional(c.Title),
		ProjectPath: optional(c.ProjectPath),
		Host:        safeText(c.Host),
		Agent:       safeText(c.Agent),
		StartedAt:   at(c.StartedAt),
		EndedAt:     at(c.EndedAt),
		TimeZone:    safeText(fmtZone(loc, "/etc/localtime")),
		Prompts:     c.Prompts,
		Responses:   c.Responses,
		Files:       []fileJSON{},
		Messages:    []messageJSON{},
		First:       c.First,
		Shown:       c.Shown,
		Total:       c.Total,
		LeftOut:     leftOutJSON(c.LeftOut),
		Resume:      optional(resumeCommand(c)),
	}
	for _, f := range c.Files {
		doc.Files = append(doc.Files, fileJSON{safeText(f.Path), optional(f.AgentID), f.Lines})
	}
	for _, i := range c.Items {
		doc.Messages = append(doc.Messages, messageJSON{
			SourceFile: safeText(i.SourceFile),
			SourceLine: i.SourceLine,
			ItemIndex:  i.ItemIndex,
			Role:       safeText(i.Role),
			Kind:       safeText(i.Kind),
			ToolName:   optional(i.ToolName),
			Timestamp:  at(i.Timestamp),
			AgentID:    optional(i.AgentID),
			IsSubagent: i.IsSubagent,
			IsQueued:   i.IsQueued,
			IsInjected: i.IsInjected,
			IsError:    i.IsError,
			TextLength: i.TextLength,
			Text:       safeText(i.Text),
		})
	}
	if c.Next != nil {
		doc.NextLine, doc.NextFile = &c.Next.Line, optional(c.Next.Name)
	}
	out := bufio.NewWriterSize(w, 1<<16)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(doc); err != nil {
		return err
	}
	return out.Flush()
}
