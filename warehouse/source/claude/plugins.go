package claude

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Plugins lie below plugins/cache/<marketplace>/<plugin>/<version>/, where a version is a hash or a
// number, and old ones stay when a new one comes.
//
// The rules are:
//
//   - One version of a plugin counts: the one that installed_plugins.json names, else the newest by
//     the time of its folder, then by name.
//   - A plugin that a settings file of the administrator or the person switches off
//     (enabledPlugins) is left out.

// plugin is a version that counts.
type plugin struct {
	name string // plugin@marketplace
	dir  string
}

// plugins lists the plugins of a configuration folder.
func plugins(dir string, off map[string]bool) []plugin {
	versions, _ := filepath.Glob(filepath.Join(globQuote(dir), "plugins", "cache", "*", "*", "*"))
	var out []plugin
	for _, version := range newestVersions(versions) {
		name := pluginName(version)
		if !off[name] {
			out = append(out, plugin{name, version})
		}
	}
	return out
}

// pluginName is plugin@marketplace of a version's folder.
func pluginName(version string) string {
	dir := filepath.Dir(version)
	return filepath.Base(dir) + "@" + filepath.Base(filepath.Dir(dir))
}

// newestVersions keeps one version of each plugin.
func newestVersions(versions []string) []string {
	type candidate struct {
		path      string
		installed bool
		modified  time.Time
	}
	best := map[string]candidate{}
	for _, path := range versions {
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() {
			continue
		}
		c := candidate{path, isInstalled(path), info.ModTime()}
		was, ok := best[filepath.Dir(path)]
		switch {
		case !ok, c.installed && !was.installed:
			best[filepath.Dir(path)] = c
		case was.installed && !c.installed:
		case c.modified.After(was.modified), c.modified.Equal(was.modified) && path > was.path:
			best[filepath.Dir(path)] = c
		}
	}
	var out []string
	for _, c := range best {
		out = append(out, c.path)
	}
	slices.Sort(out)
	return out
}

// isInstalled tells whether installed_plugins.json, above the cache, names this version. The path in
// it is compared by its last three parts, so that a copied home keeps its answer.
func isInstalled(version string) bool {
	cache := filepath.Dir(filepath.Dir(filepath.Dir(version)))
	keys, err := readKeys(filepath.Join(filepath.Dir(cache), "installed_plugins.json"))
	if err != nil {
		return false
	}
	var installed map[string]json.RawMessage
	if json.Unmarshal(keys["plugins"], &installed) != nil {
		return false
	}
	// One entry in older files, a list of them since they can be installed for a project.
	var entries []map[string]json.RawMessage
	raw := installed[pluginName(version)]
	if json.Unmarshal(raw, &entries) != nil {
		var entry map[string]json.RawMessage
		if json.Unmarshal(raw, &entry) != nil {
			return false
		}
		entries = append(entries, entry)
	}
	last := func(path string) string {
		parts := strings.Split(filepath.ToSlash(path), "/")
		return strings.Join(parts[max(0, len(parts)-3):], "/")
	}
	for _, entry := range entries {
		var path string
		if json.Unmarshal(entry["installPath"], &path) == nil && last(path) == last(version) {
			return true
		}
	}
	return false
}

// switchedOff lists the plugins that settings switch off. The file that counts most decides.
func switchedOff(files []settingsFile) map[string]bool {
	decided, off := map[string]bool{}, map[string]bool{}
	for _, f := range files {
		if f.scope != Managed && f.scope != User {
			continue
		}
		var enabled map[string]json.RawMessage
		if json.Unmarshal(f.keys["enabledPlugins"], &enabled) != nil {
			continue
		}
		for name, raw := range enabled {
			var on bool
			if json.Unmarshal(raw, &on) == nil && !decided[name] {
				decided[name] = true
				off[name] = !on
			}
		}
	}
	return off
}
