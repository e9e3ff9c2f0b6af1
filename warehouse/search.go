package warehouse

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"warehouse/warehouse/text"
)

// Searching: the index through the macros in the file, a scan where the index has nothing.
//
// The rules are:
//
//   - The macros search() and search_any() rank; here stands only what a macro cannot do: titles,
//     counts of what is hidden, advice, neighbours. So a bare client finds the same, in the same
//     order.
//   - Every word is data: it reaches SQL as a value.
//   - What a default filter hides is counted, and the switch that shows it is named. So is what is of
//     hosts whose text may not leave; nothing else is told of these, neither words nor titles.
//   - Results of tools, and texts looked for letter by letter, are scanned, and the result says so.

//go:embed sql/search.sql
var searchSQL string

//go:embed sql/search_hidden.sql
var searchHiddenSQL string

//go:embed sql/search_literal.sql
var searchLiteralSQL string

//go:embed sql/search_tool_results.sql
var searchToolResultsSQL string

//go:embed sql/search_near.sql
var searchNearSQL string

//go:embed sql/search_titles.sql
var searchTitlesSQL string

//go:embed sql/search_context.sql
var searchContextSQL string

// ToolResult is the kind of passages that are not in the index.
const ToolResult = "tool-result"

// Kinds are the kinds of passages that the index has, the one searched by default first.
func Kinds() []string { return kinds[:] }

// SearchOptions say what to look for. Texts that are empty filter nothing.
type SearchOptions struct {
	Words   string // words and "phrases"; with Literal the text itself
	Literal bool   // letter by letter, case too
	Any     bool   // any of the words is enough
	// Since and Until are times as reports take them: 7d, 2026-11-01, …
	Since, Until                        string
	Project, Host, Agent, Session, Role string
	Kinds                               []string // of Kinds, or ToolResult alone; none is prose
	Subagents, Injected, Automated      bool     // show what is hidden by default
	EgressHosts                         []string // hosts whose text may be shown (Layout.EgressHosts); none is all
	Limit                               int      // hits
	Context                             int      // texts before and behind each hit
}

// SearchResult is what was found.
type SearchResult struct {
	Words    []text.Word // of the search, none where Literal
	Kinds    []string
	Scanned  bool // no index was used
	Total    int64
	TotalAll int64 // hits that have all words
	Hits     []Hit
	Hidden   []Hidden
	Advice   []string  // where nothing was found
	At       time.Time // when the warehouse was refreshed
}

// Hit is a passage that was found.
type Hit struct {
	SessionID, Title, Role, Kind        string
	Timestamp                           time.Time // zero where the line has none
	ProjectPath, Host, Agent, AgentID   string
	SourceFile                          string
	SourceLine                          int64 // from 1
	ItemIndex, PassageNumber            int64 // from 0
	IsSubagent, IsInjected, IsAutomated bool
	Missing                             []string // words that are not in it
	Score                               float64
	Copies                              int64 // passages it stands for, itself included
	Text                                string
	Before, Behind                      []Neighbour
}

// Neighbour is a text beside a hit in its transcript.
type Neighbour struct {
	SourceLine int64
	Role       string
	Timestamp  time.Time
	Text       string
}

// Hidden counts what default filters hide.
type Hidden struct {
	Kind   string
	Reason string // injected, automated, subagents, Blocked; empty where the kind is not searched
	Hits   int64
}

// Blocked is the reason where the text of a host may not leave.
const Blocked = "blocked"

// ErrNoWords is returned for a search without a letter or digit in it.
var ErrNoWords = errors.New("no words to search for")

