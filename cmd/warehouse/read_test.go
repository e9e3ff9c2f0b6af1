package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// readDoc is what of read --json the tests look at.
type readDoc struct {
	Title     *string `json:"title"`
	Prompts   int     `json:"prompts"`
	Responses int     `json:"responses"`
	Messages  []struct {
		SourceFile string `json:"source_file"`
		SourceLine int    `json:"source_line"`
		ItemIndex  int    `json:"item_index"`
		Role       string `json:"role"`
		Kind       string `json:"kind"`
		Text       string `json:"text"`
	} `json:"messages"`
	NextLine *int    `json:"next_line"`
	NextFile *string `json:"next_file"`
}

func readJSON(t *testing.T, args ...string) readDoc {
	t.Helper()
	var doc readDoc
	if err := json.Unmarshal([]byte(succeed(t, append([]string{"read", "--json"}, args...)...)), &doc); err != nil {
		t.Fatalf("read %q: %v", args, err)
	}
	return doc
}

// TestReadAgreesWithViews reads every session of whole trees and holds what it says against the
// views, which get at it by another way: from the whole warehouse, with the copies of forks taken
// out. So sessions that share records with others, or files, are compared in part.
func TestReadAgreesWithViews(t *testing.T) {
	for _, tree := range []string{"sample", "transcripts"} {
		t.Run(tree, func(t *testing.T) {
			projects, err := filepath.Abs(filepath.Join("../../testdata", tree, "projects"))
			if err != nil {
				t.Fatal(err)
			}
			builtFrom(t, projects)
			prompts, lengths := map[string]string{}, map[string]string{}
			for _, row := range readCSV(t, "sql", "--format", "csv", "SELECT source_file, source_line, text FROM prompts")[1:] {
				prompts[row[0]+":"+row[1]] = row[2]
			}
			for _, row := range readCSV(t, "sql", "--format", "csv", `SELECT source_file, source_line, item_index, text_length FROM content_items
				WHERE item_type LIKE '%tool_result' AND text_length > 0`)[1:] {
				lengths[strings.Join(row[:3], ":")] = row[3]
			}
			sessions := readCSV(t, "sql", "--format", "csv", `SELECT session_id, coalesce(label, ''), prompts, responses,
					session_id IN (SELECT session_id FROM raw SEMI JOIN replays USING (source_file, source_line))
						OR session_id IN (SELECT session_id FROM raw WHERE session_id <> file_session_id AND file_agent_id IS NULL)
						OR session_id IN (SELECT file_session_id FROM raw WHERE session_id <> file_session_id) AS is_shared
				FROM sessions WHERE trim(session_id) <> '' ORDER BY session_id`)[1:]
			compared := 0
			for _, row := range sessions {
				id := row[0]
				doc := readJSON(t, id, "--limit", "0")
				title := ""
				if doc.Title != nil {
					title = *doc.Title
				}
				if title != row[1] {
					t.Errorf("%s: got title %q, want %q", id, title, row[1])
				}
				if row[4] == "false" {
					compared++
					if got, want := fmt.Sprint(doc.Prompts, doc.Responses), row[2]+" "+row[3]; got != want {
						t.Errorf("%s: got %s prompts and responses, want %s", id, got, want)
					}
					said := map[string][]string{}
					for _, m := range doc.Messages {
						if m.Role == "user" && m.Kind == "text" {
							at := fmt.Sprintf("%s:%d", m.SourceFile, m.SourceLine)
							said[at] = append(said[at], strings.Trim(m.Text, " \n\t\r"))
						}
					}
					for at, texts := range said {
						if got := strings.Join(texts, "\n"); got != prompts[at] {
							t.Errorf("%s: got %q, want the prompt %q", at, got, prompts[at])
						}
					}
				}
				full := readJSON(t, id, "--limit", "0", "--full", "--thinking", "--injected", "--subagents")
				places := placesOf(full)
				for _, m := range full.Messages {
					want, ok := lengths[fmt.Sprintf("%s:%d:%d", m.SourceFile, m.SourceLine, m.ItemIndex)]
					if got := fmt.Sprint(len([]rune(m.Text))); ok && got != want {
						t.Errorf("%s:%d: got a result of %s characters, want %s", m.SourceFile, m.SourceLine, got, want)
					}
				}
				if len(places) < 10 {
					continue // takes its time, and shows little
				}
				if got := pagesOf(t, id, len(places)/3+1); !slices.Equal(got, places) {
					t.Errorf("%s: pages hold %d parts, want these %d in this order", id, len(got), len(places))
				}
			}
			if compared == 0 {
				t.Error("no session was compared")
			}
		})
	}
}

