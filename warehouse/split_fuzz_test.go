package warehouse

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"warehouse/queries"
)

// Scripts are cut by package queries and then run by DuckDB one statement at a time, so both must
// see the same statements. DuckDB says what it sees of SELECT alone; that is enough for quotes,
// comments and semicolons.
func FuzzSplitAsDuckDB(f *testing.F) {
	db := plainDuckDB(f)
	places := regexp.MustCompile(`"query_location":\d+`)
	seen := func(t *testing.T, script string) (statements []string, ok bool) {
		script += "\n" // DuckDB takes a non-breaking space for a letter where it is the last character
		var failed bool
		var n int
		err := db.QueryRow("SELECT (j->>'error')::BOOLEAN, coalesce(json_array_length(j->'statements'), 0) FROM (SELECT json_serialize_sql(?::VARCHAR) AS j)", script).Scan(&failed, &n)
		if err != nil || failed {
			return nil, false
		}
		for i := range n {
			var s string
			if err := db.QueryRow(fmt.Sprintf("SELECT (json_serialize_sql(?::VARCHAR)->'statements'->%d)::VARCHAR", i), script).Scan(&s); err != nil {
				t.Fatalf("%q: %v", script, err)
			}
			statements = append(statements, places.ReplaceAllString(s, ""))
		}
		return statements, true
	}
	f.Fuzz(func(t *testing.T, script string) {
		if !utf8.ValidString(script) || strings.Contains(script, "\x00") {
			return // no script
		}
		if strings.Contains(script, "$") && strings.ContainsFunc(script, func(r rune) bool { return r == 0xa0 || r >= 0x2000 }) {
			return // DuckDB takes what is no string for one when it looks for such blanks, and leaves them
		}
		want, ok := seen(t, script)
		if !ok {
			return
		}
		got := queries.Split(script)
		if len(got) != len(want) {
			t.Fatalf("%q: cut into %q; DuckDB sees %d statements", script, got, len(want))
		}
		for i, s := range got {
			one, ok := seen(t, s)
			if !ok || len(one) != 1 || one[0] != want[i] {
				t.Fatalf("%q: statement %d is cut as %q, in which DuckDB sees something else", script, i+1, s)
			}
		}
	})
}
