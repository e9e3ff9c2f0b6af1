package warehouse

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"text/tabwriter"
	"time"
)

// BenchmarkTable prints what people wait for beside what other programs take for the same lines: whole
// processes, in turns, medians, on trees of BENCH_SIZES megabytes (50,300; 3000 is worth a coffee).
//
//	go test ./warehouse -run '^$' -bench Table -benchtime 5x -timeout 60m
//
// The others are DuckDB alone, which loads the lines into a table of one column; grep -r, which
// searches them; and ccusage, where CCUSAGE names its cli.js.
func BenchmarkTable(b *testing.B) {
	var trees []*benchedTree
	for _, mb := range strings.Split(benchEnv("BENCH_SIZES", "50,300"), ",") {
		trees = append(trees, newBenchedTree(b, mb))
	}
	rows := []benchRow{
		{"plain DuckDB load", "", func(t *benchedTree) time.Duration { return plainLoad(b, b.TempDir(), t.projects) }},
		{"first refresh", "plain DuckDB load", func(t *benchedTree) time.Duration {
			t.dir = b.TempDir()
			return t.run(b, "refresh", "--max-age", "0")
		}},
		{"nothing changed", "", func(t *benchedTree) time.Duration { return t.run(b, "refresh", "--max-age", "0") }},
		{"one line appended", "first refresh", func(t *benchedTree) time.Duration { return t.append(b) }},
		{"grep -r", "", func(t *benchedTree) time.Duration {
			return timed(b, exec.Command("grep", "-rcF", "queue retry", t.projects))
		}},
		{"search, two words", "grep -r", func(t *benchedTree) time.Duration { return t.run(b, "search", "queue", "retry") }},
		{"search --literal", "grep -r", func(t *benchedTree) time.Duration { return t.run(b, "search", "--literal", "queue retry") }},
		{"search --kind tool-result", "grep -r", func(t *benchedTree) time.Duration {
			return t.run(b, "search", "--kind", "tool-result", "queue", "retry")
		}},
		{"ccusage daily", "", func(t *benchedTree) time.Duration {
			cmd := exec.Command("node", os.Getenv("CCUSAGE"), "claude", "daily", "--offline", "--json")
			cmd.Env = append(os.Environ(), "CLAUDE_CONFIG_DIR="+filepath.Dir(t.projects), "HOME="+b.TempDir())
			return timed(b, cmd)
		}},
		{"query usage-daily", "ccusage daily", func(t *benchedTree) time.Duration { return t.run(b, "query", "usage-daily") }},
		{"query tool-errors", "", func(t *benchedTree) time.Duration { return t.run(b, "query", "tool-errors") }},
		{"query sessions", "", func(t *benchedTree) time.Duration { return t.run(b, "query", "sessions") }},
		{"sql SELECT 1", "", func(t *benchedTree) time.Duration { return t.run(b, "sql", "SELECT 1") }},
	}
	rounds := 0
	for b.Loop() {
		rounds++
		for _, row := range rows {
			if row.name == "ccusage daily" && os.Getenv("CCUSAGE") == "" {
				continue
			}
			for _, t := range trees {
				t.took[row.name] = append(t.took[row.name], row.run(t))
			}
		}
	}
	printTable(trees, rows, rounds)
	b.ReportMetric(0, "ns/op")
}

type benchRow struct {
	name, against string // against: the row that the ratio is to
	run           func(*benchedTree) time.Duration
}

// benchedTree is a tree of transcripts with a warehouse of it.
type benchedTree struct {
	mb, projects, dir string
	appended          int
	took              map[string][]time.Duration
	peak              int64 // most memory that a first refresh had resident, bytes
}

func newBenchedTree(b *testing.B, mb string) *benchedTree {
	t := &benchedTree{mb: mb, projects: benchTree(b, mb), took: map[string][]time.Duration{}}
	b.Cleanup(func() { os.RemoveAll(filepath.Dir(t.file())) })
	writeFile(b, t.file(), "")
	return t
}

