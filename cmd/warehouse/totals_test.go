package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/big"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Tests that hold usage and cost as the program reports them against reckon.
//
// A longer run: go test ./cmd/warehouse -run TestTotals -mb 300 -timeout 30m

var generatedMB = flag.Int("mb", 8, "size of each generated tree, MB")

// generated makes a synthetic tree with the generator beside the repository.
func generated(t *testing.T, mb, seed int) (projects string) {
	t.Helper()
	const generator = "../../../shared/tools/gen_corpus.py"
	if _, err := os.Stat(generator); err != nil {
		t.Skip("no generator: ../shared/tools/gen_corpus.py is not beside the repository")
	}
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3, which the generator needs")
	}
	dir := t.TempDir()
	if out, err := exec.Command(python, generator, "--out", dir, "--mb", fmt.Sprint(mb), "--seed", fmt.Sprint(seed)).CombinedOutput(); err != nil {
		t.Fatalf("generator: %v: %s", err, out)
	}
	return filepath.Join(dir, "projects")
}

const usageRows = `SELECT response_key, usage_kind, session_id, coalesce(agent_id, '') AS agent_id, coalesce(project_path, '') AS project_path,
	coalesce(model, '') AS model, coalesce(strftime(timestamp AT TIME ZONE 'UTC', '%Y-%m-%d %H:%M:%S.%f'), '') AS at,
	coalesce(input_tokens, 0) AS input, coalesce(output_tokens, 0) AS output, cache_read_tokens, cache_write_5m_tokens, cache_write_1h_tokens,
	web_search_requests, coalesce(cost_usd::VARCHAR, 'unknown') AS cost, is_cost_recorded, is_output_partial
	FROM message_usage ORDER BY ALL`

// twiceKeyed is a response of testdata/transcripts with the key output_tokens twice: the program
// takes the first, 40, as DuckDB does, and Go the last, 4000.
const twiceKeyed = "msg_01kk56F5eMqBXjVPRLV4SXgN"

// compareUsage holds message_usage of the warehouse at hand against reckon, row by row.
func compareUsage(t *testing.T, want []reckoned) {
	t.Helper()
	rows := readCSV(t, "sql", "--format", "csv", usageRows)[1:]
	got := map[string]int{}
	for _, row := range rows {
		got[strings.Join(row, "|")]++
	}
	for _, r := range want {
		if r.key == twiceKeyed {
			r.output = 40
			r.cost = new(big.Rat).Sub(r.cost, big.NewRat(3960*15, 1e6))
		}
		at, cost := "", "unknown"
		if !r.at.IsZero() {
			at = r.at.Format("2006-01-02 15:04:05.000000")
		}
		if r.cost != nil {
			cost = r.cost.FloatString(12)
		}
		got[strings.Join([]string{r.key, r.kind, r.session, r.agent, r.project, r.model, at, fmt.Sprint(r.input), fmt.Sprint(r.output),
			fmt.Sprint(r.read), fmt.Sprint(r.write5m), fmt.Sprint(r.write1h), fmt.Sprint(r.searches), cost,
			fmt.Sprint(r.isRecorded), fmt.Sprint(r.isLowBound)}, "|")]--
	}
	bad := 0
	for _, key := range slices.Sorted(maps.Keys(got)) {
		n := got[key]
		if n == 0 {
			continue
		}
		if bad++; bad > 10 {
			continue
		}
		if n > 0 {
			t.Errorf("only in message_usage: %s", key)
		} else {
			t.Errorf("only reckoned: %s", key)
		}
	}
	if len(rows) == 0 || bad > 0 || len(rows) != len(want) {
		t.Errorf("got %d rows, want %d; %d differences", len(rows), len(want), bad)
	}
}

