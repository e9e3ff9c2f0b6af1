package claude

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"
)

// home makes files below a fresh folder and says where the configuration lies in it.
func home(t *testing.T, files map[string]string) Config {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return Config{
		Dirs:     ConfigDirs(func(string) string { return "" }, dir),
		Managed:  filepath.Join(dir, "etc"),
		Projects: []string{filepath.Join(dir, "app"), filepath.Join(dir, "gone"), `C:\app`, "relative"},
		Home:     dir,
	}
}

// below shortens the paths of a result.
func below(c Config, text string) string { return strings.ReplaceAll(text, c.Home+"/", "") }

func TestConfigDirs(t *testing.T) {
	env := func(value string) func(string) string { return func(string) string { return value } }
	for _, tt := range []struct {
		value, home string
		want        []string
	}{
		{"", "/h", []string{"/h/.claude", "/h/.config/claude"}},
		{" /c ,/d", "/h", []string{"/c", "/d"}},
		{"", "", nil},
	} {
		if got := ConfigDirs(env(tt.value), tt.home); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%q: got %q, want %q", tt.value, got, tt.want)
		}
	}
	if got := ManagedDir(env(""), "linux"); got != "/etc/claude-code" {
		t.Errorf("got %q", got)
	}
}

func TestHooks(t *testing.T) {
	const one = `{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "%"}]}]}}`
	hook := func(command string) string { return strings.Replace(one, "%", command, 1) }
	c := home(t, map[string]string{
		"etc/managed-settings.json":      hook("managed.sh"),
		"etc/managed-settings.d/10.json": hook("dropped-in.sh"),
		".claude/settings.json": `{"hooks": {
			"PreToolUse": [
				{"matcher": "Bash", "hooks": [{"type": "command", "command": "guard.sh"}, {"type": "prompt", "prompt": "Is it safe?"}]},
				{"hooks": "none"},
				{"hooks": [{"type": "command"}]}],
			"Stop": "none"}, "Hooks": {"Stop": [{"hooks": [{"command": "other-case.sh"}]}]},
			"enabledPlugins": {"off@market": false, "on@market": true}}`,
		"app/.claude/settings.json":                                    hook("project.sh"),
		"app/.claude/settings.local.json":                              hook("local.sh"),
		".claude/plugins/cache/market/on/aaaa/hooks/hooks.json":        hook("plugin.sh"),
		".claude/plugins/cache/market/off/aaaa/hooks/hooks.json":       hook("off.sh"),
		".claude/plugins/cache/market/bare/1.0.0/README.md":            "no hooks",
		".claude/plugins/cache/market/broken/1.0.0/hooks/hooks.json":   "{\n\"hooks\": {,}\n}",
		".config/claude/plugins/cache/market/else/1/hooks/hooks.json":  hook("else.sh"),
		".claude/plugins/marketplaces/market/on/hooks/hooks.json":      hook("not-installed.sh"),
		".claude/plugins/cache/market/on/aaaa/hooks/other-config.json": hook("other-file.sh"),
	})
	hooks, warn, err := c.Hooks("")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, h := range hooks {
		matcher, plugin, project := "", "", ""
		if h.Matcher != nil {
			matcher = *h.Matcher
		}
		if h.Plugin != nil {
			plugin = *h.Plugin
		}
		if h.ProjectPath != nil {
			project = *h.ProjectPath
		}
		got = append(got, below(c, strings.Join([]string{h.ConfigSource, h.Scope, project + plugin, h.Event, matcher, h.Command}, " | ")))
	}
	want := []string{
		"etc/managed-settings.json | managed |  | Stop |  | managed.sh",
		"etc/managed-settings.d/10.json | managed |  | Stop |  | dropped-in.sh",
		".claude/settings.json | user |  | PreToolUse | Bash | guard.sh",
		".claude/settings.json | user |  | PreToolUse | Bash | Is it safe?",
		"app/.claude/settings.local.json | local | " + c.Home + "/app | Stop |  | local.sh",
		"app/.claude/settings.json | project | " + c.Home + "/app | Stop |  | project.sh",
		".claude/plugins/cache/market/on/aaaa/hooks/hooks.json | plugin | on@market | Stop |  | plugin.sh",
		".config/claude/plugins/cache/market/else/1/hooks/hooks.json | plugin | else@market | Stop |  | else.sh",
	}
	for i := range want {
		want[i] = below(c, want[i])
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	text := below(c, strings.Join(warn, "\n"))
	if want := ".claude/plugins/cache/market/broken/1.0.0/hooks/hooks.json:2: no JSON: invalid character ',' looking for beginning of object key string\n" +
		".claude/settings.json: no hook is seen in hooks.PreToolUse[1], hooks.PreToolUse[2].hooks[0], hooks.Stop"; text != want {
		t.Errorf("got warnings\n%s\nwant\n%s", text, want)
	}
}

// A file that somebody names has to be there and to be right.
func TestNamedHooks(t *testing.T) {
	c := home(t, map[string]string{
		"a/one.json":                            `{"hooks": {"Stop": [{"hooks": [{"command": "one.sh"}]}]}}`,
		"a/two.json":                            `{"hooks": {"Stop": [{"hooks": [{"command": "two.sh"}]}]}}`,
		"b/broken.json":                         "{\n\n  \"hooks\": }",
		"b/list.json":                           "[]",
		"c/empty.json":                          "",
		"app/.claude/settings.json":             `{"hooks": {"Stop": [{"hooks": [{"command": "project.sh"}]}]}}`,
		"plugins/cache/m/p/1/hooks/hooks.json":  `{"hooks": {"Stop": [{"hooks": [{"command": "old.sh"}]}]}}`,
		"plugins/cache/m/p/10/hooks/hooks.json": `{"hooks": {"Stop": [{"hooks": [{"command": "new.sh"}]}]}}`,
	})
	older := time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)
	for name, at := range map[string]time.Time{"1": older, "10": older.AddDate(0, 1, 0)} {
		if err := os.Chtimes(filepath.Join(c.Home, "plugins/cache/m/p", name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ glob, want string }{
		{c.Home + "/a/*.json", "user one.sh, user two.sh"},
		{"~/a/one.json", "user one.sh"},
		{"~/app/.claude/settings.json", "project project.sh"},
		{"~/plugins/cache/*/*/*/hooks/hooks.json", "plugin new.sh"},
		{"~/a/three.json", `hook_config_glob: "~/a/three.json": no such file`},
		{"~/a/x*.json", `hook_config_glob: no file matches "~/a/x*.json"`},
		{"~/a/[", `hook_config_glob: glob "~/a/[": syntax error in pattern`},
		{"~/b/broken.json", "hook_config_glob: b/broken.json:3: no JSON: invalid character '}' looking for beginning of value"},
		{"~/b/list.json", "hook_config_glob: b/list.json: no JSON object"},
		{"~/c/empty.json", "hook_config_glob: c/empty.json:1: no JSON: unexpected end of JSON input"},
		{"~/a", "hook_config_glob: a: no regular file"},
	} {
		hooks, _, err := c.Hooks(tt.glob)
		var got []string
		for _, h := range hooks {
			got = append(got, h.Scope+" "+h.Command)
		}
		text := strings.Join(got, ", ")
		if err != nil {
			text = below(c, err.Error())
		}
		if text != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.glob, text, tt.want)
		}
	}
}

