package warehouse

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warehouse/warehouse/source/claude"
)

// planted is a secret as a person would type one, here in every place that a line has.
const planted = "zq7plantedsecretx4k"

// plant makes a tree whose session s1 is full of the secret, and others that are not.
func plant(t testing.TB, projects string) {
	t.Helper()
	dir := filepath.Join(projects, "-home-dev-app")
	line := func(session, at, rest string) string {
		return fmt.Sprintf(`{"sessionId":%q,"cwd":"/home/dev/app","timestamp":"2026-10-%sZ","uuid":%q,%s}`+"\n", session, at, session+at, rest)
	}
	says := func(text string) string {
		return fmt.Sprintf(`"type":"user","message":{"role":"user","content":%q}`, text)
	}
	answers := func(item string) string {
		return `"type":"assistant","message":{"id":"m1","role":"assistant","model":"claude-opus-4-6","content":[` + item + `]}`
	}
	s1 := filepath.Join(dir, "s1.jsonl")
	writeFile(t, s1, line("s1", "01T09:00:00", says("my key is "+planted+", keep it"))+
		`{"type":"custom-title","sessionId":"s1","customTitle":"about `+planted+`"}`+"\n"+
		line("s1", "01T09:00:01", answers(`{"type":"thinking","thinking":"`+planted+` is a key"}`))+
		line("s1", "01T09:00:02", answers(`{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"export KEY=`+planted+`"}}`))+
		line("s1", "01T09:00:03", `"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"`+planted+` failed"}]}`)+
		planted+" is not JSON\n"+
		line("s1", "01T09:00:04", `"type":"user","message":{"role":"user","content":"\ud83d `+planted+`"}`)+
		"\n"+`{"half of it":"`+planted)
	// The state of a file's hash holds up to 31 of its last bytes.
	ending := func(at, text string) string {
		l := line("s1", at, says(text+planted))
		return line("s1", at, says(text+strings.Repeat("-", (63-len(l)%32)%32)+planted))
	}
	writeFile(t, filepath.Join(dir, "s1", "subagents", "agent-a1.jsonl"), ending("01T09:01:00", "in a sub-agent "))
	writeFile(t, filepath.Join(dir, "agent-b2.jsonl"), ending("01T09:02:00", "in one that lies beside "))
	writeFile(t, filepath.Join(dir, "s2.jsonl"), line("s2", "02T09:00:00", says("what stays"))+line("s2", "02T09:00:01", says("and this")))
}