func readCSV(t *testing.T, args ...string) [][]string {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(succeed(t, args...))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestTotals(t *testing.T) {
	prices := readPrices(t)
	testdata, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	trees, _ := filepath.Glob(filepath.Join(testdata, "accounting/*/projects"))
	if len(trees) < 14 {
		t.Fatalf("%d accounting cases, want 14", len(trees))
	}
	trees = append(trees, filepath.Join(testdata, "sample/projects"), filepath.Join(testdata, "transcripts/projects"))
	for _, projects := range trees {
		name, _ := filepath.Rel(testdata, filepath.Dir(projects))
		t.Run(name, func(t *testing.T) {
			builtFrom(t, projects)
			compareUsage(t, reckon(t, projects, prices))
		})
	}
	t.Run("corpus", func(t *testing.T) {
		projects := corpus(t)
		builtFrom(t, projects)
		compareUsage(t, reckon(t, projects, prices))
	})
	for seed := 1; seed <= 3; seed++ {
		t.Run(fmt.Sprintf("generated %d MB seed %d", *generatedMB, seed), func(t *testing.T) {
			projects := generated(t, *generatedMB, seed)
			builtFrom(t, projects)
			want := reckon(t, projects, prices)
			compareUsage(t, want)
			t.Logf("the same in %d rows: %v", len(want), sumOf(want))
		})
	}
}

// sums are what every report adds up to.
type sums struct {
	responses, input, output, write, read, total, unpriced int64
	cost                                                   *big.Rat
}

func (s sums) String() string {
	return fmt.Sprintf("%d responses, input %d, output %d, written %d, read %d, total %d, unpriced %d, cost %s",
		s.responses, s.input, s.output, s.write, s.read, s.total, s.unpriced, s.cost.FloatString(12))
}

func sumOf(rows []reckoned) sums {
	s := sums{cost: new(big.Rat)}
	for _, r := range rows {
		if r.kind == "attempt" {
			continue
		}
		if r.kind == "response" {
			s.responses++
		}
		s.input, s.output, s.write, s.read, s.total = s.input+r.input, s.output+r.output, s.write+r.write5m+r.write1h, s.read+r.read, s.total+r.total()
		if r.cost == nil {
			s.unpriced += r.total()
			continue
		}
		rounded, _ := new(big.Rat).SetString(r.cost.FloatString(12))
		s.cost.Add(s.cost, rounded)
	}
	return s
}

// reported adds up the rows of a report.
func reportedSums(t *testing.T, report string, args ...string) (sums, [][]string) {
	t.Helper()
	rows := readCSV(t, append([]string{"query", report, "--format", "csv"}, args...)...)
	s := sums{cost: new(big.Rat)}
	into := map[string]*int64{
		"responses": &s.responses, "input_tokens": &s.input, "output_tokens": &s.output, "cache_write_tokens": &s.write,
		"cache_read_tokens": &s.read, "total_tokens": &s.total, "unpriced_tokens": &s.unpriced,
	}
	seen := 0
	for i, name := range rows[0] {
		for _, row := range rows[1:] {
			if n, ok := into[name]; ok {
				var v int64
				if _, err := fmt.Sscan(row[i], &v); err != nil {
					t.Fatalf("%s: %s is %q", report, name, row[i])
				}
				*n += v
			}
			if name == "cost_usd" && row[i] != "unpriced" {
				v, ok := new(big.Rat).SetString(row[i])
				if !ok {
					t.Fatalf("%s: %s is %q", report, name, row[i])
				}
				s.cost.Add(s.cost, v)
			}
		}
		if into[name] != nil || name == "cost_usd" {
			seen++
		}
	}
	if seen != 8 {
		t.Fatalf("%s has the columns %q", report, rows[0])
	}
	return s, rows
}

var breakdowns = []string{"usage-daily", "usage-weekly", "usage-monthly", "usage-by-model", "usage-by-project", "usage-by-session", "usage-by-agent", "usage-blocks"}

// Whatever is asked for, the rows of each breakdown add up to the total, and the zone moves rows
// between days without changing a sum.
func TestBreakdownsAddUp(t *testing.T) {
	prices := readPrices(t)
	zones := []string{"UTC", "America/New_York", "Asia/Kathmandu"}
	trees := map[string]func(*testing.T) string{
		"generated": func(t *testing.T) string { return generated(t, 6, 7) },
		"sample": func(t *testing.T) string {
			projects, _ := filepath.Abs("../../testdata/sample/projects")
			return projects
		},
		"accounting": func(t *testing.T) string {
			projects, _ := filepath.Abs("../../testdata/accounting")
			return projects
		},
	}
	for name, tree := range trees {
		t.Run(name, func(t *testing.T) {
			projects := tree(t)
			builtFrom(t, projects)
			all := reckon(t, projects, prices)
			for _, zone := range zones {
				for _, report := range breakdowns {
					if got, _ := reportedSums(t, report, "--tz", zone); got.String() != sumOf(all).String() {
						t.Errorf("%s in %s: got %v, want %v", report, zone, got, sumOf(all))
					}
				}
			}
			rng := rand.New(rand.NewPCG(3, 4))
			for range 6 {
				zone := zones[rng.IntN(len(zones))]
				args, keep := randomFilter(t, rng, zone, all)
				var some []reckoned
				for _, r := range all {
					if keep(r) {
						some = append(some, r)
					}
				}
				for _, report := range breakdowns {
					if got, _ := reportedSums(t, report, args...); got.String() != sumOf(some).String() {
						t.Errorf("%s %q: got %v, want %v", report, args, got, sumOf(some))
					}
				}
				explained := readCSV(t, append([]string{"query", "usage-explain", "--format", "csv"}, args...)...)
				var output int64
				for _, row := range explained[1:] {
					var n int64
					fmt.Sscan(row[4], &n)
					output += n
				}
				if output != sumOf(some).output {
					t.Errorf("usage-explain %q: got output %d, want %d", args, output, sumOf(some).output)
				}
			}
		})
	}
}

// randomFilter returns flags and what they let pass.
func randomFilter(t *testing.T, rng *rand.Rand, zone string, all []reckoned) ([]string, func(reckoned) bool) {
	t.Helper()
	loc, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"--tz", zone}
	keep := []func(reckoned) bool{}
	some := func() reckoned {
		for {
			if r := all[rng.IntN(len(all))]; !r.at.IsZero() {
				return r
			}
		}
	}
	if rng.IntN(2) == 0 {
		day := some().at.In(loc)
		from := time.Date(day.Year(), day.Month(), day.Day(), 0, 0, 0, 0, loc)
		args = append(args, "--since", from.Format(time.DateOnly))
		keep = append(keep, func(r reckoned) bool { return !r.at.IsZero() && !r.at.Before(from) })
	}
	if rng.IntN(2) == 0 {
		day := some().at.In(loc)
		end := time.Date(day.Year(), day.Month(), day.Day()+1, 0, 0, 0, 0, loc)
		args = append(args, "--until", day.Format(time.DateOnly))
		keep = append(keep, func(r reckoned) bool { return !r.at.IsZero() && r.at.Before(end) })
	} else if rng.IntN(2) == 0 {
		until := some().at
		args = append(args, "--until", until.Format("2006-01-02T15:04:05.000000Z"))
		keep = append(keep, func(r reckoned) bool { return !r.at.IsZero() && !r.at.After(until) })
	}
	if project := some().project; rng.IntN(3) == 0 && project != "" {
		args = append(args, "--project", project)
		keep = append(keep, func(r reckoned) bool { return r.project == project || strings.HasPrefix(r.project, project+"/") })
	}
	if rng.IntN(3) == 0 {
		begin := some().session[:4]
		args = append(args, "--session", begin)
		keep = append(keep, func(r reckoned) bool { return strings.HasPrefix(r.session, begin) })
	}
	return args, func(r reckoned) bool {
		return !slices.ContainsFunc(keep, func(f func(reckoned) bool) bool { return !f(r) })
	}
}

