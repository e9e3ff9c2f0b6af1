package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
)

// TestFilters counts rows of the sample, whose failures fell on four days, and tries the macros
// behind the parameters, which people may use in SQL of their own.
func TestFilters(t *testing.T) {
	projects, err := filepath.Abs("../../testdata/sample/projects")
	if err != nil {
		t.Fatal(err)
	}
	db := builtFrom(t, projects)
	testParameters(t)
	testMacros(t, db)
}

func testParameters(t *testing.T) {
	for _, tt := range []struct {
		args string
		want int
	}{
		{"tool-errors", 8},
		{"tool-errors --limit 3", 3},
		{"tool-errors --since 2026-10-08", 5},
		{"tool-errors --until 2026-10-08", 6},
		{"tool-errors --since 2026-10-08 --until 2026-10-08", 3},
		{"tool-errors --since 2026-10-05T08:13:36Z --until 2026-10-05T08:13:41Z", 2},
		{"tool-errors --project tidepool", 2},
		{"tool-errors --project /home/dev", 8},
		{"tool-errors --project /home/de", 0},
		{"tool-errors --host local --agent claude-code", 8},
		{"tool-errors --host elsewhere", 0},
		{"tool-errors --session 1b7e", 3},
		{"tool-errors --session %", 0},
		{"tool-errors --by tool", 3},
		{"sessions", 4},
		{"sessions --until 2026-10-12", 3},
		{"sessions --since 2026-10-13", 2},
		// Nothing was written on the 12th after 10:00, but the session went on.
		{"sessions --since 2026-10-12T20:00:00Z --until 2026-10-12T21:00:00Z", 1},
		{"keys --kind summary", 3},
		// A summary has no time.
		{"keys --kind summary --since 2026-01-01", 0},
		{"fields --path /message/usage/cache_creation", 2},
		{"fields --path nothing.there", 0},
		{"broken-lines --status torn", 0},
	} {
		args := append([]string{"query", "--format", "jsonl", "--tz", "UTC"}, strings.Fields(tt.args)...)
		if got := strings.Count(succeed(t, args...), "\n"); got != tt.want {
			t.Errorf("%s: got %d rows, want %d", tt.args, got, tt.want)
		}
	}
	var out, errs bytes.Buffer
	code := run(context.Background(), []string{"query", "tool-errors", "--by", "day"}, strings.NewReader(""), &out, &errs)
	if code != exitFailed || !strings.Contains(errs.String(), "by is tool, not day") {
		t.Errorf("--by day: got exit code %d, %s", code, errs.String())
	}
}

