package main

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

// The judged set of testdata/judged: queries, each with the one passage that a person would want
// first. This file holds the set itself against its rules, not the search against the set.
//
// The rules are:
//   - a query is a line of queries.tsv: the words as typed, the record, a fragment of the passage
//   - the record is a user or assistant line with a text that no program wrote
//   - the fragment is in that text once, so that it names one passage of a long message
//   - records have uuids of their own; a resumed session repeats some under its own session id
//   - most queries have distractors: other texts with one of their longer words

// judgedQuery is one row of queries.tsv.
type judgedQuery struct{ query, uuid, contains string }

// judgedRecord is a user or assistant line as far as the set needs it.
type judgedRecord struct {
	Type, UUID, SessionID string
	IsMeta                bool
	IsCompactSummary      bool
	Message               struct{ Content json.RawMessage }

	file  string
	texts []string
}

func readJudgedQueries(t *testing.T) []judgedQuery {
	t.Helper()
	text, err := os.ReadFile("../../testdata/judged/queries.tsv")
	if err != nil {
		t.Fatal(err)
	}
	// Not a CSV reader: a query may have quotes, and they mean nothing here.
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	if lines[0] != "query\tuuid\tcontains" {
		t.Fatalf("header is %q", lines[0])
	}
	var queries []judgedQuery
	for _, line := range lines[1:] {
		cells := strings.Split(line, "\t")
		if len(cells) != 3 || cells[0] == "" || cells[1] == "" || cells[2] == "" {
			t.Fatalf("want query, uuid and fragment, got %q", line)
		}
		queries = append(queries, judgedQuery{cells[0], cells[1], cells[2]})
	}
	return queries
}

// readJudgedRecords returns the user and assistant lines of the set in the order of their files.
func readJudgedRecords(t *testing.T) []judgedRecord {
	t.Helper()
	var records []judgedRecord
	projects := "../../testdata/judged/projects"
	err := filepath.WalkDir(projects, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(file) != ".jsonl" {
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if !utf8.Valid(data) || !bytes.HasSuffix(data, []byte("\n")) {
			t.Errorf("%s is not UTF-8 text that ends with a newline", file)
		}
		for i, line := range bytes.Split(bytes.TrimSuffix(data, []byte("\n")), []byte("\n")) {
			r := judgedRecord{file: file}
			if err := json.Unmarshal(line, &r); err != nil {
				t.Errorf("%s:%d: %v", file, i+1, err)
				continue
			}
			if r.Type != "user" && r.Type != "assistant" {
				continue
			}
			if r.UUID == "" || r.SessionID == "" {
				t.Errorf("%s:%d has no uuid or no session id", file, i+1)
			}
			if r.texts, err = judgedTexts(r.Message.Content); err != nil {
				t.Errorf("%s:%d: %v", file, i+1, err)
			}
			records = append(records, r)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return records
}

// judgedTexts returns a content that is a string, or the texts of its text items.
func judgedTexts(content json.RawMessage) ([]string, error) {
	if bytes.HasPrefix(content, []byte(`"`)) {
		var text string
		err := json.Unmarshal(content, &text)
		return []string{text}, err
	}
	var items []struct{ Type, Text string }
	if err := json.Unmarshal(content, &items); err != nil {
		return nil, err
	}
	var texts []string
	for _, item := range items {
		if item.Type == "text" {
			texts = append(texts, item.Text)
		}
	}
	return texts, nil
}

// TestJudgedQueries holds each query against the records.
func TestJudgedQueries(t *testing.T) {
	queries := readJudgedQueries(t)
	if len(queries) != 40 {
		t.Errorf("%d queries, want 40", len(queries))
	}
	records := readJudgedRecords(t)
	byUUID := map[string]judgedRecord{}
	for _, r := range records {
		byUUID[r.UUID] = r
	}
	injected := regexp.MustCompile(`^(<[a-z-]+>|Base directory for this skill:|\[Request interrupted)`)
	seen := map[string]bool{}
	for _, q := range queries {
		if seen[strings.ToLower(q.query)] {
			t.Errorf("%q is there twice", q.query)
		}
		seen[strings.ToLower(q.query)] = true
		r, ok := byUUID[q.uuid]
		if !ok {
			t.Errorf("%q: no user or assistant record %s", q.query, q.uuid)
			continue
		}
		text := strings.Join(r.texts, "\n")
		if n := strings.Count(text, q.contains); n != 1 {
			t.Errorf("%q: %q is %d times in the text of %s, want once", q.query, q.contains, n, q.uuid)
		}
		if r.IsMeta || r.IsCompactSummary || injected.MatchString(text) {
			t.Errorf("%q: the text of %s was written by the program", q.query, q.uuid)
		}
	}
}

// TestJudgedDistractors counts, for each query, the other records whose text has one of its words
// of four letters or more. Chinese and Japanese queries have no such word and count as none.
func TestJudgedDistractors(t *testing.T) {
	records := readJudgedRecords(t)
	word := regexp.MustCompile(`[\pL\pN_.]{4,}`)
	distracted := 0
	for _, q := range readJudgedQueries(t) {
		others := map[string]bool{}
		for _, w := range word.FindAllString(strings.ToLower(q.query), -1) {
			for _, r := range records {
				if r.UUID != q.uuid && strings.Contains(strings.ToLower(strings.Join(r.texts, "\n")), w) {
					others[r.UUID] = true
				}
			}
		}
		if len(others) >= 3 {
			distracted++
		} else {
			t.Logf("%q has %d distractors", q.query, len(others))
		}
	}
	if distracted < 30 {
		t.Errorf("%d queries have three distractors or more, want 30", distracted)
	}
}

// TestJudgedRecords holds the shape of the set: its size, its long texts, and that a uuid is in two
// files only where a session was resumed.
func TestJudgedRecords(t *testing.T) {
	first := map[string]judgedRecord{}
	sessions := map[string]bool{}
	var texts, long, summaries, subagent, copies int
	for _, r := range readJudgedRecords(t) {
		if f, ok := first[r.UUID]; ok {
			copies++
			if f.SessionID == r.SessionID || !bytes.Equal(f.Message.Content, r.Message.Content) {
				t.Errorf("%s is in %s and %s and is no resumed copy", r.UUID, f.file, r.file)
			}
			continue
		}
		first[r.UUID] = r
		sessions[r.SessionID] = true
		if r.IsCompactSummary {
			summaries++
		}
		if strings.Contains(r.file, "/subagents/agent-") {
			subagent++
		}
		for _, text := range r.texts {
			texts++
			if len(text) > 3000 {
				long++
			}
		}
	}
	if len(sessions) < 12 || texts < 250 || texts > 350 {
		t.Errorf("%d sessions with %d texts, want 12 or more with 250 to 350", len(sessions), texts)
	}
	if long < 5 || summaries != 1 || subagent == 0 || copies == 0 {
		t.Errorf("%d texts over 3,000 bytes, %d summaries, %d sub-agent lines, %d copies", long, summaries, subagent, copies)
	}
}