// Days are those of the zone, also where the clocks change: no hour is merged or lost.
func TestDaysAcrossClockChanges(t *testing.T) {
	for _, tt := range []struct {
		zone string
		day  string
		want int // responses of the day, one every 20 minutes
	}{
		{"Europe/Berlin", "2026-03-29", 23 * 3}, {"Europe/Berlin", "2026-10-25", 25 * 3},
		{"America/New_York", "2026-03-08", 23 * 3}, {"America/New_York", "2026-11-01", 25 * 3},
		{"Australia/Lord_Howe", "2026-04-05", 24*3 + 2}, // half an hour back
		{"UTC", "2026-03-29", 24 * 3},
	} {
		t.Run(tt.zone+" "+tt.day, func(t *testing.T) {
			loc, err := time.LoadLocation(tt.zone)
			if err != nil {
				t.Fatal(err)
			}
			middle, err := time.ParseInLocation(time.DateOnly, tt.day, loc)
			if err != nil {
				t.Fatal(err)
			}
			var text bytes.Buffer
			perDay := map[string]int{}
			n := 0
			for at := middle.AddDate(0, 0, -1); at.Before(middle.AddDate(0, 0, 2)); at = at.Add(20 * time.Minute) {
				n++
				fmt.Fprintf(&text, `{"type":"assistant","uuid":"u%d","sessionId":"s","timestamp":"%s","message":{"id":"msg_%d","model":"claude-opus-4-6","usage":{"input_tokens":1,"output_tokens":1}}}`+"\n",
					n, at.UTC().Format(time.RFC3339), n)
				perDay[at.In(loc).Format(time.DateOnly)]++
			}
			if perDay[tt.day] != tt.want {
				t.Fatalf("the test has %d responses on the day, want %d", perDay[tt.day], tt.want)
			}
			builtFrom(t, treeOf(t, map[string]string{"-a/s.jsonl": text.String()}))
			total, rows := reportedSums(t, "usage-daily", "--tz", tt.zone)
			got := map[string]int{}
			for _, row := range rows[1:] {
				var responses int
				fmt.Sscan(row[2], &responses)
				got[row[0]] = responses
			}
			if !maps.Equal(got, perDay) || total.responses != int64(n) {
				t.Errorf("got %v, want %v", got, perDay)
			}
			one, _ := reportedSums(t, "usage-daily", "--tz", tt.zone, "--since", tt.day, "--until", tt.day)
			if one.responses != int64(tt.want) {
				t.Errorf("from %s to %[1]s: got %d responses, want %d", tt.day, one.responses, tt.want)
			}
		})
	}
}