func testMacros(t *testing.T, db string) {
	r := reader(t, db)
	defer r.Close()
	var calls, wants []string
	for _, tt := range []struct{ call, want string }{
		{"date_filter('2026-10-05 12:00+00', NULL, NULL)", "true"},
		{"date_filter(NULL::TIMESTAMPTZ, NULL, NULL)", "true"},
		{"date_filter(NULL::TIMESTAMPTZ, '1970-01-01', '9999-12-30')", "true"},
		{"coalesce(date_filter(NULL::TIMESTAMPTZ, '2026-10-05', NULL), false)", "false"},
		{"coalesce(date_filter(NULL::TIMESTAMPTZ, NULL, '2026-10-05'), false)", "false"},
		{"date_filter('2026-10-05 00:00:00+00'::TIMESTAMPTZ, '2026-10-05', NULL)", "true"},
		{"date_filter('2026-10-05 23:59:59.999999+00'::TIMESTAMPTZ, NULL, '2026-10-05')", "true"},
		{"date_filter('2026-10-05 23:59:59.999999+00'::TIMESTAMPTZ, NULL, DATE '2026-10-05')", "true"},
		{"date_filter('2026-10-06 00:00:00+00'::TIMESTAMPTZ, NULL, '2026-10-05')", "false"},
		{"date_filter('2026-10-05 00:00:01+00'::TIMESTAMPTZ, NULL, '2026-10-05 00:00:00')", "false"},
		{`project_filter('/home/dev/app', NULL)`, "true"},
		{`project_filter(NULL, NULL)`, "true"},
		{`coalesce(project_filter(NULL, 'app'), false)`, "false"},
		{`project_filter('/home/dev/app', '/home/dev/app/')`, "true"},
		{`project_filter('/home/dev/app/sub', '/home/dev/app')`, "true"},
		{`project_filter('/home/dev/app2', '/home/dev/app')`, "false"},
		{`project_filter('/home/dev/app', 'app')`, "true"},
		{`project_filter('/home/dev/app', 'dev/app')`, "true"},
		{`project_filter('/home/dev/my-app', 'app')`, "false"},
		{`project_filter('/home/dev/app', 'a*')`, "true"},
		{`project_filter('/home/dev/app', 'd*')`, "false"},
		{`project_filter('/home/dev/app', '/home/*/app')`, "true"},
		{`project_filter('C:\Users\dev\app', 'app')`, "true"},
		{`project_filter('C:\Users\dev\app', 'C:/Users/dev')`, "true"},
		{`project_filter('C:\Users\dev\app', 'dev\app')`, "true"},
		{`host_filter('local', NULL) AND host_filter('local', 'local') AND NOT host_filter('local', 'loc')`, "true"},
		{`session_filter('0a03dded', '0a') AND NOT session_filter('0a03dded', '0_')`, "true"},
		{`project_id('local', '/home/dev/app')`, "local:/home/dev/app"},
		{`subagent_id('/p/s/subagents/agent-a3c5.jsonl')`, "agent-a3c5"},
		{`subagent_id('/p/s/subagents/workflows/wf_1/agent-a88e.jsonl')`, "agent-a88e"},
		{`subagent_id('C:\p\s\subagents\agent-a3c5.jsonl')`, "agent-a3c5"},
		{`subagent_id('/p/s.jsonl') IS NULL`, "true"},
		{`list_transform(['claude-opus-4-6', 'opus', 'us.anthropic.claude-sonnet-4-6[1m]', 'Claude-HAIKU-4-5', 'mythos', 'claude-fable-5', 'gpt'], m -> model_family(m))`,
			`[opus, opus, sonnet, haiku, fable, fable, other]`},
		{`model_family(NULL) IS NULL`, "true"},
		{`version_parts('2.1.99') < version_parts('2.1.237')`, "true"},
		{`version_parts('2.1') IS NULL AND version_parts('') IS NULL AND version_parts(NULL) IS NULL`, "true"},
		{`array_to_string(bash_parts('npm test && git status --short || exit 1; ls | wc -l & wait'), ' ¦ ')`,
			"npm test ¦ git status --short ¦ exit 1 ¦ ls ¦ wc -l ¦ wait"},
		{`array_to_string(bash_parts('echo "a; b" ''c | d'' e\;f; g'), ' ¦ ')`, `echo "a; b" 'c | d' e\;f ¦ g`},
		{`array_to_string(bash_parts('make 2>&1 >/dev/null | tee -a log &> out'), ' ¦ ')`, "make ¦ tee -a log &> out"},
		{`array_to_string(bash_parts('(cd web && { npm run build; })'), ' ¦ ')`, "cd web ¦ npm run build"},
		{`array_to_string(bash_parts('timeout -k 5 30 nice -n 5 nohup make -j2; timeout --foreground 9s ls'), ' ¦ ')`, "make -j2 ¦ ls"},
		{`array_to_string(bash_parts(E'# first\nls -la \\\n  more\n\nwc'), ' ¦ ')`, "ls -la \\\n  more ¦ wc"},
		{`array_to_string(bash_parts(E'cat <<''EOF'' > f\na; b\nEOF\nrm f'), ' ¦ ')`, "cat <<'EOF' > f"},
		{`array_to_string(bash_parts('cat <<< "a; b" && c'), ' ¦ ')`, `cat <<< "a; b" ¦ c`},
		{`array_to_string(bash_parts('it''s; odd'), ' ¦ ')`, "it's ¦ odd"},
		{`bash_parts('') = [] AND bash_parts('  ') = [] AND bash_parts(NULL) IS NULL`, "true"},
	} {
		calls, wants = append(calls, "("+tt.call+")::VARCHAR"), append(wants, tt.want)
	}
	for i, got := range firstColumn(t, r, "SELECT unnest(["+strings.Join(calls, ", ")+"])") {
		if got != wants[i] {
			t.Errorf("%s: got %s, want %s", calls[i], got, wants[i])
		}
	}
}
