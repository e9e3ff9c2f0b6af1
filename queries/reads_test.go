package queries

import (
	"reflect"
	"strings"
	"testing"
)

const hookReport = `-- Hooks, one row per hook.
--
-- Reads: disk_hooks, disk_settings
--
-- Columns:
--   event  event

SET VARIABLE "limit"       = coalesce(getvariable('limit'), '20')::INTEGER;           -- rows to show
SET VARIABLE disk_hooks    = coalesce(getvariable('disk_hooks'), '[]')::VARCHAR;      -- hooks
SET VARIABLE disk_settings = coalesce(getvariable('disk_settings'), '[]')::VARCHAR;   -- settings

SELECT getvariable('disk_hooks') AS event
LIMIT getvariable('limit');
`

func TestReads(t *testing.T) {
	q, err := Parse("hook-report", hookReport)
	if err != nil {
		t.Fatal(err)
	}
	if want := []Source{source("disk_hooks"), source("disk_settings")}; !reflect.DeepEqual(q.Reads, want) {
		t.Errorf("got %v, want %v", q.Reads, want)
	}
	// What the program fills is no parameter.
	if len(q.Params) != 1 || q.Params[0].Name != "limit" {
		t.Errorf("got parameters %v", q.Params)
	}
	if got, want := q.ReadsText(), "reads settings files and plugins and settings files"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	const want = `
Reads files beside the warehouse:
  disk_hooks     hooks in the agent's settings files (managed, own, of projects)
                 and plugins
  disk_settings  how long transcripts are kept, by the agent's settings files
`
	if got := Help(q); !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// A copy of a report reads what the report does.
	mine, err := ParseUser("mine.sql", hookReport)
	if err != nil || len(mine.Reads) != 2 {
		t.Errorf("got %v, %v", mine.Reads, err)
	}
}

func TestReadsNearMisses(t *testing.T) {
	for _, tt := range []struct{ name, old, new, want string }{
		{"lower case", "-- Reads:", "-- reads:", `x.sql:3: got "-- reads: disk_hooks, disk_settings", want "-- Totals: `},
		{"singular", "-- Reads:", "-- Read:", `x.sql:3: got "-- Read: disk_hooks`},
		{"without colon", "-- Reads: disk_hooks, disk_settings", "-- Reads", `x.sql:3: got "-- Reads", want`},
		{"tight", "-- Reads:", "--Reads:", `x.sql:3: got "--Reads:`},
		{"words", "disk_hooks, disk_settings\n", "hook configuration\n", `x.sql:3: got "hook configuration" in "Reads:"`},
		{"unknown", "disk_hooks, disk", "disk_hook, disk", `x.sql:3: "disk_hook" in "Reads:" is nothing the program reads; there are disk_hooks, `},
		{"twice", "disk_settings\n--", "disk_hooks\n--", `x.sql:3: "disk_hooks" stands twice in "Reads:"`},
		{"second", "--\n-- Columns", "-- Reads: disk_hooks\n--\n-- Columns", `x.sql:4: second "Reads:"`},
		{"not declared", "SET VARIABLE disk_settings = coalesce(getvariable('disk_settings'), '[]')::VARCHAR;   -- settings\n", "",
			`x.sql:11: "disk_settings" is in "Reads:", but no line declares it: want SET VARIABLE disk_settings =`},
		{"not in the header", ", disk_settings\n", "\n", `x.sql:10: "disk_settings" is filled by the program only where the header says so: want "-- Reads: disk_settings"`},
		{"misspelled variable", "disk_settings = coalesce(getvariable('disk_settings')", "disk_setting = coalesce(getvariable('disk_setting')",
			`x.sql:10: "disk_setting" is nothing the program reads`},
		{"another type", "'[]')::VARCHAR;      -- hooks", "'[]')::BIGINT;       -- hooks", `x.sql:9: "disk_hooks" is a list in text: want SET VARIABLE disk_hooks =`},
		{"no default", "coalesce(getvariable('disk_hooks'), '[]')", "getvariable('disk_hooks')", `x.sql:9: "disk_hooks" is a list in text`},
		{"another default", "coalesce(getvariable('disk_hooks'), '[]')", "coalesce(getvariable('disk_hooks'), '')", `x.sql:9: "disk_hooks" is a list in text`},
		{"declared twice", "SET VARIABLE disk_settings = coalesce(getvariable('disk_settings')", "SET VARIABLE disk_hooks    = coalesce(getvariable('disk_hooks')",
			`x.sql:10: parameter "disk_hooks" is declared on line 9 already`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !strings.Contains(hookReport, tt.old) {
				t.Fatalf("no %q to replace", tt.old)
			}
			_, err := Parse("x", strings.Replace(hookReport, tt.old, tt.new, 1))
			if err == nil {
				t.Fatal("got no error")
			}
			if !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
}

// A report that reads something also takes the parameters that say where.
func TestReadsParams(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range all {
		for _, s := range q.Reads {
			for _, name := range s.Params {
				if _, ok := q.Param(name); !ok {
					t.Errorf("%s.sql: reads %s and takes no %s", q.Name, s.Name, name)
				}
			}
		}
	}
}
