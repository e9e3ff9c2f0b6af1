package text

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func termsOf(s string) []string {
	var t Tokenizer
	var out []string
	t.Terms(s, func(term string) { out = append(out, term) })
	return out
}

func TestTerms(t *testing.T) {
	for _, tt := range []struct {
		text string
		want string
	}{
		{"", ""},
		{"  -- !? ", ""},
		{"Retries retried the RETRY", "retri retri the retri"},
		{"ticket bd-q3fy broke RETRY_BUDGET_MS in pkg/net/http2.go (E0277)", "ticket bd q3fy broke retri budget ms in pkg net http2 go e0277"},
		{"it's 0", "it s 0"},
		{"getUserName HTTPServer parseJSON2Go x1Y2", "getusernam get user name httpserver http server parsejson2go pars json2 go x1y2 x1 y2"},
		{"Café naïve ÜBER", "cafe naiv uber"},
		{"Cafe\u0301", "cafe"},
		{"重跑gen-itgc后修复", "重 跑 重跑 gen itgc 后 修 后修 复 修复"},
		{"コーヒー", "コ ー コー ヒ ーヒ ー ヒー"},
		{"привет Мир", "привет мир"},
		{"v2.1.88", "v2 1 88"},
		{strings.Repeat("a", 200), strings.Repeat("a", MaxRun)},
		{strings.Repeat("é", 200), strings.Repeat("e", MaxRun)},
		{"a\x00b\xffc", "a b c"},
	} {
		if got := strings.Join(termsOf(tt.text), " "); got != tt.want {
			t.Errorf("%q: got %s, want %s", tt.text, got, tt.want)
		}
	}
}

func TestStem(t *testing.T) {
	for word, want := range map[string]string{
		"databases": "databas", "database": "databas", "migrating": "migrat", "migration": "migrat", "generously": "generous", "news": "news",
		"http2": "http2", "über": "über", "": "", "a": "a", strings.Repeat("e", 41) + "s": strings.Repeat("e", 41) + "s",
	} {
		if got := Stem(word); got != want {
			t.Errorf("%s: got %s, want %s", word, got, want)
		}
	}
}

func TestQuery(t *testing.T) {
	for _, tt := range []struct {
		typed string
		want  []Word
	}{
		{"", nil},
		{"-> ; ''", nil},
		{"Retried  retried", []Word{{Text: "Retried", Terms: []string{"retri"}}, {Text: "retried", Terms: []string{"retri"}}}},
		{"retry retry", []Word{{Text: "retry", Terms: []string{"retri"}}}},
		{`(E0277). "Exact, phrase" “smart”`, []Word{
			{Text: "E0277", Terms: []string{"e0277"}},
			{Text: "Exact, phrase", IsPhrase: true, Terms: []string{"exact", "phrase"}, Literal: "exact, phrase"},
			{Text: "smart", IsPhrase: true, Terms: []string{"smart"}, Literal: "smart"}}},
		{`"->" x`, []Word{{Text: "->", IsPhrase: true, Literal: "->"}, {Text: "x", Terms: []string{"x"}}}},
		{"follow-ups", []Word{{Text: "follow", Terms: []string{"follow"}}, {Text: "ups", Terms: []string{"up"}}}},
		{"修复", []Word{{Text: "修复", Terms: []string{"修复"}}}},
		{"再試行", []Word{{Text: "再試行", Terms: []string{"再試", "試行"}, Literal: "再試行", Pattern: "再試行"}}},
		{"a/B_c.go", []Word{{Text: "a/B_c.go", Terms: []string{"a", "b", "c", "go"}, Literal: "a/b_c.go",
			Pattern: `(?:^|[^\pL\pN]|` + unspacedClass + `)a/b_c\.go(?:$|[^\pL\pN]|` + unspacedClass + `)`}}},
		{`"unclosed phrase`, []Word{{Text: "unclosed phrase", IsPhrase: true, Terms: []string{"unclos", "phrase"}, Literal: "unclosed phrase"}}},
	} {
		got := Query(tt.typed)
		if !slices.EqualFunc(got, tt.want, func(a, b Word) bool {
			return a.Text == b.Text && a.IsPhrase == b.IsPhrase && slices.Equal(a.Terms, b.Terms) && a.Literal == b.Literal && a.Pattern == b.Pattern
		}) {
			t.Errorf("%q: got %+v, want %+v", tt.typed, got, tt.want)
		}
	}
	if n := len(Query(strings.Repeat("word ", 3) + strings.Join(strings.Fields(strings.Repeat("x y z ", 10000)), "1 "))); n == 0 || n > MaxWords {
		t.Errorf("a long query has %d words", n)
	}
}