// Search looks for passages.
func (r *Reader) Search(ctx context.Context, o SearchOptions, now time.Time) (*SearchResult, error) {
	o.Words = strings.ReplaceAll(strings.ToValidUTF8(o.Words, "\ufffd"), "\x00", " ")
	res := &SearchResult{Kinds: o.Kinds}
	if len(o.Kinds) == 0 {
		res.Kinds = []string{"prose"}
	}
	if err := r.conn.QueryRowContext(ctx, "SELECT refreshed_at FROM main.index_meta").Scan(&res.At); err != nil {
		return nil, engineError(err)
	}
	if o.Literal && strings.TrimSpace(o.Words) == "" {
		return nil, ErrNoWords
	}
	if !o.Literal {
		if res.Words = text.Query(o.Words); len(res.Words) == 0 {
			return nil, ErrNoWords
		}
	}
	script, name := searchSQL, "search"
	if err := r.openHosts(ctx, &o); err != nil {
		return nil, err
	}
	values := o.values(strings.Join(res.Kinds, ","))
	switch {
	case slices.Contains(res.Kinds, ToolResult):
		script, name, res.Scanned = searchToolResultsSQL, "search_tool_results", true
		texts, hint := scannedTexts(o, res.Words)
		values["words"], values["hint"] = jsonText(texts), hint
	case o.Literal:
		script, name, res.Scanned = searchLiteralSQL, "search_literal", true
		values["literal"] = o.Words
	default:
		values["asked"] = asked(res.Words)
	}
	wait := r.countHidden(ctx, res, name, script, values, now)
	rows, err := r.runScript(ctx, name, script, values, now)
	if failure := wait(); err == nil {
		err = failure
	}
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		h := hitOf(row)
		res.Total, res.TotalAll = asInt(row["total"]), asInt(row["total_all"])
		res.Hits = append(res.Hits, h)
	}
	if len(res.Hits) == 0 && !o.Literal && !res.Scanned {
		if err := r.advise(ctx, res, values, now); err != nil {
			return nil, err
		}
	}
	if err := r.titles(ctx, res.Hits, values, now); err != nil {
		return nil, err
	}
	if o.Context > 0 {
		for i := range res.Hits {
			if err := r.neighbours(ctx, &res.Hits[i], o.Context, now); err != nil {
				return nil, err
			}
		}
	}
	return res, nil
}

// openHosts forgets the list of hosts whose text may be shown where no other has any: there is nothing
// to leave out then, nor to count a second time.
func (r *Reader) openHosts(ctx context.Context, o *SearchOptions) error {
	if len(o.EgressHosts) == 0 {
		return nil
	}
	closed := false
	err := r.each(ctx, "SELECT DISTINCT host FROM main.indexed_files", func(scan func(...any) error) error {
		var host string
		err := scan(&host)
		closed = closed || !slices.Contains(o.EgressHosts, host)
		return err
	})
	if err == nil && !closed {
		o.EgressHosts = nil
	}
	return err
}

// values are the options as parameters of the scripts.
func (o SearchOptions) values(kind string) map[string]string {
	values := map[string]string{"kind": kind, "limit": strconv.Itoa(o.Limit), "egress_hosts": "*"}
	if len(o.EgressHosts) > 0 {
		values["egress_hosts"] = strings.Join(o.EgressHosts, ",")
	}
	for name, value := range map[string]string{
		"since": o.Since, "until": o.Until, "project": o.Project, "host": o.Host, "agent": o.Agent, "session": o.Session, "role": o.Role,
	} {
		if value != "" {
			values[name] = value
		}
	}
	for name, value := range map[string]bool{"subagents": o.Subagents, "injected": o.Injected, "automated": o.Automated, "any": o.Any, "exact": o.Literal} {
		if value {
			values[name] = "true"
		}
	}
	return values
}

// askedTerm is a row of search_words.
type askedTerm struct {
	WordNumber int     `json:"word_number"`
	Word       string  `json:"word"`
	TermNumber int     `json:"term_number"`
	Term       *string `json:"term"`
	TermCount  int     `json:"term_count"`
	Literal    *string `json:"literal"`
	Pattern    *string `json:"pattern"`
}

// asked is what search_words gives for the words, as JSON.
func asked(words []text.Word) string {
	var rows []askedTerm
	optional := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	for i, w := range words {
		terms := w.Terms
		if len(terms) == 0 {
			terms = []string{""}
		}
		for _, term := range terms {
			rows = append(rows, askedTerm{i + 1, w.Text, len(rows) + 1, optional(term), len(terms), optional(w.Literal), optional(w.Pattern)})
		}
	}
	return jsonText(rows)
}

func jsonText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // texts and numbers
	}
	return string(b)
}

