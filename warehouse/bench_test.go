package warehouse

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"
)

// Benchmarks on a generated tree of BENCH_MB megabytes (300), kept under BENCH_DIR (a folder of the
// system's temporary one) for the next run. Refreshes are whole processes, as people run them.
//
//	make bench
//	BENCH_MB=3000 go test ./warehouse -run '^$' -bench Append -benchtime 5x -timeout 60m
//
// Machines are noisy: compare figures of one run, best by the ratios that BenchmarkFirstRefresh
// prints against a plain DuckDB load of the same lines, taken in turns.

func benchEnv(name, fallback string) string {
	if v := os.Getenv(name); v != "" {
		return v
	}
	return fallback
}

// benchTree returns the projects folder of a generated tree of mb megabytes.
func benchTree(b *testing.B, mb string) string {
	b.Helper()
	dir := filepath.Join(benchEnv("BENCH_DIR", filepath.Join(os.TempDir(), "warehouse-bench")), mb+"mb")
	projects := filepath.Join(dir, "projects")
	if exists(projects) {
		return projects
	}
	generator, err := filepath.Abs("../../shared/tools/gen_corpus.py")
	if err != nil || !exists(generator) {
		b.Skip("no tree: ../shared/tools/gen_corpus.py is not beside the repository")
	}
	b.Logf("generating %s MB under %s", mb, dir)
	if out, err := exec.Command("python3", generator, "--out", dir+".new", "--mb", mb).CombinedOutput(); err != nil {
		b.Fatalf("generate: %v\n%s", err, out)
	}
	if err := os.Rename(dir+".new", dir); err != nil {
		b.Fatal(err)
	}
	return projects
}

var benchBinary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "warehouse-bench-bin")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "warehouse")
	out, err := exec.Command("go", "build", "-o", path, "../cmd/warehouse").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return path, nil
})

// benchCommand is the program on a warehouse in dir.
func benchCommand(b *testing.B, dir, projects string, args ...string) *exec.Cmd {
	b.Helper()
	bin, err := benchBinary()
	if err != nil {
		b.Fatal(err)
	}
	cmd := exec.Command(bin, append([]string{"--db", filepath.Join(dir, "warehouse.duckdb")}, args...)...)
	cmd.Env = append(os.Environ(), "CLAUDE_PROJECTS_DIR="+projects)
	return cmd
}

// benchRun runs the program and returns how long the whole process took.
func benchRun(b *testing.B, dir, projects string, args ...string) time.Duration {
	b.Helper()
	return timed(b, benchCommand(b, dir, projects, args...))
}

// timed runs a command and returns how long the whole process took.
func timed(b *testing.B, cmd *exec.Cmd) time.Duration {
	b.Helper()
	start := time.Now()
	out, err := cmd.CombinedOutput()
	took := time.Since(start)
	if err != nil && (filepath.Base(cmd.Path) != "grep" || cmd.ProcessState.ExitCode() != 1) {
		b.Fatalf("%v: %v\n%s", cmd.Args, err, out)
	}
	return took
}

