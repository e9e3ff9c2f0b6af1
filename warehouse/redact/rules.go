package redact

import (
	"fmt"
	"math"
	"regexp"
	"strings"
	"sync"

	"github.com/pelletier/go-toml/v2"
)

// The rules of gitleaks, read from the file that its package config embeds.
//
// The rules are:
//
//   - A rule has an expression whose first group that matched is the secret, words of which one has
//     to be in the text, and what is no secret although it matches: too little entropy, values that
//     stand for none, words of a dictionary.
//   - What holds for one kind of file holds everywhere, since what a transcript quotes has no name;
//     a rule of names alone holds nowhere. For the same reason nothing is allowed by its path.
//   - Most rules end a token at a quote, a blank or the end. In prose and in addresses other signs
//     follow it, so here it ends at whatever cannot be part of one. What calls, files and fields
//     have behind a name, as in f(x) and a.b, does not end it, nor a comma for the generic rule,
//     which would take rows of CSV for secrets.
//   - An expression is compiled when one of its words is met: all take 20 ms, a text needs few.

// tokenEnd is how most expressions end; shapeEnd and nameEnd are how they end here.
const (
	tokenEnd = `(?:[\x60'"\s;]|\\[nr]|$)`
	shapeEnd = `(?:[^\w+/=.(-]|\.\W|\.?$)`
	nameEnd  = `(?:[^\w+/=.,(-]|\.\W|\.?$)`
)

type rule struct {
	id      string
	expr    string
	group   int // of the secret; 0 is the first that matched
	entropy float64
	allowed []allowlist
	matcher func() matcher
}

// allowlist says what is no secret.
type allowlist struct {
	target  string // what the patterns are held against: secret, match or line
	words   []string
	pattern func() *regexp.Regexp // nil without one
}

// ruleFile is the form of the rules' file, as far as it is used.
type ruleFile struct {
	Allowlist  *allowlistForm
	Allowlists []allowlistForm
	Rules      []struct {
		ID          string
		Regex       string
		SecretGroup int
		Entropy     float64
		Keywords    []string
		Allowlists  []allowlistForm
	}
}

type allowlistForm struct {
	Condition   string
	Paths       []string
	Commits     []string
	RegexTarget string
	Regexes     []string
	StopWords   []string
}

// readRules returns the rules with the words of each.
func readRules(text string) ([]rule, [][]string, error) {
	var file ruleFile
	if err := toml.Unmarshal([]byte(text), &file); err != nil {
		return nil, nil, fmt.Errorf("rules: %w", err)
	}
	if file.Allowlist != nil {
		file.Allowlists = append(file.Allowlists, *file.Allowlist)
	}
	everywhere := allowlists(file.Allowlists)
	var rules []rule
	var words [][]string
	for _, r := range file.Rules {
		if r.Regex == "" {
			continue
		}
		end := shapeEnd
		if generic(r.ID) {
			end = nameEnd
		}
		expr := strings.ReplaceAll(r.Regex, tokenEnd, end)
		var lower []string
		for _, word := range r.Keywords {
			lower = append(lower, strings.ToLower(word))
		}
		words = append(words, lower)
		rules = append(rules, rule{
			id: r.ID, expr: expr, group: r.SecretGroup, entropy: r.Entropy,
			allowed: append(allowlists(r.Allowlists), everywhere...),
			matcher: sync.OnceValue(func() matcher { return compile(expr, lower) }),
		})
	}
	if len(rules) == 0 {
		return nil, nil, fmt.Errorf("rules: none")
	}
	return rules, words, nil
}

// generic tells whether a rule knows no shape, only names such as password.
func generic(id string) bool { return strings.Contains(id, "generic") }

// allowlists leaves out those that need a path or a commit.
func allowlists(forms []allowlistForm) []allowlist {
	var out []allowlist
	for _, f := range forms {
		all := strings.EqualFold(f.Condition, "AND") || f.Condition == "&&"
		if all && len(f.Paths)+len(f.Commits) > 0 {
			continue
		}
		a := allowlist{target: f.RegexTarget}
		for _, word := range f.StopWords {
			a.words = append(a.words, strings.ToLower(word))
		}
		if len(f.Regexes) > 0 {
			a.pattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("(?:" + strings.Join(f.Regexes, ")|(?:") + ")") })
		}
		if a.pattern != nil || a.words != nil {
			out = append(out, a)
		}
	}
	return out
}

// allows tells whether what was found is no secret.
func (r *rule) allows(secret, match, line string) bool {
	if r.entropy > 0 && entropy(secret) <= r.entropy {
		return true
	}
	lower := strings.ToLower(secret)
	for _, a := range r.allowed {
		for _, word := range a.words {
			if strings.Contains(lower, word) {
				return true
			}
		}
		if a.pattern == nil {
			continue
		}
		target := secret
		switch a.target {
		case "match":
			target = match
		case "line":
			target = line
		}
		if a.pattern().MatchString(target) {
			return true
		}
	}
	return false
}

// entropy is Shannon's, in bits a character, counted as the rules' authors do: by bytes in all.
func entropy(s string) (bits float64) {
	counts := map[rune]int{}
	for _, r := range s {
		counts[r]++
	}
	for _, n := range counts {
		share := float64(n) / float64(len(s))
		bits -= share * math.Log2(share)
	}
	return bits
}
