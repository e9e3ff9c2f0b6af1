package claude

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// The agent's configuration, as far as reports compare it with what happened: hooks, skills,
// permission rules, and how long transcripts are kept.
//
// The rules are:
//
//   - Nothing is written, and nothing is opened but regular files of at most 16 MiB.
//   - Keys are those that the agent writes, letter for letter; Go's decoder would take "Hooks" for
//     "hooks".
//   - What is not there is no news, unless somebody named it. What is there and cannot be read, or
//     is not of the known shape, is left out with a warning, where somebody named it with an error.
//   - The files say what is configured now, not when a session ran.
//
// Places, by Claude Code's documentation (October 2026): settings.json in the configuration folder,
// .claude/settings.json and settings.local.json in a project, managed-settings.json and
// managed-settings.d/*.json in the administrator's folder, and what plugins bring below
// plugins/cache/<marketplace>/<plugin>/<version>/.

// Config says where the configuration lies.
type Config struct {
	Dirs     []string // folders of the person's own configuration
	Managed  string   // folder of settings that an administrator made
	Projects []string // folders that sessions ran in
	Home     string   // what ~ stands for in a glob
}

// Scopes of a setting.
const (
	Managed = "managed"
	User    = "user"
	Project = "project"
	Local   = "local" // of a project, for one person
	Plugin  = "plugin"
)

// ConfigDirs returns the folders of a person's own configuration; they need not exist.
func ConfigDirs(getenv func(string) string, home string) []string {
	if list := split(getenv("CLAUDE_CONFIG_DIR")); len(list) > 0 {
		return list
	}
	if home == "" {
		return nil
	}
	return []string{filepath.Join(home, ".claude"), filepath.Join(home, ".config", "claude")}
}

// ManagedDir returns the folder of an administrator's settings. The variable is the agent's own, for
// trials.
func ManagedDir(getenv func(string) string, goos string) string {
	if dir := getenv("CLAUDE_CODE_MANAGED_SETTINGS_PATH"); dir != "" {
		return dir
	}
	if goos == "darwin" {
		return "/Library/Application Support/ClaudeCode"
	}
	return "/etc/claude-code"
}

// settingsFile is a JSON file of settings that is there.
type settingsFile struct {
	path    string
	scope   string
	project string // folder it holds for, "" for every one
	plugin  string // plugin@marketplace
	keys    map[string]json.RawMessage
}

// warnings are collected while files are read.
type warnings []string

func (w *warnings) add(err error) {
	if text := err.Error(); !slices.Contains(*w, text) {
		*w = append(*w, text)
	}
}

// settings reads every settings file that is there, those that count most first.
func (c Config) settings(warn *warnings) []settingsFile {
	var files []settingsFile
	seen := map[string]bool{}
	add := func(path, scope, project string) {
		if seen[path] {
			return
		}
		seen[path] = true
		keys, err := readKeys(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			warn.add(err)
		default:
			files = append(files, settingsFile{path: path, scope: scope, project: project, keys: keys})
		}
	}
	if c.Managed != "" {
		add(filepath.Join(c.Managed, "managed-settings.json"), Managed, "")
		more, _ := filepath.Glob(filepath.Join(globQuote(c.Managed), "managed-settings.d", "*.json"))
		for _, path := range more {
			add(path, Managed, "")
		}
	}
	for _, dir := range c.Dirs {
		add(filepath.Join(dir, "settings.json"), User, "")
	}
	for _, dir := range c.projects() {
		add(filepath.Join(dir, ".claude", "settings.local.json"), Local, dir)
		add(filepath.Join(dir, ".claude", "settings.json"), Project, dir)
	}
	return files
}

// projects are the project folders that there are, in order.
func (c Config) projects() []string {
	var dirs []string
	for _, dir := range c.Projects {
		if !filepath.IsAbs(dir) {
			continue // of another system, or no path at all
		}
		if info, err := os.Stat(filepath.Join(dir, ".claude")); err == nil && info.IsDir() {
			dirs = append(dirs, filepath.Clean(dir))
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// CleanUp is a file that says how long transcripts are kept.
type CleanUp struct {
	ConfigSource string  `json:"config_source"`
	Scope        string  `json:"scope"`
	ProjectPath  *string `json:"project_path"` // null where it holds for every one
	Days         int64   `json:"cleanup_days"` // begun days, at most longestPeriod
}

// longestPeriod stands for ever: people write 99999, and more would leave the range of times.
const longestPeriod = 100000

// CleanUps returns what the settings say of it, those that count most first.
func (c Config) CleanUps() ([]CleanUp, []string) {
	var warn warnings
	var out []CleanUp
	for _, f := range c.settings(&warn) {
		raw, ok := f.keys["cleanupPeriodDays"]
		if !ok {
			continue
		}
		var days *float64
		if err := json.Unmarshal(raw, &days); err != nil || days == nil || *days < 0 {
			warn.add(fmt.Errorf("%s: cleanupPeriodDays is %s, want a number of days", f.path, raw))
			continue
		}
		out = append(out, CleanUp{f.path, f.scope, orNull(f.project), int64(math.Ceil(min(*days, longestPeriod)))})
	}
	return out, warn
}

// readKeys reads a JSON object.
func readKeys(path string) (map[string]json.RawMessage, error) {
	text, err := readFile(path)
	if err != nil {
		return nil, err
	}
	var keys map[string]json.RawMessage
	err = json.Unmarshal(text, &keys)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		line := 1 + bytes.Count(text[:min(int(syntax.Offset), len(text))], []byte("\n"))
		return nil, fmt.Errorf("%s:%d: no JSON: %w", path, line, err)
	case err != nil || keys == nil:
		return nil, fmt.Errorf("%s: no JSON object", path)
	}
	return keys, nil
}

const largest = 16 << 20

// readFile reads a regular file of text. An error names the file.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	switch {
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: no regular file", path)
	case info.Size() > largest:
		return nil, fmt.Errorf("%s: larger than 16 MiB", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, largest))
	if err != nil {
		return nil, err
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if !utf8.Valid(text) {
		return nil, fmt.Errorf("%s: not UTF-8", path)
	}
	return text, nil
}

// named returns the files that a glob names, and an error where it names none.
func (c Config) named(glob string) ([]string, error) {
	pattern := glob
	if rest, ok := strings.CutPrefix(glob, "~/"); ok && c.Home != "" {
		pattern = filepath.Join(globQuote(c.Home), rest)
	}
	if pattern == "" {
		return nil, errors.New("an empty glob names no file")
	}
	paths, err := filepath.Glob(pattern)
	switch {
	case err != nil:
		return nil, fmt.Errorf("glob %q: %w", glob, err)
	case len(paths) == 0 && !strings.ContainsAny(pattern, `*?[`):
		return nil, fmt.Errorf("%q: no such file", glob)
	case len(paths) == 0:
		return nil, fmt.Errorf("no file matches %q", glob)
	}
	for i, path := range paths {
		if paths[i], err = filepath.Abs(path); err != nil {
			return nil, err
		}
	}
	return paths, nil
}

// globQuote makes a path a pattern that names it.
func globQuote(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
