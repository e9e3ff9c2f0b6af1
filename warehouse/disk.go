package warehouse

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"

	"warehouse/warehouse/source/claude"
)

// What reports read beside the warehouse: see queries/reads.go.
//
// The rules are:
//
//   - A report that reads nothing costs nothing.
//   - What is found becomes a JSON list and the value of a variable, so SQL has data and no way to a
//     file. The connection stays read-only and locked.
//   - What is handed over is what reports compare: names, commands, patterns, sizes and times. Other
//     settings, where keys and tokens may stand, are not.

// Places says where that lies.
type Places struct {
	Roots  []Root        // folders of transcripts
	Config claude.Config // the agent's configuration; its projects are taken from the warehouse
}

// FindPlaces returns the places of this machine.
func FindPlaces(l Layout, getenv func(string) string, home string) (Places, error) {
	roots, _, err := Sources(l, getenv, home)
	return Places{
		Roots: roots,
		Config: claude.Config{
			Dirs:    claude.ConfigDirs(getenv, home),
			Managed: claude.ManagedDir(getenv, runtime.GOOS),
			Home:    home,
		},
	}, err
}

// fill sets the variable of a source and returns what a person should know of the files. values are
// the parameters that were given.
func (r *Reader) fill(ctx context.Context, source string, values map[string]string) ([]string, error) {
	list, warnings, err := r.readSource(ctx, source, values)
	if err != nil {
		return nil, err
	}
	text := jsonText(list)
	if text == "null" {
		text = "[]"
	}
	return warnings, r.set(ctx, source, text)
}

func (r *Reader) readSource(ctx context.Context, name string, values map[string]string) (any, []string, error) {
	if name == "disk_transcripts" {
		list, err := listTranscripts(ctx, r.places.Roots)
		return list, nil, err
	}
	config := r.places.Config
	var err error
	if config.Projects, err = r.localProjects(ctx); err != nil {
		return nil, nil, err
	}
	switch name {
	case "disk_hooks":
		hooks, warnings, err := config.Hooks(values["hook_config_glob"])
		return hooks, warnings, err
	case "disk_permissions":
		rules, warnings := config.Rules()
		return rules, warnings, nil
	case "disk_settings":
		cleanUps, warnings := config.CleanUps()
		return cleanUps, warnings, nil
	case "disk_skills":
		skills, warnings, err := config.Skills(values["personal_glob"], values["project_glob"], values["plugin_glob"])
		return skills, warnings, err
	}
	return nil, nil, fmt.Errorf("%s: nothing reads it", name)
}

// localProjects lists the folders that sessions of this machine ran in.
func (r *Reader) localProjects(ctx context.Context) ([]string, error) {
	var out []string
	query := "SELECT DISTINCT project_path FROM raw WHERE project_path IS NOT NULL AND host = " + quote(LocalHost)
	err := r.each(ctx, query, func(scan func(...any) error) error {
		var path string
		err := scan(&path)
		out = append(out, path)
		return err
	})
	slices.Sort(out)
	return out, err
}

// transcript is a file on disk, or a folder that cannot be read, with the reason.
type transcript struct {
	Host       string `json:"host"`
	Agent      string `json:"agent"`
	Root       string `json:"root"`
	SourceFile string `json:"source_file"`
	SessionID  string `json:"session_id,omitempty"`
	Status     string `json:"status"` // ok, skipped, unreadable; of a root also missing or empty
	Reason     string `json:"reason,omitempty"`
	SizeBytes  int64  `json:"size_bytes"`
	ModifiedMS int64  `json:"modified_ms"` // since 1970
}

// listTranscripts looks at the folders as a refresh does.
func listTranscripts(ctx context.Context, roots []Root) ([]transcript, error) {
	t, err := scan(ctx, roots)
	if err != nil {
		return nil, err
	}
	var out []transcript
	for _, f := range t.files {
		out = append(out, transcript{f.root.Host, f.root.Agent, f.root.Path, f.path, f.sessionID, f.status, f.reason, f.size, f.mtimeNS / 1e6})
	}
	for _, root := range roots {
		if t.missing[root.Path] {
			status := "empty"
			if _, err := os.Stat(root.Path); err != nil {
				status = "missing"
			}
			out = append(out, transcript{Host: root.Host, Agent: root.Agent, Root: root.Path, SourceFile: root.Path, Status: status})
		}
	}
	return out, nil
}
