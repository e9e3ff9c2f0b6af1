package queries

import (
	"reflect"
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
		{"SELECT a$b; SELECT 1 AS c$$; SELECT 2", []string{"SELECT a$b", "SELECT 1 AS c$$", "SELECT 2"}},
		{"SELECT $é$;$é$; SELECT 1", []string{"SELECT $é$;$é$", "SELECT 1"}},
		{"SELECT E'a' -- ;\n'b\\';'; SELECT 2", []string{"SELECT E'a' -- ;\n'b\\';'", "SELECT 2"}},
		{"SELECT 1 -- ;\r; SELECT 2", []string{"SELECT 1 -- ;", "SELECT 2"}},
	} {
		if got := Split(tt.script); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q:\ngot  %q\nwant %q", tt.script, got, tt.want)
		}
	}
}
