package main

import (
	"encoding/json"
	"io"
	"time"

	"warehouse/warehouse"
)

// searchJSON is what --json prints. Texts are whole there: programs have no budget.
type searchJSON struct {
	Words       string       `json:"words"`
	Kinds       []string     `json:"kinds"`
	Scanned     bool         `json:"scanned"`
	Total       int64        `json:"total"`
	TotalAll    int64        `json:"total_all_words"`
	Hidden      []hiddenJSON `json:"hidden"`
	RefreshedAt string       `json:"refreshed_at"`
	Advice      []string     `json:"advice,omitempty"`
	Hits        []hitJSON    `json:"hits"`
}

type hiddenJSON struct {
	Kind   string `json:"kind"`
	Reason string `json:"reason"`
	Hits   int64  `json:"hits"`
}

type hitJSON struct {
	SessionID     string          `json:"session_id"`
	Title         string          `json:"title,omitempty"`
	Role          string          `json:"role"`
	Kind          string          `json:"kind"`
	Timestamp     *string         `json:"timestamp"`
	ProjectPath   string          `json:"project_path"`
	Host          string          `json:"host"`
	Agent         string          `json:"agent"`
	AgentID       string          `json:"agent_id,omitempty"`
	SourceFile    string          `json:"source_file"`
	SourceLine    int64           `json:"source_line"`
	ItemIndex     int64           `json:"item_index"`
	PassageNumber int64           `json:"passage_number"`
	IsSubagent    bool            `json:"is_subagent"`
	IsInjected    bool            `json:"is_injected"`
	IsAutomated   bool            `json:"is_automated"`
	WordsMissing  []string        `json:"words_missing"`
	Score         float64         `json:"score"`
	Copies        int64           `json:"copies"`
	Text          string          `json:"text"`
	Before        []neighbourJSON `json:"before,omitempty"`
	Behind        []neighbourJSON `json:"behind,omitempty"`
}

type neighbourJSON struct {
	SourceLine int64   `json:"source_line"`
	Role       string  `json:"role"`
	Timestamp  *string `json:"timestamp"`
	Text       string  `json:"text"`
}

func printSearchJSON(w io.Writer, o searchOptions, r *warehouse.SearchResult, loc *time.Location) error {
	at := func(t time.Time) *string {
		if t.IsZero() {
			return nil
		}
		s := t.In(loc).Format(time.RFC3339Nano)
		return &s
	}
	texts := func(list []warehouse.Neighbour) (out []neighbourJSON) {
		for _, n := range list {
			out = append(out, neighbourJSON{n.SourceLine, n.Role, at(n.Timestamp), n.Text})
		}
		return out
	}
	j := searchJSON{Words: o.Words, Kinds: r.Kinds, Scanned: r.Scanned, Total: r.Total, TotalAll: r.TotalAll,
		Hidden: []hiddenJSON{}, RefreshedAt: r.At.In(loc).Format(time.RFC3339), Advice: r.Advice, Hits: []hitJSON{}}
	for _, h := range r.Hidden {
		j.Hidden = append(j.Hidden, hiddenJSON(h))
	}
	for _, h := range r.Hits {
		missing := h.Missing
		if missing == nil {
			missing = []string{}
		}
		j.Hits = append(j.Hits, hitJSON{h.SessionID, h.Title, h.Role, h.Kind, at(h.Timestamp), h.ProjectPath, h.Host, h.Agent, h.AgentID,
			h.SourceFile, h.SourceLine, h.ItemIndex, h.PassageNumber, h.IsSubagent, h.IsInjected, h.IsAutomated, missing, h.Score, h.Copies, h.Text,
			texts(h.Before), texts(h.Behind)})
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(j)
}