// scannedTexts are the texts that a scan looks for, and a pattern that each line with a hit matches.
func scannedTexts(o SearchOptions, words []text.Word) (texts []string, hint string) {
	if o.Literal {
		texts = []string{o.Words}
	}
	for _, w := range words {
		texts = append(texts, strings.ToLower(w.Text))
	}
	var hints []string
	for _, t := range texts {
		// JSON may write anything but letters, digits and few signs in another way.
		longest := ""
		for _, part := range strings.FieldsFunc(t, func(c rune) bool { return c >= 0x7f || c < ' ' || strings.ContainsRune(`"\/<>&'`, c) }) {
			if len(part) > len(longest) {
				longest = part
			}
		}
		hints = append(hints, regexp.QuoteMeta(longest))
	}
	slices.SortStableFunc(hints, func(a, b string) int { return len(b) - len(a) })
	if !o.Any {
		hints = hints[:1]
	}
	hint = strings.Join(hints, "|")
	if !o.Literal {
		hint = "(?i)" + hint
	}
	return texts, hint
}

// countHidden counts what the default filters hide, of a scan only what its hosts do. It does so while
// others search, on the other core; wait returns when res.Hidden is there.
func (r *Reader) countHidden(ctx context.Context, res *SearchResult, name, script string, values map[string]string, now time.Time) (wait func() error) {
	count := func(r *Reader) error {
		rows, err := r.runScript(ctx, "search_hidden", searchHiddenSQL, values, now)
		for _, row := range rows {
			res.Hidden = append(res.Hidden, Hidden{asText(row["kind"]), asText(row["reason"]), asInt(row["hits"])})
		}
		return err
	}
	if res.Scanned {
		if values["egress_hosts"] == "*" {
			return func() error { return nil }
		}
		values = maps.Clone(values)
		values["only_blocked"], values["limit"] = "true", "1"
		count = func(r *Reader) error {
			rows, err := r.runScript(ctx, name, script, values, now)
			for _, row := range rows {
				res.Hidden = append(res.Hidden, Hidden{strings.Join(res.Kinds, ","), Blocked, asInt(row["total"])})
			}
			return err
		}
	}
	done := make(chan error, 1)
	go func() { done <- count(r.beside()) }()
	return func() error { return <-done }
}

// advise says which words the index does not have, and what it has instead.
func (r *Reader) advise(ctx context.Context, res *SearchResult, values map[string]string, now time.Time) error {
	for _, w := range res.Words {
		for _, term := range w.Terms {
			var n int64
			if err := r.conn.QueryRowContext(ctx, "SELECT count(*) FROM posting_lists WHERE term = ?", term).Scan(&n); err != nil {
				return engineError(err)
			}
			if n > 0 {
				continue
			}
			rows, err := r.runScript(ctx, "search_near", searchNearSQL, map[string]string{"term": term, "egress_hosts": values["egress_hosts"]}, now)
			if err != nil {
				return err
			}
			line := fmt.Sprintf("no passage has %q", w.Text)
			var near []string
			for _, row := range rows {
				near = append(near, fmt.Sprintf("%s (%d)", asText(row["term"]), asInt(row["passages"])))
			}
			if len(near) > 0 {
				line += "; near it: " + strings.Join(near, ", ")
			}
			if !slices.Contains(res.Advice, line) {
				res.Advice = append(res.Advice, line)
			}
		}
	}
	return nil
}

// titles adds the titles of the sessions.
func (r *Reader) titles(ctx context.Context, hits []Hit, values map[string]string, now time.Time) error {
	if len(hits) == 0 {
		return nil
	}
	var sessions []string
	for _, h := range hits {
		sessions = append(sessions, h.SessionID)
	}
	rows, err := r.runScript(ctx, "search_titles", searchTitlesSQL, map[string]string{
		"sessions": jsonText(sessions), "egress_hosts": values["egress_hosts"]}, now)
	titles := map[string]string{}
	for _, row := range rows {
		titles[asText(row["session_id"])] = asText(row["label"])
	}
	for i := range hits {
		hits[i].Title = titles[hits[i].SessionID]
	}
	return err
}

// neighbours adds the texts before and behind a hit.
func (r *Reader) neighbours(ctx context.Context, h *Hit, n int, now time.Time) error {
	rows, err := r.runScript(ctx, "search_context", searchContextSQL, map[string]string{
		"file": h.SourceFile, "line": strconv.FormatInt(h.SourceLine, 10), "context": strconv.Itoa(n)}, now)
	for _, row := range rows {
		one := Neighbour{asInt(row["source_line"]), asText(row["role"]), asTime(row["timestamp"]), asText(row["text"])}
		if one.SourceLine < h.SourceLine {
			h.Before = append(h.Before, one)
		} else {
			h.Behind = append(h.Behind, one)
		}
	}
	return err
}
