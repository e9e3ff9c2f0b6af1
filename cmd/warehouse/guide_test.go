package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"warehouse/queries"
)

// guideReports are the reports that the guide names, by the question they answer.
var guideReports = [][2]string{
	{"Which tools fail, and how?", "tool-errors"},
	{"How often, of all calls?", "tool-failure-rates"},
	{"What was refused?", "permissions"},
	{"What do hooks cost and stop?", "hooks"},
	{"What did it cost, by day?", "usage-daily"},
	{"By model?", "usage-by-model"},
	{"Which lines make up a total?", "usage-explain"},
	{"Which sessions were the biggest?", "top-sessions"},
	{"What sessions were there?", "sessions"},
	{"What became of them?", "outcomes"},
	{"Which files are worked on?", "files"},
}

// TestGuide holds the guide against the program: its reports exist, its commands run on the sample,
// and its SQL finds something there.
func TestGuide(t *testing.T) {
	const file = "SKILL.md"
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	after := replaceBlock(t, string(before), "-update -->\n", "<!-- end -->", func(string) string { return guideTable(t) })
	if after != string(before) {
		if !*update {
			t.Fatal("SKILL.md is stale: go test ./cmd/warehouse -run TestGuide -update")
		}
		if err := os.WriteFile(file, []byte(after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(after, "\n"); n >= 150 {
		t.Errorf("the guide has %d lines, want fewer than 150", n)
	}
	sample, err := filepath.Abs("../../testdata/sample/projects")
	if err != nil {
		t.Fatal(err)
	}
	builtFrom(t, sample)
	shell := programFolder(t)
	blocks := regexp.MustCompile("(?s)```(sh|sql)\n(.*?)```").FindAllStringSubmatch(after, -1)
	if len(blocks) < 6 {
		t.Fatalf("got %d blocks of code", len(blocks))
	}
	for _, block := range blocks {
		if block[1] == "sql" {
			if out := succeed(t, "sql", "--format", "jsonl", block[2]); out == "" {
				t.Errorf("no rows from\n%s", block[2])
			}
			continue
		}
		for _, line := range strings.Split(strings.TrimSpace(block[2]), "\n") {
			cmd := exec.Command("sh", "-c", line)
			cmd.Env = append(os.Environ(), "PATH="+shell+":"+os.Getenv("PATH"))
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%s: %v\n%s", line, err, out)
			}
		}
	}
	for _, name := range regexp.MustCompile("`(usage-[a-z]+|[a-z]+-[a-z]+)`").FindAllStringSubmatch(after, -1) {
		if _, ok := queries.Lookup(name[1]); !ok {
			t.Errorf("the guide names a report %s, which is not there", name[1])
		}
	}
}

func guideTable(t *testing.T) string {
	var b strings.Builder
	for _, r := range guideReports {
		q, ok := queries.Lookup(r[1])
		if !ok {
			t.Fatalf("no report %s", r[1])
		}
		fmt.Fprintf(&b, "| %s | `%s`: %s |\n", r[0], q.Name, strings.ToLower(q.Title[:1])+strings.TrimSuffix(q.Title[1:], "."))
	}
	return b.String()
}