// secretsIn names the files of a folder that hold the secret, in whatever case.
func secretsIn(t testing.TB, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(bytes.ToLower(b), []byte(planted)) {
			names = append(names, filepath.Base(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// checkNoSecretRows looks through every column of every table, which compression hides from strings.
func checkNoSecretRows(t testing.TB, path string) {
	t.Helper()
	db := plainDuckDB(t)
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("ATTACH " + quote(path) + " AS f (READ_ONLY)"); err != nil {
		t.Fatal(err)
	}
	tables := 0
	for table, columns := range columnsOf(t, db, "f") {
		var n int64
		var parts []string
		for _, c := range columns {
			parts = append(parts, "lower(coalesce("+quoteName(c.name)+"::VARCHAR, ''))")
		}
		if err := db.QueryRow("SELECT count(*) FROM f.main." + quoteName(table) + " WHERE contains(concat(" + strings.Join(parts, ", ") + "), '" + planted + "')").Scan(&n); err != nil {
			t.Fatal(err)
		}
		if tables++; n > 0 {
			t.Errorf("%s: %d rows hold the secret", table, n)
		}
	}
	if tables < 20 {
		t.Errorf("only %d tables and views were looked through", tables)
	}
}

// What was forgotten is in no file of the warehouse, as bytes or as rows, and does not come back.
func TestForgottenBytesAreGone(t *testing.T) {
	t.Parallel()
	for name, rulesOf := range map[string]func(projects string) []Rule{
		"session": func(string) []Rule { return []Rule{{Kind: ForgetSession, Value: "s1"}} },
		"files": func(projects string) (all []Rule) {
			for _, path := range []string{"s1.jsonl", "s1/subagents/agent-a1.jsonl", "agent-b2.jsonl"} {
				all = append(all, Rule{Kind: ForgetFile, Value: filepath.Join(projects, "-home-dev-app", path)})
			}
			return all
		},
		"before": func(string) []Rule { return []Rule{{Kind: ForgetBefore, Value: "2026-10-02 00:00:00+00"}} },
		"host":   func(string) []Rule { return []Rule{{Kind: ForgetHost, Value: "laptop"}} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			local := filepath.Join(dir, "local")
			opt := localRoot(t, filepath.Join(dir, "warehouse"), local)
			projects := local
			if name == "host" {
				projects = opt.Layout.tree("laptop")
				opt.Roots = append(opt.Roots, Root{"laptop", claude.Agent, projects})
				writeFile(t, opt.Layout.manifest("laptop"), `{"host":"laptop","source":"/mnt/`+planted+`"}`)
			}
			writeFile(t, filepath.Join(local, "-home-dev-keep", "keep.jsonl"), `{"type":"user","sessionId":"keep","timestamp":"2026-10-03T09:00:00Z","message":{"role":"user","content":"kept"}}`+"\n")
			plant(t, projects)
			mustRefresh(t, opt)
			appendFile(t, filepath.Join(local, "-home-dev-keep", "keep.jsonl"), "{}\n")
			mustRefresh(t, opt)
			databases := []string{filepath.Base(opt.Layout.Published), filepath.Base(opt.Layout.Standby)}
			for _, d := range databases {
				if found := secretsIn(t, opt.Layout.Dir); !slices.Contains(found, d) {
					t.Fatalf("before: the secret is in %q, want it in %s too", found, d)
				}
			}
			reader, err := OpenReadOnly(t.Context(), opt.Layout.Published, ReadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			plan, err := reader.PlanForget(t.Context(), opt.Layout, rulesOf(projects))
			reader.Close()
			if want := int64(11); err != nil || name != "host" && plan.Lines != want || name == "host" && plan.Lines != want+2 {
				t.Errorf("plan: got %d lines, %v", plan.Lines, err)
			}

			before := peek(t, opt.Layout.Published)
			sum, err := Forget(t.Context(), opt, rulesOf(projects))
			if err != nil {
				t.Fatal(err)
			}
			if sum.Forgotten != plan.Lines || sum.Lines != before.lines-plan.Lines {
				t.Errorf("got %d forgotten, %d left, want %d and %d", sum.Forgotten, sum.Lines, plan.Lines, before.lines-plan.Lines)
			}
			check := func(when string) {
				t.Helper()
				if found := secretsIn(t, opt.Layout.Dir); len(found) > 0 {
					t.Fatalf("%s: the secret is in %q", when, found)
				}
				checkNoSecretRows(t, opt.Layout.Published)
				checkTidy(t, opt.Layout)
			}
			check("after")
			if name == "host" {
				if exists(projects) {
					t.Error("the imported tree is there")
				}
				plant(t, filepath.Join(dir, "moved")) // others bring the tree again
				if err := os.Rename(filepath.Join(dir, "moved"), projects); err != nil {
					t.Fatal(err)
				}
				if sum := mustRefresh(t, opt); len(sum.Warnings) != 1 || !strings.Contains(sum.Warnings[0], "laptop was forgotten") {
					t.Errorf("got warnings %q", sum.Warnings)
				}
				if err := os.RemoveAll(projects); err != nil {
					t.Fatal(err)
				}
			}
			if name != "host" {
				if !exists(filepath.Join(projects, "-home-dev-app", "s1.jsonl")) {
					t.Error("a transcript is gone")
				}
				if sum := mustRefresh(t, opt); sum.Status != "unchanged" {
					t.Errorf("nothing changed, but %+v", sum)
				}
				// What is added stays out, and what is read again.
				appendFile(t, filepath.Join(projects, "-home-dev-app", "s1.jsonl"), `"}`+"\n"+`{"type":"user","sessionId":"s1","timestamp":"2026-10-01T10:00:00Z","message":{"role":"user","content":"again `+planted+`"}}`+"\n")
				appendFile(t, filepath.Join(projects, "-home-dev-app", "agent-b2.jsonl"), `{"type":"user","sessionId":"s1","timestamp":"2026-10-01T10:00:00Z","message":{"role":"user","content":"`+planted+`"}}`+"\n")
				writeFile(t, filepath.Join(projects, "-home-dev-app", "s1", "subagents", "agent-a1.jsonl"), `{"type":"user","sessionId":"s1","timestamp":"2026-10-01T10:00:00Z","message":{"role":"user","content":"`+planted+`"}}`+"\n")
				sum := mustRefresh(t, opt)
				check("after an append")
				if name == "before" && sum.LeftOut == 0 || name != "before" && sum.Ignored == 0 {
					t.Errorf("got %+v", sum)
				}
			}
			appendFile(t, filepath.Join(local, "-home-dev-keep", "keep.jsonl"), "{}\n")
			opt.Verify = true
			mustRefresh(t, opt)
			check("two refreshes later")
			fresh := opt
			fresh.Forget = rulesOf(projects)
			compareWithFresh(t, fresh)
		})
	}
}

// Which lines a time takes: those before it, and of the others those that stand with them.
func TestForgetBefore(t *testing.T) {
	t.Parallel()
	at := func(day int) string {
		return fmt.Sprintf(`{"type":"user","sessionId":"s","timestamp":"2026-10-%02dT12:00:00Z","message":{"role":"user","content":"day %d"}}`, day, day)
	}
	const none = `{"type":"mode","mode":"normal"}`
	cases := map[string]struct {
		lines []string
		tail  string
		stay  string // numbers of lines
	}{
		"in order":              {lines: []string{at(1), at(2), at(3), at(4)}, stay: "3 4"},
		"without a time":        {lines: []string{at(1), none, "not JSON", "", at(3), none}, stay: "5 6"},
		"the head goes":         {lines: []string{none, none, at(1), at(4)}, stay: "4"},
		"the head stays":        {lines: []string{none, none, at(4), at(1), none}, stay: "1 2 3"},
		"times go back":         {lines: []string{at(4), none, at(1), none, at(5)}, stay: "1 2 5"},
		"no times":              {lines: []string{none, "not JSON"}, stay: "1 2"},
		"all before":            {lines: []string{none, at(1), at(2), none}, stay: ""},
		"a tail":                {lines: []string{at(4), at(1)}, tail: `{"half`, stay: "1"},
		"a tail that stays":     {lines: []string{at(1), at(4)}, tail: `{"half`, stay: "2 3"},
		"a tail that is whole":  {lines: []string{at(4)}, tail: at(1), stay: "1"},
		"a tail of a late time": {lines: []string{at(1)}, tail: at(4), stay: "2"},
		"repaired":              {lines: []string{at(1), strings.Replace(at(4), "day 4", `\ud83d`, 1), none}, stay: "2 3"},
	}
	dir := t.TempDir()
	opt := localRoot(t, filepath.Join(dir, "warehouse"), filepath.Join(dir, "projects"))
	var paths []string
	path := func(name string) string { return filepath.Join(dir, "projects", "-home-dev-app", name+".jsonl") }
	for name, tt := range cases {
		paths = append(paths, path(name))
		writeFile(t, path(name), strings.Join(tt.lines, "\n")+"\n"+tt.tail)
	}
	rule := Rule{Kind: ForgetBefore, Value: "2026-10-03 00:00:00+00"}
	mustRefresh(t, opt)
	if _, err := Forget(t.Context(), opt, []Rule{rule}); err != nil {
		t.Fatal(err)
	}
	db := attached(t, opt.Layout.Published, "f")
	for name, tt := range cases {
		var got string
		if err := db.QueryRow("SELECT coalesce(string_agg(source_line, ' ' ORDER BY source_line), '') FROM f.raw WHERE source_file = ?", path(name)).Scan(&got); err != nil {
			t.Fatal(err)
		}
		if got != tt.stay {
			t.Errorf("%s: forgotten: got lines %q, want %q", name, got, tt.stay)
		}
	}
	db.Close()
	checkRestored(t, opt.Layout, paths)
	if sum := mustRefresh(t, opt); sum.Status != "unchanged" {
		t.Errorf("nothing changed, but %+v", sum)
	}
	fresh := opt
	fresh.Forget = []Rule{rule}
	compareWithFresh(t, fresh)
	// More comes: the tail is completed, lines without a time go as those before them, new ones stay.
	for name, tt := range cases {
		if tt.tail == "" || strings.HasSuffix(tt.tail, "}") {
			appendFile(t, path(name), "\n")
		} else {
			appendFile(t, path(name), `":1}`+"\n")
		}
		appendFile(t, path(name), none+"\n"+at(6)+"\n"+none+"\n")
	}
	mustRefresh(t, opt)
	checkRestored(t, opt.Layout, paths)
	compareWithFresh(t, fresh)
	// Without the rule all is back.
	fresh.Forget = nil
	lift := opt
	lift.Lift = []Rule{rule}
	mustRefresh(t, lift)
	checkRestored(t, opt.Layout, paths)
	compareWithFresh(t, fresh)
}

// A time may be for one host.
func TestForgetBeforeOnOneHost(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	opt := localRoot(t, filepath.Join(dir, "warehouse"), filepath.Join(dir, "local"))
	opt.Roots = append(opt.Roots, Root{"laptop", claude.Agent, filepath.Join(dir, "laptop")})
	for _, root := range opt.Roots {
		plant(t, root.Path)
	}
	mustRefresh(t, opt)
	host := "laptop"
	rule := Rule{Kind: ForgetBefore, Value: "2026-10-02 00:00:00+00", Host: &host}
	sum, err := Forget(t.Context(), opt, []Rule{rule})
	if err != nil || sum.Forgotten != 11 {
		t.Errorf("got %+v, %v", sum, err)
	}
	fresh := opt
	fresh.Forget = []Rule{rule}
	compareWithFresh(t, fresh)
}

// A rule whose files are not there when it is lifted lets them in when they come.
func TestLiftedWhileTheDiskIsAway(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	projects := filepath.Join(dir, "projects")
	opt := localRoot(t, filepath.Join(dir, "warehouse"), projects)
	plant(t, projects)
	mustRefresh(t, opt)
	rule := Rule{Kind: ForgetSession, Value: "s1"}
	if _, err := Forget(t.Context(), opt, []Rule{rule}); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(projects, projects+".away"); err != nil {
		t.Fatal(err)
	}
	lift := opt
	lift.Lift = []Rule{rule}
	mustRefresh(t, lift)
	if err := os.Rename(projects+".away", projects); err != nil {
		t.Fatal(err)
	}
	mustRefresh(t, opt)
	compareWithFresh(t, opt)
	if _, err := Refresh(t.Context(), lift); err == nil {
		t.Error("a rule that is not there was lifted")
	}
}
