package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The right passage is first for most queries of the judged set, and among the first five for
// nearly all.
func TestSearchJudged(t *testing.T) {
	projects, err := filepath.Abs("../../testdata/judged/projects")
	if err != nil {
		t.Fatal(err)
	}
	builtFrom(t, projects)
	const first, five = 85, 95 // per cent
	firsts, fives := 0, 0
	queries := readJudgedQueries(t)
	for _, q := range queries {
		var out struct {
			Hits []struct {
				Text string `json:"text"`
			} `json:"hits"`
		}
		if err := json.Unmarshal([]byte(succeed(t, "search", "--json", "--subagents", "--limit", "5", "--", q.query)), &out); err != nil {
			t.Fatal(err)
		}
		var texts []string
		for _, h := range out.Hits {
			texts = append(texts, h.Text)
		}
		switch rank := slices.IndexFunc(texts, func(s string) bool { return strings.Contains(s, q.contains) }); {
		case rank == 0:
			firsts++
			fives++
		case rank > 0:
			fives++
			t.Logf("rank %d: %s", rank+1, q.query)
		default:
			t.Logf("not among five: %s", q.query)
		}
	}
	if 100*firsts < first*len(queries) || 100*fives < five*len(queries) {
		t.Errorf("of %d queries %d have their passage first, want %d %%; %d among the first five, want %d %%", len(queries), firsts, first, fives, five)
	}
}
