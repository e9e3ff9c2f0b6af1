package main

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"warehouse/queries"
	"warehouse/schema"
	"warehouse/warehouse"
	"warehouse/warehouse/source/claude"
)

// Tests of the embedded reports and of the views, on warehouses built from whole trees.
//
// The rules are:
//
//   - What is embedded is looked up: a report without a golden file fails, and so does a golden
//     file without a report. A report prints the sample and the odd transcripts, or where those
//     have nothing for it, a tree made for it (fixtures). All run on every tree.
//   - Reports that read the agent's configuration find it in the folder config beside the tree, and
//     transcripts on disk that were last written at the time of their last record.
//   - A golden file is the table a person sees, times in UTC. The folder of the test data is
//     written $TESTDATA in the values, not in the printed table, whose widths depend on it.
//   - The data has absolute dates and every report a total order, so nothing else can differ.
//
// After a change that is meant: go test ./cmd/warehouse -run TestTrees -update

// variants are runs of reports with parameters, on one tree or on all. Label "" replaces the run
// without any.
var variants = []struct {
	tree, report, label string
	params              map[string]string
}{
	{"transcripts", "broken-lines", "invalid", map[string]string{"status": "invalid", "limit": "5"}},
	{"transcripts", "fields", "input", map[string]string{"path": "message.content[*].input"}},
	{"sample", "fields", "usage", map[string]string{"path": "$.message.usage", "kind": "ass*"}},
	{"sample", "keys", "kind", map[string]string{"kind": "attachment:*"}},
	// All of it would change with every view.
	{"", "schema", "", map[string]string{"name": "broken_lines"}},
	{"hooks", "activity", "project", map[string]string{"project": "press", "since": "2026-09-14"}},
	{"hooks", "hook-block-then-retry-success", "ten-minutes", map[string]string{"hook": "knife.sh", "within_seconds": "600"}},
	{"hooks", "hook-blocks", "hook", map[string]string{"hook": "PreToolUse:*", "limit": "3"}},
	// The other hooks of the hour are its baseline, though the report leaves them out.
	{"hooks", "hooks", "baseline", map[string]string{"hook": "[ab].sh", "event": "posttooluse"}},
	{"sample", "sessions", "day", map[string]string{"since": "2026-10-13", "until": "2026-10-13"}},
	{"sample", "tool-errors", "by-tool", map[string]string{"by": "tool"}},
	{"sample", "tool-stats", "project", map[string]string{"project": "orchard"}},
	{"", "usage-timeline", "", map[string]string{"session": ""}},
	{"sample", "usage-by-agent", "apart", map[string]string{"apart": "true"}},
	{"sample", "usage-daily", "limit", map[string]string{"limit": "1"}},
	{"sample", "usage-explain", "model", map[string]string{"model": "claude-opus-4-6"}},
	{"", "text-export", "", map[string]string{"limit": "12"}},
	{"sample", "top-sessions", "output", map[string]string{"sort": "output", "limit": "2"}},
	// The fewest rows they show by default are more than a small tree has.
	{"tools", "sandbox-bypass-effective-command", "", map[string]string{"min_count": "1"}},
	{"tools", "sandbox-bypass-justification", "", map[string]string{"min_count": "2"}},
	{"tools", "tool-failure-rates", "", map[string]string{"min_calls": "1"}},
	{"tools", "tool-sequences", "three", map[string]string{"length": "3", "limit": "5"}},
	{"tools", "repeat-read-waste", "since", map[string]string{"since": "2026-09-28T08:02:30Z"}},
	{"threads", "plans", "week", map[string]string{"since": "2026-09-16T09:02:00Z", "until": "2026-09-21"}},
	{"threads", "plan-iterations", "session", map[string]string{"session": "plan-redirected"}},
	{"threads", "plan-sizes", "threshold", map[string]string{"threshold": "17000"}},
	{"threads", "outcomes", "week", map[string]string{"since": "2026-09-07", "until": "2026-09-13", "ongoing_hours": "1000"}},
	{"threads", "catalog-reinjection-thrash-sessions", "few", map[string]string{"min_injections": "5"}},
	{"threads", "session-tree", "session", map[string]string{"session": "fork-copy"}},
	{"threads", "branches", "project", map[string]string{"project": "dyer"}},
	{"drift", "hook-config-vs-observed", "hook", map[string]string{"hook": "*guard*", "since": "2026-10-15"}},
	{"drift", "skill-config-vs-observed", "skill", map[string]string{"skill": "tidy*"}},
	{"drift", "field-drift", "", map[string]string{"sample_pct": "100", "min_rows": "1", "new_days": "20"}},
	{"drift", "field-drift", "sampled", map[string]string{"min_rows": "1", "new_days": "20"}},
	{"drift", "stream-new", "cutoff", map[string]string{"cutoff_date": "2026-09-08"}},
	{"drift", "index-health", "tight", map[string]string{"min_active_days": "15", "new_days": "2", "deny_window_days": "2"}},
}

