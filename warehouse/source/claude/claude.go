// Package claude knows where Claude Code keeps its transcripts and what a path says of them.
//
// The rules are:
//
//   - Identity comes from the path alone; nothing is read.
//   - A transcript is a *.jsonl file under a projects folder, at any depth, except
//     under tool-results/ and memory/ and except the journal of a workflow.
//   - Sub-agents are not sessions: agent-<id>.jsonl is a thread of the session whose
//     folder it lies in (2.1.2 and later), or beside (to 2.1.1, where only its lines
//     name the session).
//
// Layouts seen in 1.0.24 to 2.1.237:
//
//	<slug>/<session>.jsonl
//	<slug>/agent-<hex>.jsonl
//	<slug>/<session>/subagents/agent-<hex>.jsonl
//	<slug>/<session>/subagents/workflows/wf_<id>/agent-<hex>.jsonl
package claude

import (
	"path/filepath"
	"strings"
)

// Agent is the name of the program in the agent column.
const Agent = "claude-code"

// Roots returns the folders to read on this machine, in order, without duplicates; they need
// not exist. getenv looks up the environment: CLAUDE_PROJECTS_DIR names the folders themselves,
// CLAUDE_CONFIG_DIR the folders that hold projects/ (both may be comma lists), else the two
// places below home are taken.
func Roots(getenv func(string) string, home string) []string {
	var roots []string
	add := func(dir string) {
		dir = filepath.Clean(dir)
		for _, r := range roots {
			if r == dir {
				return
			}
		}
		roots = append(roots, dir)
	}
	if list := split(getenv("CLAUDE_PROJECTS_DIR")); len(list) > 0 {
		for _, dir := range list {
			add(dir)
		}
		return roots
	}
	if list := split(getenv("CLAUDE_CONFIG_DIR")); len(list) > 0 {
		for _, dir := range list {
			add(filepath.Join(dir, "projects"))
		}
		return roots
	}
	if home != "" {
		add(filepath.Join(home, ".claude", "projects"))
		add(filepath.Join(home, ".config", "claude", "projects"))
	}
	return roots
}

func split(list string) []string {
	var out []string
	for _, s := range strings.Split(list, ",") {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}

// SkipDir reports whether a folder of this name holds no transcripts.
func SkipDir(name string) bool {
	return name == "tool-results" || name == "memory"
}

// IsTranscript reports whether a file of this name, outside the folders of SkipDir, is one.
// The match of the ending is exact: the agent writes lower case, and a copy with another
// ending was named so to be left alone.
func IsTranscript(name string) bool {
	return strings.HasSuffix(name, ".jsonl") && name != "journal.jsonl"
}

// IsCompanion reports whether a file of this name says what the transcript beside it is: a
// sub-agent's type and call. Nothing of it is read yet, but a transcript without it is not whole.
func IsCompanion(name string) bool {
	return strings.HasSuffix(name, ".meta.json")
}

// Identity returns the session and the sub-agent that a transcript's path names; either may be empty.
func Identity(path string) (sessionID, agentID string) {
	dir, name := filepath.Split(filepath.ToSlash(path))
	name = strings.TrimSuffix(name, ".jsonl")
	parts := strings.Split(strings.Trim(dir, "/"), "/")
	for i := len(parts) - 1; i > 0; i-- {
		if parts[i] == "subagents" {
			return parts[i-1], strings.TrimPrefix(name, "agent-")
		}
	}
	if id, ok := strings.CutPrefix(name, "agent-"); ok {
		return "", id
	}
	return name, ""
}