func (t *benchedTree) file() string {
	return filepath.Join(t.projects, "appended", "00000000-0000-4000-8000-000000000000.jsonl")
}

func (t *benchedTree) run(b *testing.B, args ...string) time.Duration {
	if args[0] != "refresh" || exists(filepath.Join(t.dir, "warehouse.duckdb")) {
		return benchRun(b, t.dir, t.projects, args...)
	}
	cmd := benchCommand(b, t.dir, t.projects, args...)
	start := time.Now()
	peak, err := runWatched(cmd)
	if err != nil {
		b.Fatalf("%v: %v", cmd.Args, err)
	}
	t.peak = max(t.peak, peak)
	return time.Since(start)
}

// append adds a response, three times: the first refresh behind a build makes the second copy, the next
// one brings that up to date.
func (t *benchedTree) append(b *testing.B) (took time.Duration) {
	for range 3 {
		t.appended++
		appendFile(b, t.file(), fmt.Sprintf(`{"type":"assistant","uuid":"appended-%d","sessionId":"00000000-0000-4000-8000-000000000000","timestamp":"2026-11-30T10:00:00Z",`+
			`"message":{"id":"msg_appended%[1]d","role":"assistant","model":"claude-opus-4-6","content":[{"type":"text","text":"line %[1]d"}],"usage":{"input_tokens":10,"output_tokens":20}}}`+"\n", t.appended))
		took = t.run(b, "refresh", "--max-age", "0")
	}
	return took
}

func printTable(trees []*benchedTree, rows []benchRow, rounds int) {
	fmt.Printf("\n%s, %d cores; medians of %d, whole processes\n\n", cpuName(), runtime.NumCPU(), rounds)
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	defer w.Flush()
	for _, t := range trees {
		fmt.Fprintf(w, "\t%s MB\t", t.mb)
	}
	fmt.Fprintln(w, "growth\tratio to")
	for _, row := range rows {
		fmt.Fprint(w, row.name)
		for _, t := range trees {
			if len(t.took[row.name]) == 0 {
				fmt.Fprint(w, "\tskipped: CCUSAGE names no cli.js\t")
				continue
			}
			fmt.Fprintf(w, "\t%.3f s\t", median(t.took[row.name]).Seconds())
			if other := t.took[row.against]; len(other) > 0 {
				fmt.Fprintf(w, "%.2f", median(t.took[row.name]).Seconds()/median(other).Seconds())
			}
		}
		first, last := trees[0].took[row.name], trees[len(trees)-1].took[row.name]
		if len(trees) > 1 && len(first) > 0 {
			fmt.Fprintf(w, "\t%.1f", median(last).Seconds()/median(first).Seconds())
		}
		fmt.Fprintf(w, "\t%s\n", row.against)
	}
	fmt.Fprint(w, "first refresh, peak memory")
	for _, t := range trees {
		fmt.Fprintf(w, "\t%d MB\t", t.peak>>20)
	}
	fmt.Fprint(w, "\nfile, of the lines")
	for _, t := range trees {
		fmt.Fprintf(w, "\t%.2f\t", t.fileShare())
	}
	fmt.Fprintln(w)
}

// fileShare is the size of the published file by that of the transcripts.
func (t *benchedTree) fileShare() float64 {
	info, err := os.Stat(filepath.Join(t.dir, "warehouse.duckdb"))
	stamp, err2 := os.ReadFile(filepath.Join(t.dir, "last-refresh"))
	var last struct {
		Summary struct {
			TotalBytes int64 `json:"bytes"`
		} `json:"summary"`
	}
	if err != nil || err2 != nil || json.Unmarshal(stamp, &last) != nil || last.Summary.TotalBytes == 0 {
		return 0
	}
	return float64(info.Size()) / float64(last.Summary.TotalBytes)
}

func cpuName() string {
	b, _ := os.ReadFile("/proc/cpuinfo")
	for _, line := range strings.Split(string(b), "\n") {
		if name, ok := strings.CutPrefix(line, "model name\t: "); ok {
			return name
		}
	}
	return runtime.GOARCH
}
