package queries

import (
	"reflect"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
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
		if got := Split(tt.script); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q:\ngot  %q\nwant %q", tt.script, got, tt.want)
		}
	}
}

func FuzzSplit(f *testing.F) {
	for _, s := range []string{"", "SELECT 1; SELECT 2", "'a;''b';\"c;\"", "--x;\n/*;*/", "$$;$$;$a$;$a$", "/*/;*/", "'", "$", ";;", "é;\u00a0;"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, script string) {
		at := 0
		for _, s := range Split(script) {
			if strings.TrimSpace(s) != s || s == "" {
				t.Fatalf("%q: statement %q", script, s)
			}
			// Statements are pieces of the script, in order, with a semicolon between them.
			i := strings.Index(script[at:], s)
			if i < 0 || (at > 0 && !strings.Contains(script[at:at+i], ";")) {
				t.Fatalf("%q: statement %q is not there", script, s)
			}
			at += i + len(s)
			if again := Split(s); len(again) != 1 || again[0] != s {
				t.Fatalf("%q: statement %q is cut again: %q", script, s, again)
			}
		}
	})
}
