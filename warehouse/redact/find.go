package redact

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// Finding secrets.
//
// The rules are:
//
//   - One pass finds the words of all rules (Aho-Corasick); a rule whose words are not there costs
//     nothing.
//   - Where each match begins with a word of the rule, which is asked of the parsed expression, it
//     is tried at the words alone. That holds for nine in ten. It matters most for the half that
//     are of the form name = token, the generic one among them: their names may have 50 characters
//     before the word, so they run at 1 MB/s over a text, against 40 MB/s this way, and their words
//     (key, token) are in any transcript.
//   - The other expressions run over the whole text, at 20 to 35 MB/s each.

const (
	// nameBefore is how the expressions of names begin.
	nameBefore = `(?i)[\w.-]{0,50}?`
	nameLength = 50
	// window is what a name and a token fit in; those that do not are tried again in all of the text.
	window = 400
	// lineLength is how much of a line on each side an allowlist sees.
	lineLength = 500
)

// matcher is a compiled expression.
type matcher struct {
	*regexp.Regexp
	near  bool // to be tried where a word begins
	named bool // has a name before the word
	apart bool // no letter stands before the word
}

func compile(expr string, words []string) matcher {
	if m, ok := compileNear(expr, words); ok {
		return m
	}
	return matcher{Regexp: regexp.MustCompile(expr)}
}

// compileNear returns the expression to be tried at words, false where its matches may begin with
// something else.
func compileNear(expr string, words []string) (matcher, bool) {
	m := matcher{near: true}
	flags := ""
	rest, ok := strings.CutPrefix(expr, nameBefore)
	if ok {
		m.named, flags = true, "i"
	} else if rest, ok = strings.CutPrefix(expr, "(?i)"); ok {
		flags = "i"
	}
	if rest, ok = strings.CutPrefix(rest, `\b`); ok {
		// Of all of the expression, not of the first of several.
		all, err := syntax.Parse(expr, syntax.Perl)
		if err != nil || all.Op != syntax.OpConcat || all.Sub[0].Op != syntax.OpWordBoundary {
			return matcher{}, false
		}
		m.apart = true
	}
	rest = "(?" + flags + ":" + rest + ")"
	parsed, err := syntax.Parse(rest, syntax.Perl)
	if err != nil || !beginsWith(parsed, words) {
		return matcher{}, false
	}
	m.Regexp = regexp.MustCompile(`\A` + rest)
	return m, true
}

// beginsWith tells whether every match begins with one of the words.
func beginsWith(re *syntax.Regexp, words []string) bool {
	starts, _ := beginnings(re)
	for _, start := range starts {
		ok := false
		for _, word := range words {
			ok = ok || strings.HasPrefix(start, word)
		}
		if !ok {
			return false
		}
	}
	return true
}

// beginnings returns the texts, in lower case, one of which each match begins with; whole where
// they are the matches themselves.
func beginnings(re *syntax.Regexp) (texts []string, whole bool) {
	const most = 100
	switch re.Op {
	case syntax.OpEmptyMatch:
		return []string{""}, true
	case syntax.OpLiteral:
		return []string{strings.ToLower(string(re.Rune))}, true
	case syntax.OpCapture:
		return beginnings(re.Sub[0])
	case syntax.OpQuest:
		texts, whole = beginnings(re.Sub[0])
		return append(texts, ""), whole
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
				if texts = append(texts, strings.ToLower(string(r))); len(texts) > 4 {
					return []string{""}, false
				}
			}
		}
		return texts, true
	case syntax.OpAlternate:
		whole = true
		for _, sub := range re.Sub {
			t, w := beginnings(sub)
			texts, whole = append(texts, t...), whole && w
		}
		return texts, whole
	case syntax.OpConcat:
		texts, whole = []string{""}, true
		for _, sub := range re.Sub {
			t, w := beginnings(sub)
			var longer []string
			for _, a := range texts {
				for _, b := range t {
					longer = append(longer, a+b)
				}
			}
			if texts = longer; !w || len(texts) > most {
				return texts, false
			}
		}
		return texts, true
	}
	return []string{""}, false
}

// find returns the secrets of a text in any order; they may overlap.
func (r *Redactor) find(text string) []span {
	var out []span
	everywhere := make([]bool, len(r.rules))
	for _, i := range r.always {
		everywhere[i] = true
	}
	ends := make([]int, len(r.rules)) // of a rule's last match
	r.trie.Walk(lower(text), func(end, length, word int64) bool {
		for _, i := range r.words[word] {
			if everywhere[i] {
				continue
			}
			if !r.rules[i].matcher().near {
				everywhere[i] = true
				continue
			}
			at := int(end - length + 1)
			if at < ends[i] || r.rules[i].matcher().apart && at > 0 && wordByte(text[at-1]) {
				continue
			}
			out, ends[i] = r.tryAt(out, i, text, at, ends[i])
		}
		return true
	})
	for i := range r.rules {
		if !everywhere[i] {
			continue
		}
		for _, at := range r.rules[i].matcher().FindAllStringSubmatchIndex(text, -1) {
			out = r.accept(out, i, text, at, at[0])
		}
	}
	return out
}

// tryAt tries a rule at a word behind the rule's last match, and returns the end of the last one.
func (r *Redactor) tryAt(out []span, i int, text string, word, last int) ([]span, int) {
	m := r.rules[i].matcher()
	near := text[word:]
	if m.named {
		near = near[:min(len(near), window)]
	}
	at := m.FindStringSubmatchIndex(near)
	if at != nil && at[1] == len(near) && word+len(near) < len(text) {
		at = m.FindStringSubmatchIndex(text[word:])
	}
	if at == nil {
		return out, last
	}
	for n := range at {
		if at[n] >= 0 {
			at[n] += word
		}
	}
	from := word
	for m.named && from > last && word-from < nameLength && (wordByte(text[from-1]) || text[from-1] == '.' || text[from-1] == '-') {
		from--
	}
	return r.accept(out, i, text, at, from), at[1]
}

// accept adds the secret of a match, whose name begins at from, unless it is none.
func (r *Redactor) accept(out []span, i int, text string, at []int, from int) []span {
	rule := &r.rules[i]
	secret := span{at[0], at[1], i, false}
	group := rule.group
	for n := 1; group == 0 && 2*n < len(at); n++ {
		if at[2*n] < at[2*n+1] {
			group = n
		}
	}
	if group > 0 {
		secret.from, secret.to = at[2*group], at[2*group+1]
	}
	if secret.from >= secret.to || rule.allows(text[secret.from:secret.to], text[from:at[1]], lineAround(text, at[0], at[1])) {
		return out
	}
	// Behind the secret stands what ends it, a quote or two. Where more does, the group was but a
	// part of it, such as the first of the header's names in a token.
	if at[1]-secret.to > 4 {
		secret.to = at[1]
	}
	if first := text[secret.from]; (first == '"' || first == '\'') && secret.to-secret.from > 2 && text[secret.to-1] == first {
		secret.from, secret.to = secret.from+1, secret.to-1
	}
	return append(out, secret)
}

// lineAround is the line or lines of a match, or what is near it of long ones.
func lineAround(text string, from, to int) string {
	before, behind := text[max(0, from-lineLength):from], text[to:min(len(text), to+lineLength)]
	before = before[strings.LastIndexByte(before, '\n')+1:]
	behind, _, _ = strings.Cut(behind, "\n")
	return before + text[from:to] + behind
}

// wordByte is what \w and \b take for a part of a word.
func wordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// lower is text with the letters that words have in lower case, at the same offsets.
func lower(text string) []byte {
	b := []byte(text)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return b
}