// fixtures are the reports that trees of their own were made for.
var fixtures = map[string][]string{
	"tools": {
		"bash-commands", "diagnostics", "files", "mcp-usage", "permissions", "repeat-read-waste", "rework",
		"sandbox", "sandbox-bypass-effective-command", "sandbox-bypass-justification",
		"sandbox-path-deny-recurrence", "skill-auto-vs-explicit", "skills", "slow-tools",
		"tool-failure-rates", "tool-sequences",
	},
	"threads": {"plans", "plan-iterations", "plan-sizes", "outcomes", "delegation", "catalog-reinjection-thrash-sessions", "compactions",
		"api-errors", "context-growth", "parallel-sessions", "prompts", "session-tree", "branches", "partial-output"},
	"hooks": {"activity", "hook-block-then-retry-success", "hook-blocks", "hook-origin-split", "hooks", "stop-hook-noop-detector"},
	"drift": {
		"already-allowed-still-prompting", "field-drift", "hook-config-vs-observed", "index-health", "retention-horizon",
		"skill-config-vs-observed", "stream-new",
	},
}

func TestTrees(t *testing.T) {
	testdata, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	all, err := queries.All()
	if err != nil {
		t.Fatal(err)
	}
	golden := map[string]bool{}
	trees := slices.Concat([]string{"sample", "transcripts"}, slices.Sorted(maps.Keys(fixtures)))
	for _, tree := range trees {
		for _, q := range all {
			for name := range goldenRuns(q, tree) {
				golden[name] = true
			}
		}
		t.Run(tree, func(t *testing.T) {
			projects := dated(t, filepath.Join(testdata, tree, "projects"))
			db := builtFrom(t, projects)
			testGolden(t, db, all, testdata, tree, projects)
			own := all
			if fixtures[tree] != nil { // written for some reports; the others see the same elsewhere
				own = slices.DeleteFunc(slices.Clone(all), func(q queries.Query) bool { return len(goldenRuns(q, tree)) == 0 })
			}
			testPasted(t, db, own)
			testViews(t, db)
			testDenialKinds(t, db)
			if tree == "transcripts" {
				testPrinted(t, db)
			}
		})
	}
	files, err := os.ReadDir(filepath.Join(testdata, "golden"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !golden[file.Name()] {
			t.Errorf("%s belongs to no report", file.Name())
		}
	}
	t.Run("empty", func(t *testing.T) {
		db := builtFrom(t, t.TempDir())
		testHeaders(t, db)
		testPasted(t, db, all)
		testViews(t, db)
		for _, q := range all {
			// schema describes the file, and there is one; index-health always tells what hooks left.
			if _, rows := pasted(t, db, q); rows > 0 && q.Name != "schema" && q.Name != "index-health" {
				t.Errorf("%s: got %d rows from no transcripts", q.Name, rows)
			}
		}
	})
	t.Run("corpus", func(t *testing.T) {
		db := builtFrom(t, corpus(t))
		testPasted(t, db, all)
		testViews(t, db)
		testPrinted(t, db)
		testDenialKinds(t, db)
	})
}

var timeKey = regexp.MustCompile(`"timestamp":"([^"]+)"`)

// dated copies a tree, where each file was last written at the time of its last record.
func dated(t *testing.T, tree string) string {
	t.Helper()
	dir := t.TempDir()
	err := filepath.WalkDir(tree, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(tree, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(dir, rel), 0o700)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, rel), text, 0o600); err != nil {
			return err
		}
		for _, m := range slices.Backward(timeKey.FindAllSubmatch(text, -1)) {
			if at, err := time.Parse(time.RFC3339, string(m[1])); err == nil {
				return os.Chtimes(filepath.Join(dir, rel), at, at)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// succeed runs the program and returns its standard output.
func succeed(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	if code := run(context.Background(), args, strings.NewReader(""), &out, &errs); code != exitOK {
		t.Fatalf("warehouse %s: exit code %d\n%s", strings.Join(args, " "), code, errs.String())
	}
	return out.String()
}

// reader opens a warehouse, to be closed before a command reads it.
func reader(t *testing.T, db string) *warehouse.Reader {
	t.Helper()
	r, err := warehouse.OpenReadOnly(context.Background(), db, warehouse.ReadOptions{TimeZone: "UTC"})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// firstColumn returns the texts in the first column of what SQL gives.
func firstColumn(t *testing.T, r *warehouse.Reader, statement string) []string {
	t.Helper()
	rows, err := r.Query(context.Background(), statement)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var out []string
	for {
		values, err := rows.Next()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		text, _ := values[0].(string)
		out = append(out, text)
	}
}

// goldenRuns are the parameters of a report's runs on a tree, by golden file.
func goldenRuns(q queries.Query, tree string) map[string]map[string]string {
	runs := map[string]map[string]string{}
	if slices.Contains(fixtures[tree], q.Name) || fixtures[tree] == nil && !hasFixture(q.Name) {
		runs[q.Name+"."+tree+".txt"] = nil
	}
	for _, v := range variants {
		if v.report == q.Name && (v.tree == tree || v.tree == "" && fixtures[tree] == nil) {
			name := q.Name + "."
			if v.label != "" {
				name += v.label + "."
			}
			runs[name+tree+".txt"] = v.params
		}
	}
	return runs
}

func hasFixture(report string) bool {
	for _, reports := range fixtures {
		if slices.Contains(reports, report) {
			return true
		}
	}
	return false
}

func testGolden(t *testing.T, db string, all []queries.Query, testdata, tree, projects string) {
	config := filepath.Join(testdata, tree, "config")
	places := warehouse.Places{
		Roots:  []warehouse.Root{{Host: warehouse.LocalHost, Agent: claude.Agent, Path: projects}},
		Config: claude.Config{Dirs: []string{config}, Managed: filepath.Join(config, "managed")},
	}
	for _, q := range all {
		for name, params := range goldenRuns(q, tree) {
			t.Run(name, func(t *testing.T) {
				file := filepath.Join(testdata, "golden", name)
				got := reported(t, db, q, params, places, strings.NewReplacer(projects, "$TESTDATA/"+tree+"/projects", testdata, "$TESTDATA"))
				if *update {
					if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if got != string(want) {
					t.Errorf("differs from %s (-update rewrites it); got\n%s", file, got)
				}
			})
		}
	}
}

// reported is a report as a table.
func reported(t *testing.T, db string, q queries.Query, params map[string]string, places warehouse.Places, shorten *strings.Replacer) string {
	t.Helper()
	r, err := warehouse.OpenReadOnly(context.Background(), db, warehouse.ReadOptions{TimeZone: "UTC", Places: places})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	rows, err := r.Run(context.Background(), q, params, time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var out bytes.Buffer
	if err := printRows(&out, "table", relocated{rowsOf{rows}, shorten}, reportOptions(t.Context(), q, r, rows)); err != nil {
		t.Fatal(err)
	}
	for _, warning := range rows.Warnings {
		t.Errorf("warning: %s", warning)
	}
	return shorten.Replace(out.String()) // notes too
}

// relocated is a result with the folder of the test data replaced.
type relocated struct {
	rowSource
	shorten *strings.Replacer
}

func (r relocated) Next() ([]any, error) {
	values, err := r.rowSource.Next()
	for i, v := range values {
		if s, ok := v.(string); ok {
			values[i] = r.shorten.Replace(s)
		}
	}
	return values, err
}

// testPasted runs each report as a person does who pastes its file into another client, and holds
// the result against the command's and the header.
func testPasted(t *testing.T, db string, all []queries.Query) {
	for _, q := range all {
		columns, rows := pasted(t, db, q)
		args := []string{"query", q.Name, "--format", "jsonl"}
		for _, p := range q.Params {
			if p.Required() { // every text begins with none, as NULL lets all pass
				args = append(args, "--"+p.Name, "")
			}
		}
		// One that reads the disk finds nothing there when it is pasted.
		if n := strings.Count(succeed(t, args...), "\n"); n != rows && len(q.Reads) == 0 {
			t.Errorf("%s: got %d rows, %d pasted", q.Name, n, rows)
		}
		var described []string
		for _, c := range q.Columns {
			described = append(described, c.Name)
		}
		if !slices.Equal(columns, described) {
			t.Errorf("%s: got columns %q, the header describes %q", q.Name, columns, described)
		}
	}
}

// pasted runs a report in a session of its own: the variables it sets would be the next one's
// parameters.
func pasted(t *testing.T, path string, q queries.Query) (columns []string, n int) {
	t.Helper()
	db, err := sql.Open("duckdb", path+"?access_mode=read_only")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(q.Rows())
	if err != nil {
		t.Fatalf("%s, pasted: %v", q.Name, err)
	}
	defer rows.Close()
	if columns, err = rows.Columns(); err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		n++
	}
	if err := rows.Err(); err != nil {
		t.Errorf("%s, pasted: %v", q.Name, err)
	}
	return columns, n
}

// testViews computes all columns and rows of all views.
func testViews(t *testing.T, db string) {
	r := reader(t, db)
	defer r.Close()
	for _, view := range viewNames(t, r) {
		firstColumn(t, r, "SELECT sum(length(to_json(v)))::VARCHAR FROM "+view+" AS v")
	}
}

// testPrinted prints all views as JSON Lines.
func testPrinted(t *testing.T, db string) {
	r := reader(t, db)
	views := viewNames(t, r)
	r.Close()
	for _, view := range views {
		rows := succeed(t, "sql", "--format", "jsonl", "SELECT * FROM "+view)
		for line := range strings.Lines(rows) {
			if !json.Valid([]byte(line)) {
				t.Fatalf("%s: a row is not JSON: %s", view, line)
			}
		}
	}
}

func viewNames(t *testing.T, r *warehouse.Reader) []string {
	t.Helper()
	views := firstColumn(t, r, "SELECT view_name FROM duckdb_views() WHERE NOT internal ORDER BY view_name")
	if len(views) < 40 {
		t.Fatalf("only the views %q", views)
	}
	return views
}

// testHeaders holds the headers of the schema against the columns that its objects have.
func testHeaders(t *testing.T, db string) {
	r := reader(t, db)
	defer r.Close()
	set, err := schema.Embedded()
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range set {
		from := o.Name
		switch {
		case o.Kind == schema.Macro && len(o.Columns) == 0:
			continue
		case o.Kind == schema.Macro: // of a struct, whose fields are columns of raw
			from = "SELECT p.* FROM (SELECT " + o.Name + "(NULL::JSON) AS p)"
		}
		var names, texts []string
		for _, c := range o.Columns {
			names = append(names, c.Name)
			texts = append(texts, c.Description)
		}
		if got := firstColumn(t, r, "SELECT column_name FROM (DESCRIBE "+from+")"); !slices.Equal(got, names) {
			t.Errorf("%s: got columns\n%q, the header describes\n%q", o.File, got, names)
		}
		if o.Kind == schema.Macro {
			continue
		}
		if got := firstColumn(t, r, "SELECT comment FROM duckdb_columns() WHERE table_name = '"+o.Name+"' ORDER BY column_index"); !slices.Equal(got, texts) {
			t.Errorf("%s: got comments\n%q, the header says\n%q", o.File, got, texts)
		}
	}
}