func TestNewestVersion(t *testing.T) {
	c := home(t, map[string]string{
		".claude/plugins/cache/m/p/old/x":           "",
		".claude/plugins/cache/m/p/new/x":           "",
		".claude/plugins/cache/m/named/a/x":         "",
		".claude/plugins/cache/m/named/b/x":         "",
		".claude/plugins/installed_plugins.json":    `{"version": 2, "plugins": {"named@m": [{"scope": "user", "installPath": "/elsewhere/cache/m/named/a"}]}}`,
		".claude/plugins/cache/m/p/file":            "no folder",
		".claude/plugins/cache/other/named/z/x":     "",
		".claude/plugins/cache/other/named/zz/x":    "",
		".config/claude/plugins/cache/m/p/single/x": "",
	})
	early := time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)
	for name, days := range map[string]int{"m/p/old": 0, "m/p/new": 1, "m/named/a": 0, "m/named/b": 1, "other/named/z": 0, "other/named/zz": 0} {
		at := early.AddDate(0, 0, days)
		if err := os.Chtimes(filepath.Join(c.Dirs[0], "plugins/cache", name), at, at); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, p := range plugins(c.Dirs[0], map[string]bool{}) {
		got = append(got, p.name+" "+filepath.Base(p.dir))
	}
	if want := []string{"named@m a", "p@m new", "named@other zz"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRules(t *testing.T) {
	c := home(t, map[string]string{
		".claude/settings.json":           `{"permissions": {"allow": ["Bash(npm run test:*)", "Read", 7, ""], "deny": "none", "ask": ["Bash(git push *)"]}}`,
		"app/.claude/settings.local.json": `{"permissions": {"allow": ["WebFetch(domain:example.org)"]}}`,
		"app/.claude/settings.json":       `{"permissions": []}`,
	})
	rules, warn := c.Rules()
	var got []string
	for _, r := range rules {
		matches := ""
		if r.Matches != nil {
			matches = *r.Matches
		}
		got = append(got, strings.Join([]string{r.Scope, r.Behavior, r.Tool, matches}, " "))
	}
	want := []string{`user allow Bash (?s)^npm run test(\s.*)?$`, "user allow Read ", `user ask Bash (?s)^git push(\s.*)?$`, "local allow WebFetch "}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	text := below(c, strings.Join(warn, "\n"))
	if want := ".claude/settings.json: permissions.allow[2]: no rule\n.claude/settings.json: permissions.allow[3]: no rule\n" +
		".claude/settings.json: permissions.deny: no list\napp/.claude/settings.json: permissions: no JSON object"; text != want {
		t.Errorf("got warnings\n%s\nwant\n%s", text, want)
	}
}

// What a Bash rule fits.
func TestTakeApart(t *testing.T) {
	for _, tt := range []struct {
		rule string
		yes  []string
		no   []string
	}{
		{"Bash", []string{"anything", ""}, nil},
		{"Bash(*)", []string{"anything"}, nil},
		{"Bash(npm test)", []string{"npm test"}, []string{"npm test --watch", "npm"}},
		{"Bash(npm run test:*)", []string{"npm run test", "npm run test --watch"}, []string{"npm run tests", "npm run"}},
		{"Bash(ls *)", []string{"ls", "ls -la"}, []string{"lsof"}},
		{"Bash(ls*)", []string{"ls", "ls -la", "lsof"}, []string{"als"}},
		{"Bash(git * main)", []string{"git log main", "git a b main"}, []string{"git main", "git log mainly"}},
		{"Bash(* install)", []string{"npm install"}, []string{"npm install x"}},
		{"Bash(echo 'a.b' *)", []string{"echo 'a.b' c\nd"}, []string{"echo 'axb' c"}},
		{"Bash(a * b *)", []string{"a x b y"}, []string{"a x b"}},
	} {
		tool, matches := takeApart(tt.rule)
		if tool != "Bash" {
			t.Errorf("%s: got tool %q", tt.rule, tool)
		}
		fits := func(command string) bool { return matches == nil || regexp.MustCompile(*matches).MatchString(command) }
		for _, command := range tt.yes {
			if !fits(command) {
				t.Errorf("%s does not fit %q", tt.rule, command)
			}
		}
		for _, command := range tt.no {
			if fits(command) {
				t.Errorf("%s fits %q", tt.rule, command)
			}
		}
	}
	if tool, matches := takeApart("mcp__db__query"); tool != "mcp__db__query" || matches != nil {
		t.Errorf("got %q, %v", tool, matches)
	}
}

func TestSkills(t *testing.T) {
	c := home(t, map[string]string{
		".claude/skills/plain/SKILL.md":                            "---\nname: plain\ndescription: Ten chars.\n---\nDo it.",
		".claude/skills/folder-name/SKILL.md":                      "---\nname: other-name\ndescription: >\n  folded\n  text\ndisable-model-invocation: true\n---\n",
		".claude/skills/colon/SKILL.md":                            "---\nname: colon\ndescription: Use when: it's late\n---\n",
		".claude/skills/no-front/SKILL.md":                         "# Nothing before\n---\nname: x\n---\n",
		".claude/skills/open/SKILL.md":                             "---\nname: open\n",
		".claude/skills/broken/SKILL.md":                           "---\nname: [a\ndescription: x\n---\n",
		".claude/skills/crlf/SKILL.md":                             "---\r\nname: crlf\r\ndescription: été\r\n---\r\n",
		".claude/skills/not-a-skill/README.md":                     "no",
		"app/.claude/skills/deploy/SKILL.md":                       "---\nname: deploy\n---\n",
		".claude/plugins/cache/m/p/1/skills/plain/SKILL.md":        "---\nname: plain\n---\n",
		".claude/plugins/cache/m/p/1/skills/deeper/more/SKILL.md":  "---\nname: no-skill\n---\n",
		"elsewhere/skills/one/SKILL.md":                            "---\nname: one\n---\n",
		"elsewhere/plugins/cache/m/q/5/skills/two/SKILL.md":        "---\nname: two\n---\n",
		"etc/.claude/skills/company/SKILL.md":                      "---\nname: company\ndisable-model-invocation: \"true\"\n---\n",
		".claude/plugins/cache/m/p/1/skills/wrong-types/SKILL.md":  "---\nname: 12\ndescription: [a]\ndisable-model-invocation: 1\n---\n",
		".claude/plugins/cache/m/p/1/skills/not-utf-8/SKILL.md":    "---\nname: \xff\n---\n",
		".claude/plugins/cache/m/p/1/skills/bom/SKILL.md":          "\ufeff---\nname: with-bom\n---\n",
		".claude/plugins/cache/m/p/1/skills/empty-front/SKILL.md":  "---\n---\ntext\n",
		".claude/plugins/cache/m/p/1/skills/other-case/SKILL.md":   "---\nName: Upper\n---\n",
		".claude/plugins/cache/m/p/1/skills/long-dashes/SKILL.md":  "---\nname: long\ndescription: a --- b\n---\n",
		".claude/plugins/cache/m/p/1/skills/list-on-top/SKILL.md":  "---\n- name\n---\n",
		".claude/plugins/cache/m/p/1/skills/twice/SKILL.md":        "---\nname: a\nname: b\n---\n",
		".claude/plugins/cache/m/p/1/skills/double-colon/SKILL.md": "---\nname: dc\ndescription: a: b: c\n---\n",
	})
	show := func(skills []Skill) string {
		var lines []string
		for _, s := range skills {
			flags := ""
			if s.DisableModelInvocation {
				flags = " disabled"
			}
			plugin := ""
			if s.Plugin != nil {
				plugin = *s.Plugin + " "
			}
			lines = append(lines, s.Scope+" "+plugin+s.Name+" "+string(rune('0'+s.DescriptionChars%10))+flags)
		}
		return strings.Join(lines, "\n")
	}
	skills, warn, err := c.Skills("", "", "")
	if err != nil {
		t.Fatal(err)
	}
	const want = `managed company 0 disabled
user broken 0
user colon 9
user crlf 3
user other-name 1 disabled
user no-front 0
user open 0
user plain 0
project deploy 0
plugin p@m with-bom 0
plugin p@m dc 7
plugin p@m empty-front 0
plugin p@m list-on-top 0
plugin p@m long 7
plugin p@m other-case 0
plugin p@m plain 0
plugin p@m twice 0
plugin p@m wrong-types 0`
	if got := show(skills); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	text := below(c, strings.Join(warn, "\n"))
	const wantWarn = `.claude/skills/broken/SKILL.md: front matter: no YAML: [3:1] ',' or ']' must be specified
.claude/plugins/cache/m/p/1/skills/list-on-top/SKILL.md: front matter: no YAML: [2:1] sequence was used where mapping is expected
.claude/plugins/cache/m/p/1/skills/not-utf-8/SKILL.md: not UTF-8
.claude/plugins/cache/m/p/1/skills/twice/SKILL.md: front matter: no YAML: [3:1] mapping key "name" already defined at [2:1]`
	if text != wantWarn {
		t.Errorf("got warnings\n%s\nwant\n%s", text, wantWarn)
	}

	skills, _, err = c.Skills("~/elsewhere/skills/*/SKILL.md", "~/app/.claude/skills/*/SKILL.md", "~/elsewhere/plugins/cache/*/*/*/skills/*/SKILL.md")
	if err != nil || show(skills) != "user one 0\nproject deploy 0\nplugin q@m two 0" {
		t.Errorf("got %s, %v", show(skills), err)
	}
	if skills[1].ProjectPath == nil || *skills[1].ProjectPath != filepath.Join(c.Home, "app") {
		t.Errorf("got project %v", skills[1].ProjectPath)
	}
	for _, globs := range [][3]string{{"~/none/*/SKILL.md", "", ""}, {"", "~/none/*/SKILL.md", ""}, {"", "", "~/none/*/SKILL.md"}} {
		if _, _, err := c.Skills(globs[0], globs[1], globs[2]); err == nil || !strings.Contains(err.Error(), `_glob: no file matches "~/none/*/SKILL.md"`) {
			t.Errorf("%q: got %v", globs, err)
		}
	}
}

func TestCleanUps(t *testing.T) {
	c := home(t, map[string]string{
		"etc/managed-settings.json":       `{"cleanupPeriodDays": "many"}`,
		".claude/settings.json":           `{"cleanupPeriodDays": 90}`,
		"app/.claude/settings.json":       `{"cleanupPeriodDays": 0}`,
		"app/.claude/settings.local.json": `{"model": "x"}`,
		".config/claude/settings.json":    `{"cleanupPeriodDays": -1}`,
	})
	got, warn := c.CleanUps()
	app := filepath.Join(c.Home, "app")
	want := []CleanUp{
		{filepath.Join(c.Home, ".claude/settings.json"), User, nil, 90},
		{filepath.Join(app, ".claude/settings.json"), Project, &app, 0},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	text := below(c, strings.Join(warn, "\n"))
	if want := "etc/managed-settings.json: cleanupPeriodDays is \"many\", want a number of days\n" +
		".config/claude/settings.json: cleanupPeriodDays is -1, want a number of days"; text != want {
		t.Errorf("got %s, want %s", text, want)
	}
}
