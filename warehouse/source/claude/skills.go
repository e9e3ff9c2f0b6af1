package claude

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
)

// Skill is an installed skill.
type Skill struct {
	Source                 string  `json:"source"` // file
	Scope                  string  `json:"scope"`
	ProjectPath            *string `json:"project_path"` // null where it holds for every one
	Plugin                 *string `json:"plugin"`       // plugin@marketplace
	Folder                 string  `json:"folder"`       // name of its folder
	Name                   string  `json:"name"`         // name it gives itself, else its folder's
	DescriptionChars       int     `json:"description_chars"`
	DisableModelInvocation bool    `json:"disable_model_invocation"`
}

// Skills returns the installed skills. A glob that is not empty names the files of its kind instead
// of the usual ones.
func (c Config) Skills(personal, project, plugin string) ([]Skill, []string, error) {
	var warn warnings
	var out []Skill
	read := func(path, scope, projectPath, pluginName string, named bool) error {
		s, err := readSkill(path)
		switch {
		case err != nil && named && s.Folder == "":
			return err
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			warn.add(err)
		}
		if s.Folder != "" {
			s.Scope, s.ProjectPath, s.Plugin = scope, orNull(projectPath), orNull(pluginName)
			out = append(out, s)
		}
		return nil
	}
	for _, kind := range []struct {
		scope, parameter, glob string
		usual                  func()
	}{
		{User, "personal_glob", personal, func() {
			if c.Managed != "" {
				for _, path := range skillsIn(filepath.Join(c.Managed, ".claude")) {
					read(path, Managed, "", "", false)
				}
			}
			for _, dir := range c.Dirs {
				for _, path := range skillsIn(dir) {
					read(path, User, "", "", false)
				}
			}
		}},
		{Project, "project_glob", project, func() {
			for _, dir := range c.projects() {
				for _, path := range skillsIn(filepath.Join(dir, ".claude")) {
					read(path, Project, dir, "", false)
				}
			}
		}},
		{Plugin, "plugin_glob", plugin, func() {
			off := switchedOff(c.settings(&warn))
			for _, dir := range c.Dirs {
				for _, p := range plugins(dir, off) {
					for _, path := range skillsIn(p.dir) {
						read(path, Plugin, "", p.name, false)
					}
				}
			}
		}},
	} {
		if kind.glob == "" {
			kind.usual()
			continue
		}
		paths, err := c.named(kind.glob)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", kind.parameter, err)
		}
		for _, path := range onlyNewest(paths) {
			projectPath, name := "", ""
			switch kind.scope {
			case Project:
				if root := filepath.Dir(filepath.Dir(filepath.Dir(path))); filepath.Base(root) == ".claude" {
					projectPath = filepath.Dir(root)
				}
			case Plugin:
				version, ok := versionOf(path)
				if !ok { // a plugin that lies elsewhere: <plugin>/skills/<skill>/SKILL.md
					name = filepath.Base(filepath.Dir(filepath.Dir(filepath.Dir(path))))
				} else {
					name = pluginName(version)
				}
			}
			if err := read(path, kind.scope, projectPath, name, true); err != nil {
				return nil, nil, fmt.Errorf("%s: %w", kind.parameter, err)
			}
		}
	}
	return out, warn, nil
}

// skillsIn lists the SKILL.md files below skills/ of a folder.
func skillsIn(dir string) []string {
	paths, _ := filepath.Glob(filepath.Join(globQuote(dir), "skills", "*", "SKILL.md"))
	return paths
}

// readSkill reads a SKILL.md. With an error about what stands in its front matter the skill is still
// named by its folder.
func readSkill(path string) (Skill, error) {
	text, err := readFile(path)
	if err != nil {
		return Skill{}, err
	}
	folder := filepath.Base(filepath.Dir(path))
	s := Skill{Source: path, Folder: folder, Name: folder}
	front, ok := frontMatter(string(text))
	if !ok {
		return s, nil
	}
	keys, err := readYAML(front)
	if err != nil {
		return s, fmt.Errorf("%s: front matter: %w", path, err)
	}
	if name, ok := keys["name"].(string); ok && strings.TrimSpace(name) != "" {
		s.Name = strings.TrimSpace(name)
	}
	if description, ok := keys["description"].(string); ok {
		s.DescriptionChars = utf8.RuneCountInString(strings.TrimSpace(description))
	}
	switch v := keys["disable-model-invocation"].(type) {
	case bool:
		s.DisableModelInvocation = v
	case string:
		s.DisableModelInvocation = strings.EqualFold(v, "true")
	}
	return s, nil
}

// frontMatter is the text between the lines of three dashes that a file begins with.
func frontMatter(text string) (string, bool) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return "", false
	}
	front, _, ok := strings.Cut("\n"+rest+"\n", "\n---\n")
	return front, ok
}

var plainLine = regexp.MustCompile(`(?m)^([A-Za-z][\w-]*): +([^\s"'>|\[{&*!].*?) *$`)

// readYAML reads front matter. People write "description: Use when: …", which is no YAML; like the
// agent, it is tried again with such text in quotes.
func readYAML(text string) (map[string]any, error) {
	var keys map[string]any
	err := yaml.Unmarshal([]byte(text), &keys)
	if err == nil {
		return keys, nil
	}
	quoted := plainLine.ReplaceAllStringFunc(text, func(line string) string {
		m := plainLine.FindStringSubmatch(line)
		return m[1] + ": '" + strings.ReplaceAll(m[2], "'", "''") + "'"
	})
	keys = nil
	if yaml.Unmarshal([]byte(quoted), &keys) == nil {
		return keys, nil
	}
	first, _, _ := strings.Cut(err.Error(), "\n")
	return nil, fmt.Errorf("no YAML: %s", first)
}
