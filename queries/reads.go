// What reports read beside the warehouse.
//
// The rules are:
//
//   - The program reads the files and hands on what it found, as a JSON list in a variable. SQL
//     opens nothing, here as elsewhere.
//   - A report names what it wants in its header, "-- Reads: disk_hooks", and declares the variable
//     with an empty list as default, so that the file can be pasted: it then shows what there is
//     when nothing is configured. One without the other is an error.
//   - The variable is no parameter: it cannot be given on the command line.
//   - A parameter of the report can say where to look; Source.Params names it.

package queries

import (
	"fmt"
	"slices"
	"strings"
)

// Source is something the program can read for a report.
type Source struct {
	Name        string   // of the variable
	Short       string   // for lists of reports: "reads …"
	Description string   // files and what is taken from them
	Params      []string // parameters of a report that name files instead of the usual ones
}

// Sources are all of them.
var Sources = []Source{
	{
		Name:        "disk_hooks",
		Short:       "settings files and plugins",
		Description: "hooks in the agent's settings files (managed, own, of projects) and plugins",
		Params:      []string{"hook_config_glob"},
	},
	{
		Name:        "disk_permissions",
		Short:       "settings files",
		Description: "permission rules in the agent's settings files (managed, own, of projects)",
	},
	{
		Name:        "disk_settings",
		Short:       "settings files",
		Description: "how long transcripts are kept, by the agent's settings files",
	},
	{
		Name:        "disk_skills",
		Short:       "skills on disk",
		Description: "SKILL.md files: own ones, those of projects and of plugins",
		Params:      []string{"personal_glob", "project_glob", "plugin_glob"},
	},
	{
		Name:        "disk_transcripts",
		Short:       "the list of transcripts on disk",
		Description: "names, sizes and times of the transcripts on this machine, not their text",
	},
}

// emptyList is the default of every variable.
const emptyList = "[]"

// Line is the declaration that a report needs.
func (s Source) Line() string {
	return fmt.Sprintf("SET VARIABLE %s = coalesce(getvariable('%s'), '%s')::VARCHAR;   -- description", s.Name, s.Name, emptyList)
}

// ReadsText says in a few words what a report reads beside the warehouse, "" for nothing.
func (q Query) ReadsText() string {
	var short []string
	for _, s := range q.Reads {
		if !slices.Contains(short, s.Short) {
			short = append(short, s.Short)
		}
	}
	if len(short) == 0 {
		return ""
	}
	return "reads " + strings.Join(short, " and ")
}

// given tells whether a declared variable is one that the program fills, and what is wrong with it.
func (q Query) given(p Param) (bool, error) {
	read := slices.ContainsFunc(q.Reads, func(s Source) bool { return s.Name == p.Name })
	switch {
	case !read && isSource(p.Name):
		return false, fmt.Errorf("%q is filled by the program only where the header says so: want \"-- Reads: %s\"", p.Name, p.Name)
	case !read && strings.HasPrefix(p.Name, "disk_"):
		return false, fmt.Errorf("%q is nothing the program reads; there are %s", p.Name, sourceNames())
	case read && (p.Type != "VARCHAR" || !p.HasDefault || p.Default != emptyList):
		return false, fmt.Errorf("%q is a list in text: want %s", p.Name, source(p.Name).Line())
	}
	return read, nil
}

func source(name string) Source {
	for _, s := range Sources {
		if s.Name == name {
			return s
		}
	}
	return Source{}
}

func isSource(name string) bool { return source(name).Name != "" }

func sourceNames() string {
	var names []string
	for _, s := range Sources {
		names = append(names, s.Name)
	}
	return strings.Join(names, ", ")
}