// plainLoad is what DuckDB alone takes for the same lines: one table, one CHECKPOINT.
func plainLoad(b *testing.B, dir, projects string) time.Duration {
	b.Helper()
	path := filepath.Join(dir, "plain.duckdb")
	os.Remove(path)
	start := time.Now()
	db, err := sql.Open("duckdb", path)
	if err != nil {
		b.Fatal(err)
	}
	for _, s := range []string{
		// A torn last line would end the load.
		"CREATE TABLE t AS SELECT * FROM read_ndjson_objects(" + quote(filepath.Join(projects, "**", "*.jsonl")) +
			", ignore_errors = true, maximum_object_size = 67108864)",
		"CHECKPOINT",
	} {
		if _, err := db.Exec(s); err != nil {
			b.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}

func median(all []time.Duration) time.Duration {
	sort.Slice(all, func(i, j int) bool { return all[i] < all[j] })
	return all[len(all)/2]
}

func BenchmarkFirstRefresh(b *testing.B) {
	projects := benchTree(b, benchEnv("BENCH_MB", "300"))
	var ours, plain []time.Duration
	var size, corpus int64
	for range b.N {
		dir := b.TempDir()
		plain = append(plain, plainLoad(b, b.TempDir(), projects))
		ours = append(ours, benchRun(b, dir, projects, "refresh", "--max-age", "0"))
		if info, err := os.Stat(filepath.Join(dir, "warehouse.duckdb")); err == nil {
			size = info.Size()
		}
	}
	filepath.Walk(projects, func(path string, info os.FileInfo, err error) error {
		if err == nil && strings.HasSuffix(path, ".jsonl") {
			corpus += info.Size()
		}
		return err
	})
	b.ReportMetric(median(ours).Seconds(), "s/refresh")
	b.ReportMetric(median(plain).Seconds(), "s/plain-load")
	b.ReportMetric(median(ours).Seconds()/median(plain).Seconds(), "x-plain-load")
	b.ReportMetric(float64(size)/float64(corpus), "file/corpus")
	b.ReportMetric(0, "ns/op")
}

// warm returns a directory with a warehouse of the tree that has both its copies.
func warm(b *testing.B, projects string) string {
	b.Helper()
	dir := b.TempDir()
	benchRun(b, dir, projects, "refresh", "--max-age", "0")
	return dir
}

func BenchmarkUnchanged(b *testing.B) {
	projects := benchTree(b, benchEnv("BENCH_MB", "300"))
	dir := warm(b, projects)
	var all []time.Duration
	for range b.N {
		all = append(all, benchRun(b, dir, projects, "refresh", "--max-age", "0"))
	}
	b.ReportMetric(median(all).Seconds(), "s/refresh")
	b.ReportMetric(0, "ns/op")
}

// BenchmarkAppend appends a line to a file beside the generated ones. With BENCH_MB and BENCH_LARGE
// (off) it takes the two sizes in turns and prints how the time grows.
func BenchmarkAppend(b *testing.B) {
	sizes := []string{benchEnv("BENCH_MB", "300")}
	if large := os.Getenv("BENCH_LARGE"); large != "" {
		sizes = append(sizes, large)
	}
	var trees, dirs, files []string
	for _, mb := range sizes {
		projects := benchTree(b, mb)
		file := filepath.Join(projects, "appended", "00000000-0000-4000-8000-000000000000.jsonl")
		writeFile(b, file, "")
		b.Cleanup(func() { os.RemoveAll(filepath.Dir(file)) })
		dir := warm(b, projects)
		trees, dirs, files = append(trees, projects), append(dirs, dir), append(files, file)
	}
	all := make([][]time.Duration, len(sizes))
	for n := range b.N + 2 {
		for i := range sizes {
			appendFile(b, files[i], fmt.Sprintf(`{"type":"user","uuid":"appended-%d","sessionId":"00000000-0000-4000-8000-000000000000","timestamp":"2026-11-30T10:00:00Z","message":{"role":"user","content":"line %d"}}`+"\n", n, n))
			took := benchRun(b, dirs[i], trees[i], "refresh", "--max-age", "0")
			if n >= 2 { // the first two make the second copy and catch up with a whole build
				all[i] = append(all[i], took)
			}
		}
	}
	b.ReportMetric(median(all[0]).Seconds(), "s/append")
	if len(sizes) > 1 {
		b.ReportMetric(median(all[1]).Seconds(), "s/append-large")
		b.ReportMetric(median(all[1]).Seconds()/median(all[0]).Seconds(), "x-growth")
	}
	b.ReportMetric(0, "ns/op")
}

func BenchmarkOpenAndQuery(b *testing.B) {
	projects := benchTree(b, benchEnv("BENCH_MB", "300"))
	dir := warm(b, projects)
	for _, q := range []struct{ name, sql string }{
		{"records", "SELECT count(*) FROM records"},
		{"usage", "SELECT model, sum(output_tokens) FROM message_usage GROUP BY ALL"},
		{"tool_errors", "SELECT tool_name, count(*) FROM tool_errors GROUP BY ALL"},
		{"sessions", "FROM sessions"},
	} {
		b.Run(q.name, func(b *testing.B) {
			ctx := context.Background()
			for range b.N {
				r, err := OpenReadOnly(ctx, filepath.Join(dir, "warehouse.duckdb"), ReadOptions{})
				if err != nil {
					b.Fatal(err)
				}
				rows, err := r.Query(ctx, q.sql)
				if err != nil {
					b.Fatal(err)
				}
				for err == nil {
					_, err = rows.Next()
				}
				rows.Close()
				if err := r.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkCommands runs what people run on a warehouse that is there, as whole processes.
func BenchmarkCommands(b *testing.B) {
	projects := benchTree(b, benchEnv("BENCH_MB", "300"))
	dir := warm(b, projects)
	for _, args := range [][]string{
		{"query", "usage-daily"},
		{"query", "tool-errors"},
		{"search", "queue", "retry"},
		{"search", "--kind", "tool-result", "queue", "retry"},
		{"search", "--literal", "queue retry"},
	} {
		b.Run(strings.Join(args, " "), func(b *testing.B) {
			var all []time.Duration
			for range b.N {
				all = append(all, benchRun(b, dir, projects, args...))
			}
			b.ReportMetric(median(all).Seconds(), "s/command")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkSearchMacro is the search as a client with an open connection has it.
func BenchmarkSearchMacro(b *testing.B) {
	projects := benchTree(b, benchEnv("BENCH_MB", "300"))
	db, err := sql.Open("duckdb", filepath.Join(warm(b, projects), "warehouse.duckdb")+"?access_mode=read_only")
	if err != nil {
		b.Fatal(err)
	}
	defer db.Close()
	var all []time.Duration
	for range b.N {
		start := time.Now()
		var n int
		if err := db.QueryRow("SELECT max(length(text)) FROM (FROM search('queue retry') LIMIT 10)").Scan(&n); err != nil {
			b.Fatal(err)
		}
		all = append(all, time.Since(start))
	}
	b.ReportMetric(float64(median(all).Microseconds())/1000, "ms/search")
	b.ReportMetric(0, "ns/op")
}
