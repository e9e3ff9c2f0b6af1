package warehouse

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestSplitSQL(t *testing.T) {
	for _, tt := range []struct {
		script string
		want   []string
	}{
		{"", nil},
		{" \n\t;;\r\n ; ", nil},
		{"-- only a comment", nil},
		{"/* only a comment */;", nil},
		{"SELECT 1", []string{"SELECT 1"}},
		{"SELECT 1;", []string{"SELECT 1"}},
		{"SELECT 1; SELECT 2\n", []string{"SELECT 1", "SELECT 2"}},
		{"SELECT 1;\n-- the end\n", []string{"SELECT 1"}},
		{"-- the start;\nSELECT 1", []string{"-- the start;\nSELECT 1"}},
		{"SELECT 'a;b'; SELECT 2", []string{"SELECT 'a;b'", "SELECT 2"}},
		{"SELECT 'it''s; x'; SELECT 2", []string{"SELECT 'it''s; x'", "SELECT 2"}},
		{"SELECT '--'; SELECT '/*'", []string{"SELECT '--'", "SELECT '/*'"}},
		{`SELECT 1 AS "a;""b"; SELECT 2`, []string{`SELECT 1 AS "a;""b"`, "SELECT 2"}},
		{"SELECT 1 -- it's; x\n; SELECT 2", []string{"SELECT 1 -- it's; x", "SELECT 2"}},
		{"SELECT /* ;' */ 1; SELECT 2", []string{"SELECT /* ;' */ 1", "SELECT 2"}},
		{"SELECT $$a;b$$; SELECT $x$ $$ ; $x$", []string{"SELECT $$a;b$$", "SELECT $x$ $$ ; $x$"}},
		{"SELECT $1; SELECT $name", []string{"SELECT $1", "SELECT $name"}},
		{"SELECT 'open; x", []string{"SELECT 'open; x"}},
		{"SELECT /* open; x", []string{"SELECT /* open; x"}},
		{"SELECT $$ open; x", []string{"SELECT $$ open; x"}},
		{"/*", nil},
		{"SELECT 1 /*/; x */; SELECT 2", []string{"SELECT 1 /*/; x */", "SELECT 2"}},
		{`SELECT E'it\'s; x'; SELECT 2`, []string{`SELECT E'it\'s; x'`, "SELECT 2"}},
		{`SELECT e'\\'; SELECT 2`, []string{`SELECT e'\\'`, "SELECT 2"}},
		{"SELECT 1 /* a /* b */ ; */; SELECT 2", []string{"SELECT 1 /* a /* b */ ; */", "SELECT 2"}},
		{"\f;\v;\u00a0", nil},
	} {
		if got := splitSQL(tt.script); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q:\ngot  %q\nwant %q", tt.script, got, tt.want)
		}
	}
}

func FuzzSplitSQL(f *testing.F) {
	for _, s := range []string{"", "SELECT 1; SELECT 2", "'a;''b';\"c;\"", "--x;\n/*;*/", "$$;$$;$a$;$a$", "/*/;*/", "'", "$", ";;", "é;\u00a0;"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, script string) {
		at := 0
		for _, s := range splitSQL(script) {
			if strings.TrimSpace(s) != s || s == "" {
				t.Fatalf("%q: statement %q", script, s)
			}
			// Statements are pieces of the script, in order, with a semicolon between them.
			i := strings.Index(script[at:], s)
			if i < 0 || (at > 0 && !strings.Contains(script[at:at+i], ";")) {
				t.Fatalf("%q: statement %q is not there", script, s)
			}
			at += i + len(s)
			if again := splitSQL(s); len(again) != 1 || again[0] != s {
				t.Fatalf("%q: statement %q is cut again: %q", script, s, again)
			}
		}
	})
}

func TestMoment(t *testing.T) {
	now := time.Date(2026, 3, 1, 1, 30, 0, 0, time.FixedZone("", 2*60*60)) // 2026-02-28 23:30 UTC
	for _, tt := range []struct {
		text  string
		upper bool
		want  string
	}{
		{"30m", false, "2026-02-28 23:00:00.000000+00"},
		{"12h", false, "2026-02-28 11:30:00.000000+00"},
		{"7d", false, "2026-02-21 23:30:00.000000+00"},
		{"7d", true, "2026-02-21 23:30:00.000000+00"},
		{"2w", false, "2026-02-14 23:30:00.000000+00"},
		{"0d", true, "2026-02-28 23:30:00.000000+00"},
		{"007d", false, "2026-02-21 23:30:00.000000+00"},
		{"7D", false, "7D"},
		{"-7d", false, "-7d"},
		{"1.5d", false, "1.5d"},
		{"7 d", false, "7 d"},
		{"1y", false, "1y"},
		{"9999999d", false, "9999999d"},
		{"", true, ""},
		{"2026-02-28", false, "2026-02-28"},
		{"2026-02-28", true, "2026-02-28 23:59:59.999999"},
		{"2026-02-28 10:00", true, "2026-02-28 10:00"},
		{"2026-02-28T10:00Z", true, "2026-02-28T10:00Z"},
		{"2026-2-28", true, "2026-2-28"},
		{"yesterday", true, "yesterday"},
	} {
		if got := moment(tt.text, tt.upper, now); got != tt.want {
			t.Errorf("moment(%q, %v): got %q, want %q", tt.text, tt.upper, got, tt.want)
		}
	}
}
