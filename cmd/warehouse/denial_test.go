package main

import "testing"

// testDenialKinds holds the view tool_results, which has the rule for refused calls written out,
// against the macros.
func testDenialKinds(t *testing.T, db string) {
	r := reader(t, db)
	defer r.Close()
	for _, line := range firstColumn(t, r, `
		SELECT source_file || ':' || source_line
		FROM tool_results
		JOIN content_items AS i USING (source_file, source_line, item_index)
		WHERE denial_kind IS DISTINCT FROM denial_kind(i.tool_denial_kind, CASE WHEN i.is_error THEN i.text END)
			OR denial_kind_source IS DISTINCT FROM denial_kind_source(i.tool_denial_kind, CASE WHEN i.is_error THEN i.text END)
		ORDER BY ALL`) {
		t.Errorf("%s: the view and the macros disagree", line)
	}
}
