// Package redact masks credentials in text.
//
// What a credential looks like is not decided here: the rules are those of gitleaks
// (github.com/zricethezav/gitleaks, MIT), as the package config of that module embeds them, so they
// are brought up to date with the module. Only its rules are taken, since its detector is made to
// look for leaks in repositories: it skips lines that say gitleaks:allow and rules of files it
// cannot see, gives lines and columns where offsets are wanted, compiles all expressions at each
// start (50 ms), and adds 5.8 MB to the program against 0.7 MB.
package redact

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	ahocorasick "github.com/BobuSumisu/aho-corasick"
	"github.com/zricethezav/gitleaks/v8/config"
)

// The rules are:
//
//   - Only the secret is masked, with [redacted: rule]. The name before it stays.
//   - Where two overlap, one mask stands for both, named for the rule that knows the shape.
//   - Text is looked through as it is and as it reads without its escapes (see escapes.go): in
//     JSON \n stands before a token like a letter. A secret found in either is masked.
//   - JSON stays JSON, with the members it had.
//   - Nothing is decoded: what is in base64 or compressed is left as it is.

// Redactor masks credentials. It may be used by several goroutines.
type Redactor struct {
	rules  []rule
	always []int   // rules without a word
	words  [][]int // rules by word
	trie   *ahocorasick.Trie
}

// New reads the rules, which takes a few milliseconds. Expressions are compiled when needed.
func New() (*Redactor, error) {
	rules, words, err := readRules(config.DefaultConfig)
	if err != nil {
		return nil, err
	}
	r := &Redactor{rules: rules}
	number := map[string]int{}
	build := ahocorasick.NewTrieBuilder()
	for i := range rules {
		if len(words[i]) == 0 {
			r.always = append(r.always, i)
		}
		for _, word := range words[i] {
			n, ok := number[word]
			if !ok {
				n = len(r.words)
				number[word] = n
				r.words = append(r.words, nil)
				build.AddString(word)
			}
			r.words[n] = append(r.words[n], i)
		}
	}
	r.trie = build.Build()
	return r, nil
}

// Text returns text with its secrets masked.
func (r *Redactor) Text(text string) string {
	spans := r.spans(text)
	if len(spans) == 0 {
		return text
	}
	if isJSON(text) {
		spans = inJSON(text, spans)
	}
	return r.mask(text, spans)
}

// Member returns the value of a member of an object with its secrets masked, those too that only
// the name tells.
func (r *Redactor) Member(name, value string) string {
	before := `"` + name + `": "`
	var spans []span
	for _, s := range r.spans(before + value + `"`) {
		s.from, s.to = max(s.from-len(before), 0), min(s.to-len(before), len(value))
		if s.from < s.to {
			spans = append(spans, s)
		}
	}
	if len(spans) > 0 && isJSON(value) {
		spans = inJSON(value, spans)
	}
	return r.mask(value, spans)
}

// span is a secret.
type span struct {
	from, to int
	rule     int
	bare     bool // a JSON value without quotes
}

// spans returns the secrets of a text in order, none over another.
func (r *Redactor) spans(text string) []span {
	found := r.find(text)
	if plain, at := unescape(text); at != nil {
		var more []span
		for _, s := range r.find(plain) {
			s.from, s.to = at.from(s.from), at.to(s.to)
			more = append(more, s)
			// A backslash may be part of a token for an expression, where in truth an escape ends it.
			for i, f := range found {
				if f.from == s.from && f.to > s.to && text[s.to] == '\\' {
					found[i].to = s.to
				}
			}
		}
		found = append(found, more...)
	}
	slices.SortFunc(found, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to), cmp.Compare(a.rule, b.rule))
	})
	var out []span
	for _, s := range found {
		last := len(out) - 1
		if last < 0 || s.from >= out[last].to {
			out = append(out, s)
			continue
		}
		if generic(r.rules[out[last].rule].id) && !generic(r.rules[s.rule].id) {
			out[last].rule = s.rule
		}
		out[last].to = max(out[last].to, s.to)
	}
	return out
}

func (r *Redactor) mask(text string, spans []span) string {
	var b strings.Builder
	done := 0
	for _, s := range spans {
		if s.to <= done {
			continue
		}
		b.WriteString(text[done:max(done, s.from)])
		mask := "[redacted: " + r.rules[s.rule].id + "]"
		if s.bare {
			mask = `"` + mask + `"`
		}
		b.WriteString(mask)
		done = s.to
	}
	b.WriteString(text[done:])
	return b.String()
}

func isJSON(text string) bool {
	start := strings.TrimLeft(text, " \t\r\n")
	return start != "" && strings.IndexByte(`{["`, start[0]) >= 0 && json.Valid([]byte(text))
}

// inJSON leaves of spans what is within strings, and makes those in numbers the whole value.
func inJSON(text string, spans []span) []span {
	wholeEscapes(text, spans)
	var out []span
	for i := 0; i < len(text) && len(spans) > 0; {
		start, bare := i, false
		switch c := text[i]; {
		case c == '"':
			start++
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z':
			bare = true
			for i < len(text) && strings.IndexByte(",]} \t\r\n", text[i]) < 0 {
				i++
			}
		}
		end := i
		if !bare {
			i++ // the closing quote, or what is no value
		}
		for len(spans) > 0 && spans[0].to <= start {
			spans = spans[1:]
		}
		for _, s := range spans {
			if s.from >= end || start == end {
				break
			}
			if bare {
				out = append(out, span{start, end, s.rule, true})
				break
			}
			out = append(out, span{max(s.from, start), min(s.to, end), s.rule, false})
		}
	}
	return out
}

// wholeEscapes widens spans to the escapes they cut.
func wholeEscapes(text string, spans []span) {
	k := 0
	for i := 0; i < len(text) && k < len(spans); {
		if text[i] != '\\' {
			i++
			continue
		}
		next := i + 2
		if text[i+1] == 'u' {
			next += 4
		}
		for k < len(spans) && spans[k].to <= i {
			k++
		}
		for j := k; j < len(spans) && spans[j].from < next; j++ {
			if spans[j].from > i {
				spans[j].from = i
			}
			spans[j].to = max(spans[j].to, next)
		}
		i = next
	}
}