func placesOf(doc readDoc) []string {
	var places []string
	for _, m := range doc.Messages {
		places = append(places, fmt.Sprintf("%s:%d:%d", m.SourceFile, m.SourceLine, m.ItemIndex))
	}
	return places
}

// pagesOf reads a session page after page.
func pagesOf(t *testing.T, id string, limit int) []string {
	t.Helper()
	args := []string{id, "--limit", fmt.Sprint(limit), "--full", "--thinking", "--injected", "--subagents"}
	var places, from []string
	for {
		doc := readJSON(t, append(args, from...)...)
		places = append(places, placesOf(doc)...)
		if doc.NextLine == nil {
			return places
		}
		if from = []string{"--from", fmt.Sprint(*doc.NextLine)}; doc.NextFile != nil {
			from = append(from, "--file", *doc.NextFile)
		}
	}
}

func TestConversationBreaksLines(t *testing.T) {
	for _, c := range []struct {
		width  int
		line   string
		indent int
		want   []string
	}{
		{0, "no terminal, no break, however long it is", 0, []string{"no terminal, no break, however long it is"}},
		{11, "ten wide  !", 0, []string{"ten wide ", "!"}},
		{11, "just ten 10", 0, []string{"just ten", "10"}},
		{11, "exactly 10", 0, []string{"exactly 10"}},
		{11, "abcdefghijklmno", 0, []string{"abcdefghij", "klmno"}},
		{11, "a bcdefghijklmno", 0, []string{"a", "bcdefghijk", "lmno"}},
		{11, "    one two three", 0, []string{"    one", "    two", "    three"}},
		{11, "          deeper than the terminal", 0, []string{"deeper", "than the", "terminal"}},
		{11, "語語語語語語語", 0, []string{"語語語語語", "語語"}},
		{11, "one two three", 4, []string{"one", "two", "three"}},
		{11, "ends with blanks          ", 0, []string{"ends with", "blanks"}},
		{2, "語語", 0, []string{"語語"}}, // a letter that never fits
		{11, "", 0, []string{""}},
	} {
		got := conversationPrinter{width: c.width}.broken(c.line, c.indent)
		for i := range got {
			got[i] = strings.TrimRight(got[i], " ")
		}
		for i := range c.want {
			c.want[i] = strings.TrimRight(c.want[i], " ")
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q on %d: got %q, want %q", c.line, c.width, got, c.want)
		}
	}
	if got := withoutTabs("1\tx\t語\ty"); got != "1       x       語      y" {
		t.Errorf("got %q", got)
	}
}

// TestShellQuote asks the shells of this machine what they read.
func TestShellQuote(t *testing.T) {
	words := []string{"", "plain", "a b", "it's", "$HOME `id` \"x\" \\ !", "~", "-n", "*?[a]", "#", "é 語", "new\nline", "\x1b[31m", "a\\b\x07'c", "\u202e", "\xff", "{a,b}", ";|&<>()"}
	for _, shell := range []string{"bash", "zsh", "sh"} {
		if _, err := exec.LookPath(shell); err != nil {
			continue
		}
		for _, word := range words {
			quoted := shellQuote(word)
			if strings.ContainsFunc(quoted, func(r rune) bool { return cellControl(r) || cellTurns(r) }) {
				t.Errorf("%q is %q, which is not safe to show", word, quoted)
			}
			if shell == "sh" && strings.HasPrefix(quoted, "$'") {
				continue // of bash and zsh
			}
			out, err := exec.Command(shell, "-c", "printf '%s' "+quoted).Output()
			if err != nil || string(out) != word {
				t.Errorf("%s reads %s as %q, want %q (%v)", shell, quoted, out, word, err)
			}
		}
	}
}
