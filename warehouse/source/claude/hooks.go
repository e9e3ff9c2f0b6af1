package claude

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// Hook is a configured hook.
type Hook struct {
	ConfigSource string  `json:"config_source"` // file
	Scope        string  `json:"scope"`
	ProjectPath  *string `json:"project_path"` // null where it holds for every one
	Plugin       *string `json:"plugin"`       // plugin@marketplace
	Event        string  `json:"event"`
	Matcher      *string `json:"matcher"`
	Command      string  `json:"command"` // or the prompt or address of one that is no command
}

// Hooks returns the configured hooks in the order of the files, or those of the files that a glob
// names. Those that skills and sub-agents bring for their own time are not read.
func (c Config) Hooks(glob string) ([]Hook, []string, error) {
	var warn warnings
	var files []settingsFile
	if glob != "" {
		paths, err := c.named(glob)
		if err != nil {
			return nil, nil, fmt.Errorf("hook_config_glob: %w", err)
		}
		for _, path := range onlyNewest(paths) {
			keys, err := readKeys(path)
			if err != nil {
				return nil, nil, fmt.Errorf("hook_config_glob: %w", err)
			}
			f := settingsFile{path: path, scope: User, keys: keys}
			if version, ok := versionOf(path); ok {
				f.scope, f.plugin = Plugin, pluginName(version)
			} else if dir := filepath.Dir(path); filepath.Base(dir) == ".claude" && !slices.Contains(c.Dirs, dir) {
				f.scope, f.project = Project, filepath.Dir(dir)
			}
			files = append(files, f)
		}
	} else {
		files = c.settings(&warn)
		off := switchedOff(files)
		for _, dir := range c.Dirs {
			for _, p := range plugins(dir, off) {
				path := filepath.Join(p.dir, "hooks", "hooks.json")
				keys, err := readKeys(path)
				switch {
				case errors.Is(err, fs.ErrNotExist):
				case err != nil:
					warn.add(err)
				default:
					files = append(files, settingsFile{path: path, scope: Plugin, plugin: p.name, keys: keys})
				}
			}
		}
	}
	var out []Hook
	for _, f := range files {
		if string(f.keys["disableAllHooks"]) == "true" {
			warn.add(fmt.Errorf("%s: disableAllHooks is set, so hooks may not run", f.path))
		}
		hooks, err := f.hooks()
		if err != nil {
			warn.add(fmt.Errorf("%s: %w", f.path, err))
		}
		out = append(out, hooks...)
	}
	return out, warn, nil
}

// hooks reads {"hooks": {EVENT: [{"matcher": …, "hooks": [{"type": …, "command": …}]}]}}. What is of
// another shape is left out and named in the error.
func (f settingsFile) hooks() ([]Hook, error) {
	raw, ok := f.keys["hooks"]
	if !ok {
		return nil, nil
	}
	var events map[string]json.RawMessage
	if err := json.Unmarshal(raw, &events); err != nil {
		return nil, errors.New("hooks: no JSON object")
	}
	var out []Hook
	var odd []string
	for _, event := range sortedKeys(events) {
		var groups []json.RawMessage
		if json.Unmarshal(events[event], &groups) != nil {
			odd = append(odd, "hooks."+event)
			continue
		}
		for i, raw := range groups {
			var group map[string]json.RawMessage
			var hooks []map[string]json.RawMessage
			if json.Unmarshal(raw, &group) != nil || json.Unmarshal(group["hooks"], &hooks) != nil {
				odd = append(odd, fmt.Sprintf("hooks.%s[%d]", event, i))
				continue
			}
			for n, h := range hooks {
				command := firstText(h, "command", "prompt", "url")
				if command == "" {
					odd = append(odd, fmt.Sprintf("hooks.%s[%d].hooks[%d]", event, i, n))
					continue
				}
				out = append(out, Hook{f.path, f.scope, orNull(f.project), orNull(f.plugin), event, orNull(firstText(group, "matcher")), command})
			}
		}
	}
	if odd != nil {
		return out, fmt.Errorf("no hook is seen in %s", strings.Join(odd, ", "))
	}
	return out, nil
}

// firstText is the first of the keys that holds text.
func firstText(object map[string]json.RawMessage, keys ...string) string {
	for _, key := range keys {
		var text string
		if json.Unmarshal(object[key], &text) == nil && text != "" {
			return text
		}
	}
	return ""
}

func sortedKeys(m map[string]json.RawMessage) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// versionOf is the version's folder of a plugin that a file lies in.
func versionOf(path string) (string, bool) {
	parts := strings.Split(filepath.ToSlash(path), "/")
	for i := len(parts) - 5; i > 0; i-- {
		if parts[i-1] == "plugins" && parts[i] == "cache" {
			return filepath.FromSlash(strings.Join(parts[:i+4], "/")), true
		}
	}
	return "", false
}

// onlyNewest leaves out the files of versions of a plugin that do not count.
func onlyNewest(paths []string) []string {
	var versions []string
	for _, path := range paths {
		if version, ok := versionOf(path); ok && !slices.Contains(versions, version) {
			versions = append(versions, version)
		}
	}
	counts := newestVersions(versions)
	return slices.DeleteFunc(paths, func(path string) bool {
		version, ok := versionOf(path)
		return ok && !slices.Contains(counts, version)
	})
}
