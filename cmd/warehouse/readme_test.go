package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"warehouse/queries"
)

const readme = "../../README.md"

// TestReadme runs the commands of README's transcript on the sample and compares what they print,
// and holds the list of reports against the files. With -update it writes both.
func TestReadme(t *testing.T) {
	before, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	after := replaceBlock(t, string(before), "```console\n", "```\n", func(block string) string { return transcript(t, block) })
	after = replaceBlock(t, after, "-update -->\n", "<!-- end -->", func(string) string { return reportTable(t) })
	if after == string(before) {
		return
	}
	if *update {
		if err := os.WriteFile(readme, []byte(after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("README.md is stale; look at the diff after: go test ./cmd/warehouse -run TestReadme -update\ngot:\n%s", after)
}

func replaceBlock(t *testing.T, text, open, end string, make func(string) string) string {
	t.Helper()
	head, rest, ok := strings.Cut(text, open)
	block, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("README.md has no block %q", open)
	}
	return head + open + make(block) + end + tail
}

var seconds = regexp.MustCompile(`in [0-9]+\.[0-9]+ s`)

var since = regexp.MustCompile(`warehouse of [0-9 :-]+, [0-9]+ seconds? ago`)

// programFolder returns a new folder with the program in it, for PATH.
func programFolder(t *testing.T) string {
	dir := t.TempDir()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// TestMain runs the program when it is called by its name.
	if err := os.Symlink(exe, filepath.Join(dir, "warehouse")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// transcript runs the lines that begin with "$ " through a shell that knows the program.
func transcript(t *testing.T, block string) string {
	dir := programFolder(t)
	sample, err := filepath.Abs("../../testdata/sample/projects")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, line := range strings.Split(block, "\n") {
		command, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			continue
		}
		cmd := exec.CommandContext(context.Background(), "sh", "-c", command)
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "HOME="+dir, "WAREHOUSE_HOME="+filepath.Join(dir, "w"),
			"CLAUDE_PROJECTS_DIR="+sample, "TZ=UTC", "NO_COLOR=1")
		var both bytes.Buffer
		cmd.Stdout, cmd.Stderr = &both, &both
		if err := cmd.Run(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, both.String())
		}
		text := strings.NewReplacer(dir+"/w", "/home/dev/.local/share/warehouse", sample, "/home/dev/.claude/projects").Replace(both.String())
		fmt.Fprintf(&out, "%s\n%s", line, since.ReplaceAllString(seconds.ReplaceAllString(text, "in 0.21 s"), "warehouse of 2026-10-20 18:00:00, 3 minutes ago"))
	}
	return out.String()
}

func reportTable(t *testing.T) string {
	all, err := queries.All()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("| report | shows |\n|---|---|\n")
	for _, q := range all {
		title := strings.TrimSuffix(q.Title, ".")
		if reads := q.ReadsText(); reads != "" {
			title += " (" + reads + ")"
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", q.Name, title)
	}
	return b.String()
}

// TestEveryCommandHasAnExample walks the commands as help does.
func TestEveryCommandHasAnExample(t *testing.T) {
	root := newRootCmd(&app{}, nil)
	for _, cmd := range append(root.Commands(), root) {
		if !strings.Contains(cmd.Example, "warehouse") && cmd.Name() != "completion" && cmd.Name() != "help" {
			t.Errorf("%s: no example", cmd.Name())
		}
		if cmd.Short == "" || (cmd.Long == "" && cmd.Name() != "help") {
			t.Errorf("%s: no text", cmd.Name())
		}
	}
}