// treeOf writes transcripts.
func treeOf(t *testing.T, files map[string]string) (projects string) {
	t.Helper()
	projects = t.TempDir()
	for name, text := range files {
		path := filepath.Join(projects, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return projects
}

// What later lines, copies and deletions change of a response that is known already: after each
// step the warehouse says what a reckoning of the files does, and what a new warehouse says.
func TestUsageFollowsItsLines(t *testing.T) {
	line := func(session, id, request, model string, output int, at string, more string) string {
		return fmt.Sprintf(`{"type":"assistant","uuid":"%s-%s-%d","sessionId":"%s","cwd":"/home/dev/app","timestamp":"2026-10-01T%sZ","requestId":"%s"%s,"message":{"id":"%s","model":"%s","usage":{"input_tokens":100,"output_tokens":%d,"cache_read_input_tokens":50}}}`+"\n",
			session, id, output, session, at, request, more, id, model, output)
	}
	projects := treeOf(t, map[string]string{"-a/one.jsonl": line("one", "msg_1", "req_1", "claude-opus-4-6", 3, "10:00:00", "")})
	prices := readPrices(t)
	builtFrom(t, projects)
	path := func(name string) string { return filepath.Join(projects, name) }
	add := func(name, text string) func() error {
		return func() error {
			if err := os.MkdirAll(filepath.Dir(path(name)), 0o700); err != nil {
				return err
			}
			f, err := os.OpenFile(path(name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
			if err != nil {
				return err
			}
			_, err = f.WriteString(text)
			return errors.Join(err, f.Close())
		}
	}
	for _, step := range []struct {
		name   string
		do     func() error
		output int64
		by     string // model
	}{
		{"an append raises the output", add("-a/one.jsonl", line("one", "msg_1", "req_1", "claude-opus-4-6", 500, "10:00:04", "")), 500, "claude-opus-4-6"},
		{"a resume copies it under another id", add("-a/two.jsonl", line("two", "msg_1", "req_1", "claude-opus-4-6", 500, "10:00:04", "")+line("two", "msg_2", "req_2", "claude-opus-4-6", 7, "11:00:00", "")), 507, "claude-opus-4-6"},
		{"both go on with one response", func() error {
			same := line("one", "msg_5", "req_5", "claude-opus-4-6", 11, "11:30:00", "")
			return errors.Join(add("-a/one.jsonl", same)(), add("-a/two.jsonl", strings.ReplaceAll(same, `"one`, `"two`))())
		}, 518, "claude-opus-4-6"},
		{"an older line makes the copy the first file", add("-a/two.jsonl", `{"type":"user","uuid":"two-old","sessionId":"two","timestamp":"2026-10-01T09:00:00Z","message":{"role":"user","content":"Go on."}}`+"\n"), 518, "claude-opus-4-6"},
		{"a sub-agent replays it", add("-a/one/subagents/agent-x.jsonl", line("one", "msg_1", "req_9", "claude-opus-4-6", 500, "10:00:09", `,"isSidechain":true,"agentId":"x"`)+line("one", "msg_3", "req_3", "claude-haiku-4-5", 70, "10:00:10", `,"isSidechain":true,"agentId":"x"`)), 588, "claude-opus-4-6"},
		{"another model finishes it", add("-a/one.jsonl", line("one", "msg_1", "req_1", "claude-sonnet-4-6", 600, "10:00:20", "")), 688, "claude-sonnet-4-6"},
		{"the file of the winner goes", func() error { return os.Remove(path("-a/one.jsonl")) }, 588, "claude-opus-4-6"},
		{"the copy goes too", func() error { return os.Remove(path("-a/two.jsonl")) }, 570, "claude-opus-4-6"},
		{"nothing is left but another session", func() error { return os.RemoveAll(path("-a/one")) }, 5, ""},
	} {
		if step.by == "" {
			add("-b/three.jsonl", line("three", "msg_4", "req_4", "claude-opus-4-6", 5, "12:00:00", ""))()
		}
		if err := step.do(); err != nil {
			t.Fatal(err)
		}
		succeed(t, "refresh", "--quiet", "--max-age", "0")
		want := reckon(t, projects, prices)
		compareUsage(t, want)
		if got := sumOf(want).output; got != step.output {
			t.Errorf("%s: output %d, want %d", step.name, got, step.output)
		}
		got := succeed(t, "sql", "--format", "csv", usageRows)
		if by := succeed(t, "sql", "--format", "csv", "SELECT model FROM message_usage WHERE message_id = 'msg_1'"); step.by != "" && by != "model\n"+step.by+"\n" {
			t.Errorf("%s: the model is %q, want %s", step.name, by, step.by)
		}
		fresh := filepath.Join(t.TempDir(), "fresh.duckdb")
		succeed(t, "--db", fresh, "refresh", "--quiet")
		if anew := succeed(t, "--db", fresh, "sql", "--format", "csv", usageRows); anew != got {
			t.Errorf("%s: got\n%s\nfrom nothing\n%s", step.name, got, anew)
		}
		if t.Failed() {
			t.Fatalf("after: %s", step.name)
		}
	}
}
