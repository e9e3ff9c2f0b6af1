package claude

import (
	"reflect"
	"testing"
)

func TestRoots(t *testing.T) {
	for _, tt := range []struct {
		name string
		env  map[string]string
		home string
		want []string
	}{
		{"home", nil, "/h", []string{"/h/.claude/projects", "/h/.config/claude/projects"}},
		{"no home", nil, "", nil},
		{"projects", map[string]string{"CLAUDE_PROJECTS_DIR": "/p"}, "/h", []string{"/p"}},
		{"projects before config", map[string]string{"CLAUDE_PROJECTS_DIR": "/p", "CLAUDE_CONFIG_DIR": "/c"}, "/h", []string{"/p"}},
		{"config", map[string]string{"CLAUDE_CONFIG_DIR": "/c"}, "/h", []string{"/c/projects"}},
		{"lists, with blanks and duplicates", map[string]string{"CLAUDE_CONFIG_DIR": " /c/ ,, /d,/c"}, "/h", []string{"/c/projects", "/d/projects"}},
		{"empty list", map[string]string{"CLAUDE_PROJECTS_DIR": " , ", "CLAUDE_CONFIG_DIR": ""}, "/h", []string{"/h/.claude/projects", "/h/.config/claude/projects"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := Roots(func(name string) string { return tt.env[name] }, tt.home)
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestIsTranscript(t *testing.T) {
	for name, want := range map[string]bool{
		"1b7e0c52.jsonl": true, "agent-a1.jsonl": true, "journal.jsonl": false, "journal-2.jsonl": true,
		"x.JSONL": false, "x.jsonl.bak": false, "x.json": false, "jsonl": false, "x.jsonl~": false,
	} {
		if got := IsTranscript(name); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	for name, want := range map[string]bool{"tool-results": true, "memory": true, "subagents": false, "tool-results-2": false, "memory.jsonl": false} {
		if got := SkipDir(name); got != want {
			t.Errorf("folder %s: got %v, want %v", name, got, want)
		}
	}
}

func TestIdentity(t *testing.T) {
	for _, tt := range []struct{ path, session, agent string }{
		{"/p/-home-dev-app/1b7e0c52.jsonl", "1b7e0c52", ""},
		{"/p/-home-dev-app/agent-5e1f0a9c.jsonl", "", "5e1f0a9c"},
		{"/p/-home-dev-app/1b7e0c52/subagents/agent-a3c5.jsonl", "1b7e0c52", "a3c5"},
		{"/p/-home-dev-app/1b7e0c52/subagents/agent-acompact-3c9d.jsonl", "1b7e0c52", "acompact-3c9d"},
		{"/p/-home-dev-app/1b7e0c52/subagents/workflows/wf_1/agent-a88e.jsonl", "1b7e0c52", "a88e"},
		{"/p/-home-dev-subagents/1b7e0c52.jsonl", "1b7e0c52", ""},
		{"/subagents/1b7e0c52.jsonl", "1b7e0c52", ""},
		{"1b7e0c52.jsonl", "1b7e0c52", ""},
	} {
		session, agent := Identity(tt.path)
		if session != tt.session || agent != tt.agent {
			t.Errorf("%s: got %q, %q; want %q, %q", tt.path, session, agent, tt.session, tt.agent)
		}
	}
}