func TestPassages(t *testing.T) {
	paragraph := strings.Repeat("Some words of a sentence. ", 20) // 520 characters
	for _, tt := range []struct {
		name  string
		text  string
		sizes []int // characters of each passage
	}{
		{"blank", " \n\t ", nil},
		{"short", " a b ", []int{3}},
		{"paragraphs", strings.Repeat(paragraph+"\n\n", 7), []int{3*len(paragraph) + 2*2 - 1, 4*len(paragraph) + 3*2 - 1}},
		{"one long line", strings.Repeat("word ", 1000), []int{1999, 1999, 999}},
		{"no blank at all", strings.Repeat("x", 5000), []int{2000, 2000, 1000}},
		{"Chinese", strings.Repeat("修", 5000), []int{2000, 2000, 1000}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var sizes []int
			for _, p := range Passages(tt.text) {
				sizes = append(sizes, utf8.RuneCountInString(p))
			}
			if !slices.Equal(sizes, tt.sizes) {
				t.Errorf("got passages of %v characters, want %v", sizes, tt.sizes)
			}
		})
	}
}

func TestInjected(t *testing.T) {
	for s, want := range map[string]bool{
		"fix it": false,
		"<system-reminder>be brief</system-reminder>":                    true,
		"<system-reminder>be brief</system-reminder>\nfix it":            false,
		"<div>why is this red</div>":                                     false,
		"Base directory for this skill: /x":                              true,
		" [Request interrupted by user]":                                 true,
		"<command-name>/x</command-name>\n<command-args></command-args>": true,
		"Warmup": true,
		"":       true,
	} {
		if got := Injected(s); got != want {
			t.Errorf("%q: got %v", s, got)
		}
	}
}

func TestSpans(t *testing.T) {
	for _, tt := range []struct{ text, query, want string }{
		{"We retried the retry budget", "retries budget", "We [retried] the [retry] [budget]"},
		{"see pkg/net/http2.go and http2.goes", "http2.go", "see pkg/net/[http2.go] and [http2.go]es"},
		{"Le Cafe\u0301 noir", "café", "Le [Cafe\u0301] noir"},
		{"后修复已验证", "修复", "后[修复]已验证"},
		{"修 修复 后修复", "修复", "修 [修复] 后[修复]"},
		// Korean in parts of syllables, as some file systems write it.
		{"\u1100\u1173 \u1112\u1161\u11ab\u1100\u1173\u11af", "한글", "\u1100\u1173 [\u1112\u1161\u11ab\u1100\u1173\u11af]"},
		{"call getUserName now", "user", "call [getUserName] now"},
		{"Say exact PHRASE.", `"exact phrase"`, "Say [exact PHRASE]."},
		// Bytes and letters that change their lengths in lower case, the sum of which may stay.
		{"\xb0 pkg/net İ ẞ", "pkg/net", "\xb0 [pkg/net] İ ẞ"},
		{"Ⱥ Ⱥ exact phrase", `"exact phrase"`, "Ⱥ Ⱥ [exact phrase]"},
		{"nothing", "else", "nothing"},
	} {
		got, at := "", 0
		for _, s := range Spans(tt.text, Query(tt.query)) {
			got += tt.text[at:s.Start] + "[" + tt.text[s.Start:s.End] + "]"
			at = s.End
		}
		if got += tt.text[at:]; got != tt.want {
			t.Errorf("%q in %q: got %q, want %q", tt.query, tt.text, got, tt.want)
		}
	}
}
