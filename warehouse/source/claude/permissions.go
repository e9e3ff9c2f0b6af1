package claude

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// Rule is a permission rule.
type Rule struct {
	ConfigSource string  `json:"config_source"` // file
	Scope        string  `json:"scope"`
	ProjectPath  *string `json:"project_path"` // null where it holds for every one
	Behavior     string  `json:"behavior"`     // allow, ask or deny
	Rule         string  `json:"rule"`         // as it is written
	Tool         string  `json:"tool"`
	Matches      *string `json:"matches"` // regular expression of what a Bash rule fits, null for everything
}

// Rules returns the permission rules of all settings files.
func (c Config) Rules() ([]Rule, []string) {
	var warn warnings
	var out []Rule
	for _, f := range c.settings(&warn) {
		var permissions map[string]json.RawMessage
		raw, ok := f.keys["permissions"]
		if !ok {
			continue
		}
		if json.Unmarshal(raw, &permissions) != nil {
			warn.add(fmt.Errorf("%s: permissions: no JSON object", f.path))
			continue
		}
		for _, behavior := range []string{"allow", "ask", "deny"} {
			raw, ok := permissions[behavior]
			if !ok {
				continue
			}
			var rules []json.RawMessage
			if json.Unmarshal(raw, &rules) != nil {
				warn.add(fmt.Errorf("%s: permissions.%s: no list", f.path, behavior))
				continue
			}
			for i, raw := range rules {
				var text string
				if json.Unmarshal(raw, &text) != nil || strings.TrimSpace(text) == "" {
					warn.add(fmt.Errorf("%s: permissions.%s[%d]: no rule", f.path, behavior, i))
					continue
				}
				rule := Rule{ConfigSource: f.path, Scope: f.scope, ProjectPath: orNull(f.project), Behavior: behavior, Rule: text}
				rule.Tool, rule.Matches = takeApart(text)
				out = append(out, rule)
			}
		}
	}
	return out, warn
}

var ruleShape = regexp.MustCompile(`(?s)^\s*([^\s()]+)\s*(?:\((.*)\))?\s*$`)

// takeApart reads Tool or Tool(pattern). What a pattern of Bash fits:
//
//	npm test       these words and nothing else
//	npm run:*      and whatever stands behind them
//	npm run *      the same: a blank and a star at the end may be missing together
//	git * main     a star in another place is any text
//	*              everything, as without a pattern
func takeApart(rule string) (tool string, matches *string) {
	m := ruleShape.FindStringSubmatch(rule)
	if m == nil {
		return rule, nil
	}
	tool = m[1]
	pattern := strings.TrimSpace(m[2])
	if tool != "Bash" || pattern == "" || pattern == "*" || pattern == ":*" {
		return tool, nil
	}
	more := ""
	if prefix, ok := strings.CutSuffix(pattern, ":*"); ok {
		pattern, more = prefix, `(\s.*)?`
	} else if prefix, ok := strings.CutSuffix(pattern, " *"); ok && !strings.Contains(prefix, "*") {
		pattern, more = prefix, `(\s.*)?`
	}
	expression := `(?s)^` + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, `.*`) + more + `$`
	return tool, &expression
}
