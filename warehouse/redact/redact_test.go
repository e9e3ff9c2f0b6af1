package redact

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// Tests with credentials that are made up.
//
// The rules are:
//
//   - None stands in this file in one piece: the hosts that repositories lie on look for them, and
//     would refuse it.
//   - Each is looked for in prose, in JSON and in JSON that was put into JSON as text.

var redactor = func() *Redactor {
	r, err := New()
	if err != nil {
		panic(err)
	}
	return r
}()

// letters makes n characters that repeat only after a while, of an alphabet.
func letters(alphabet string, n int) string {
	b := make([]byte, n)
	for i, state := 0, uint32(2463534242); i < n; i++ {
		state ^= state << 13
		state ^= state >> 17
		state ^= state << 5
		b[i] = alphabet[state%uint32(len(alphabet))]
	}
	return string(b)
}

const (
	digits = "0123456789"
	hex    = "0123456789abcdef"
	upper  = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	small  = "abcdefghijklmnopqrstuvwxyz"
	alnum  = upper + small + digits
)

func pem() string {
	var b strings.Builder
	b.WriteString("-----BEGIN RSA " + "PRIVATE KEY-----\n")
	for body := letters(alnum+"+/", 320); body != ""; body = body[64:] {
		b.WriteString(body[:64] + "\n")
	}
	return b.String() + "-----END RSA " + "PRIVATE KEY-----"
}

// credentials are of well-known shapes, by the rule that is to find each.
var credentials = []struct{ rule, secret string }{
	{"aws-access-token", "AKIA" + letters(upper+"234567", 16)},
	{"github-pat", "ghp_" + letters(alnum, 36)},
	{"github-oauth", "gho_" + letters(alnum, 36)},
	{"github-fine-grained-pat", "github_pat_" + letters(alnum, 82)},
	{"gitlab-pat", "glpat-" + letters(alnum, 20)},
	{"slack-bot-token", "xoxb-" + letters(digits, 12) + "-" + letters(digits, 12) + letters(alnum, 24)},
	{"slack-webhook-url", "https://hooks.slack.com/" + "services/" + letters(alnum, 44)},
	{"stripe-access-token", "sk_live_" + letters(alnum, 24)},
	{"openai-api-key", "sk-proj-" + letters(alnum, 74) + "T3BlbkFJ" + letters(alnum, 74)},
	{"anthropic-api-key", "sk-ant-api03-" + letters(alnum, 93) + "AA"},
	{"gcp-api-key", "AIza" + letters(alnum, 35)},
	{"npm-access-token", "npm_" + letters(small+digits, 36)},
	{"pypi-upload-token", "pypi-AgEIcHl" + "waS5vcmc" + letters(alnum, 80)},
	{"sendgrid-api-token", "SG." + letters(alnum, 66)},
	{"huggingface-access-token", "hf_" + letters(small, 34)},
	{"jwt", "eyJ" + letters(alnum, 30) + ".eyJ" + letters(alnum, 60) + "." + letters(alnum, 43)},
	{"private-key", pem()},
}

func quoted(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func inner(s string) string { q := quoted(s); return q[1 : len(q)-1] }

func TestShapes(t *testing.T) {
	for _, c := range credentials {
		mask := "[redacted: " + c.rule + "]"
		for _, form := range []string{
			"%s", "the key is %s, keep it", "see (%s).", "%s.", "a\n%s\nb", "x=%s&y=1", "**%s**", "`%s`", "<%s>", "é%sé", "\x1b[31m%s\x1b[0m",
		} {
			text := fmt.Sprintf(form, c.secret)
			want := fmt.Sprintf(form, mask)
			if got := redactor.Text(text); got != want {
				t.Errorf("%s: got %q, want %q", form, got, want)
			}
			for depth := range 4 {
				text, want = `{"type":"user","n":1,"text":`+quoted(text)+`}`, `{"type":"user","n":1,"text":`+quoted(want)+`}`
				if got := redactor.Text(text); got != want {
					t.Errorf("%s, %d deep in JSON: got %s, want %s", form, depth+1, got, want)
				}
			}
		}
	}
}

// TestNames has secrets that nothing but the name before them tells.
func TestNames(t *testing.T) {
	random := letters(alnum, 32)
	for _, tt := range []struct{ text, want string }{
		{"api_key = " + random, "api_key = [redacted: generic-api-key]"},
		{"MY_SERVICE_TOKEN=" + random + "\nUSER=dev", "MY_SERVICE_TOKEN=[redacted: generic-api-key]\nUSER=dev"},
		{"secret: '" + random + "'", "secret: '[redacted: generic-api-key]'"},
		{"https://example.org/?access_token=" + random + "&page=2", "https://example.org/?access_token=[redacted: generic-api-key]&page=2"},
		{"{token: " + random + "}", "{token: [redacted: generic-api-key]}"},
		{`{"client_secret": "` + random + `", "n": 1}`, `{"client_secret": "[redacted: generic-api-key]", "n": 1}`},
		{`{"log": "{\"client_secret\": \"` + random + `\"}"}`, `{"log": "{\"client_secret\": \"[redacted: generic-api-key]\"}"}`},
		{`password = "` + "open" + `sesame7"`, `password = "[redacted: hashicorp-tf-password]"`},
		{"curl -u 'dev:" + "Tr0ub4dor-3' https://example.org", "curl -u '[redacted: curl-auth-user]' https://example.org"},
		{`curl -H "Authorization: Bearer ` + random + `" https://example.org`, `curl -H "Authorization: Bearer [redacted: curl-auth-header]" https://example.org`},
		// Says "not this one" to the tool that the rules are made for, not to this one.
		{"api_key = " + random + " # gitleaks:" + "allow", "api_key = [redacted: generic-api-key] # gitleaks:" + "allow"},
		{strings.Repeat("x", 45) + "_api_key = " + random, strings.Repeat("x", 45) + "_api_key = [redacted: generic-api-key]"},
		// Longer than the part of a text that a name is tried in.
		{"token = " + letters(small+digits, 1000) + " end", "token = [redacted: generic-api-key] end"},
	} {
		if got := redactor.Text(tt.text); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestOrdinaryText(t *testing.T) {
	for _, text := range []string{
		"", " ", "plain text about a password, an API key and a secret token",
		"/home/dev/.claude/projects/-home-dev-app/1b7e0c52-9d4e-4c1a-8f0e-3a5b7c9d1e2f.jsonl",
		`C:\Users\dev\new\keys\token.txt`,
		"commit " + letters(hex, 40) + "\nAuthor: Dev <dev@example.org>",
		"1b7e0c52-9d4e-4c1a-8f0e-3a5b7c9d1e2f", "sha256:" + letters(hex, 64),
		"msg_01" + letters(alnum, 22), "toolu_01" + letters(alnum, 22), "req_011C" + letters(alnum, 20),
		`{"id":"toolu_01` + letters(alnum, 22) + `","session_id":"1b7e0c52-9d4e-4c1a-8f0e-3a5b7c9d1e2f","input_tokens":1234567890,"cache_read_input_tokens":9876543210}`,
		`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo` + letters(alnum+"+/", 4000) + `=="}}`,
		`{"type":"thinking","thinking":"","signature":"` + letters(alnum+"+/", 600) + `=="}`,
		"password = os.getenv(\"DB_PASSWORD\")", "password: ${DB_PASSWORD}", "token = get_token_from_env()", "api_key: <your key>",
		"AWS_ACCESS_KEY_ID=AKIA" + "IOSFODNN7EXAMPLE", "-----BEGIN CERTIFICATE-----\n" + letters(alnum, 64) + "\n-----END CERTIFICATE-----",
		"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA" + letters(alnum, 44) + " dev@host",
		"github.com/example/api v0.0.0-20190522113053-d844e8c040fc h1:" + letters(alnum, 43) + "=",
		"func (k *Key) Access(token string) error { return k.auth.secret(token) }",
		"SELECT api_key, token FROM credentials WHERE secret IS NULL",
		"key\tvalue\nmessage.usage.cache_creation.ephemeral_5m_input_tokens\t12",
		"Grüße, 日本語, 🙂 \xff\xfe \x00", `{"n":12345678901234567890,"a":"a|b","n":1}`,
		"[redacted: jwt]", `token = "[redacted: generic-api-key]"`,
	} {
		if got := redactor.Text(text); got != text {
			t.Errorf("got %q, want %q", got, text)
		}
	}
}

// TestJSON has secrets at places where masking them as text would leave no JSON.
func TestJSON(t *testing.T) {
	key := letters(alnum, 64)
	begin, end := "-----BEGIN "+"PRIVATE KEY-----", "-----END "+"PRIVATE KEY-----"
	jwt := credentials[15].secret
	for _, tt := range []struct{ text, want string }{
		{ // the lines of a key, each a string
			`{"a":{"b":["` + begin + `","` + key + `"]},"c":"` + end + ` x"}`,
			`{"a":{"b":["[redacted: private-key]","[redacted: private-key]"]},"[redacted: private-key]":"[redacted: private-key] x"}`,
		},
		{ // and with numbers between them
			`["` + begin + `",1.5e3,true,{},"` + key + `","` + end + `"]`,
			`["[redacted: private-key]","[redacted: private-key]","[redacted: private-key]",{},"[redacted: private-key]","[redacted: private-key]"]`,
		},
		{`"` + jwt + `\n\"x\""`, `"[redacted: jwt]\n\"x\""`},
		{`{"` + jwt + `":null}`, `{"[redacted: jwt]":null}`},
		{`{"t":"\u0041\u004bIA` + credentials[0].secret[4:] + `\u0021"}`, `{"t":"[redacted: aws-access-token]\u0021"}`},
	} {
		if got := redactor.Text(tt.text); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.text, got, tt.want)
		}
	}
}

func TestMember(t *testing.T) {
	random := letters(alnum, 32)
	for _, tt := range []struct{ name, value, want string }{
		{"client_secret", random, "[redacted: generic-api-key]"},
		{"label", random, random},
		{"n", "see " + credentials[1].secret, "see [redacted: github-pat]"},
		{"headers", `{"x-api-key":"` + random + `"}`, `{"x-api-key":"[redacted: generic-api-key]"}`},
		{credentials[1].secret, "x", "x"},
	} {
		if got := redactor.Member(tt.name, tt.value); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestRules holds what this package assumes of the rules, for the day they are updated.
func TestRules(t *testing.T) {
	near, ended, ids := 0, 0, map[string]bool{}
	for i, r := range redactor.rules {
		m := r.matcher() // panics where it does not compile
		if ids[r.id] || r.group > m.NumSubexp() {
			t.Errorf("rule %q is there twice or has no group %d", r.id, r.group)
		}
		ids[r.id] = true
		if m.near {
			near++
			if len(redactor.always) > 0 && redactor.always[0] == i {
				t.Errorf("rule %q has no word", r.id)
			}
		}
		if strings.Contains(m.String(), shapeEnd) || strings.Contains(m.String(), nameEnd) {
			ended++
		}
		for _, a := range r.allowed {
			if a.pattern != nil {
				a.pattern()
			}
		}
	}
	if len(ids) < 200 || near < 180 || ended < 140 {
		t.Errorf("%d rules, %d that begin with a word, %d with our end: has their form changed?", len(ids), near, ended)
	}
}

// whole is the redactor with expressions that all run over the whole text.
var whole = func() *Redactor {
	r := *redactor
	r.rules = slices.Clone(r.rules)
	for i := range r.rules {
		m := matcher{Regexp: regexp.MustCompile(r.rules[i].expr)}
		r.rules[i].matcher = func() matcher { return m }
	}
	return &r
}()

// FuzzNear compares what is tried at words with what is found in the whole text.
func FuzzNear(f *testing.F) {
	random := letters(alnum, 40)
	for _, text := range []string{
		"token=" + random, "a.b-c_token_key = '" + random + "'", "key key key: " + random + " key: " + random,
		"key=" + random + "key=" + random + " ", "passwd := \"" + random + "\"", "api=" + random + " API=" + random + " aPI=" + random,
		strings.Repeat("k", 49) + "key=" + random, strings.Repeat("key", 30) + "=" + random, "key\n=\n" + random, "öffkey=" + random,
		"dropbox dropbox_token: " + random + "; heroku-key=1b7e0c52-9d4e-" + "4c1a-8f0e-3a5b7c9d1e2f",
	} {
		f.Add(text)
	}
	for _, c := range credentials {
		f.Add(c.secret + c.secret)
		f.Add("_" + c.secret + " " + c.secret + "\n" + c.secret + "," + strings.ToUpper(c.secret))
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, want := redactor.spans(text), whole.spans(text); !slices.Equal(got, want) {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	})
}

func FuzzText(f *testing.F) {
	for i, c := range credentials {
		f.Add("before ", " after", i)
		f.Add(`{"a":"\n`, `\n\"","b":[1,"`+inner(c.secret)+`"]}`, i)
		f.Add("\x1b[1m\\\\u00", "\\", i)
	}
	f.Add(`["-----BEGIN `+"PRIVATE KEY-----\",\"", "\"]", 3)
	f.Add("\xff\xc3", "\xa9\x80", 5)
	f.Fuzz(func(t *testing.T, before, after string, which int) {
		c := credentials[uint(which)%uint(len(credentials))]
		// Between blanks, since what a letter stands before is no token.
		text := before + " " + c.secret + " " + after
		got := redactor.Text(text)
		if strings.Contains(got, " "+c.secret+" ") {
			t.Errorf("%q: the secret is still there: %q", text, got)
		}
		for _, s := range []string{before, after, text, quoted(text), `{"k":[` + quoted(before) + `,` + quoted(text) + `,-1]}`} {
			out := redactor.Text(s)
			if utf8.ValidString(s) && !utf8.ValidString(out) {
				t.Errorf("%q: not UTF-8 any more: %q", s, out)
			}
			if json.Valid([]byte(s)) && !json.Valid([]byte(out)) {
				t.Errorf("%q: not JSON any more: %q", s, out)
			}
			if m := redactor.Member(before, s); utf8.ValidString(s) && utf8.ValidString(before) && !utf8.ValidString(m) {
				t.Errorf("%q, member %q: not UTF-8 any more: %q", s, before, m)
			}
		}
		if out := redactor.Text(quoted(text)); utf8.ValidString(text) && strings.Contains(out, " "+inner(c.secret)+" ") {
			t.Errorf("%q as JSON: the secret is still there: %q", text, out)
		}
	})
}
