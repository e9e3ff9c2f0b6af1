package warehouse

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestRepair(t *testing.T) {
	const record = `{"type":"user","uuid":"u-1"}`
	for _, tt := range []struct {
		name   string
		input  string
		text   string // empty: the line stays broken
		reason string
	}{
		{"plain record", record, record, ""},
		{"byte order mark", "\xef\xbb\xbf" + record, record, "byte order mark"},
		{"NUL behind", record + "\x00\x00\x00", record, "NUL padding"},
		{"NUL before", "\x00\x00" + record, record, "NUL padding"},
		{"only NUL", "\x00\x00\x00", "", "NUL bytes"},
		{"NUL and blanks", "\x00 \t\x00", "", "NUL bytes"},
		{"NUL in a string", "{\"a\":\"b\x00c\"}", `{"a":"b\u0000c"}`, "control character in a string"},
		{"Latin-1 byte", "{\"a\":\"caf\xe9\"}", "{\"a\":\"caf\uFFFD\"}", "invalid UTF-8"},
		{"encoded surrogate", "{\"a\":\"\xed\xa0\x80\"}", "{\"a\":\"\uFFFD\"}", "invalid UTF-8"},
		{"tab in a string", "{\"a\":\"b\tc\"}", `{"a":"b\u0009c"}`, "control character in a string"},
		{"tab between tokens", "{\"a\":\t1}", "{\"a\":\t1}", ""},
		{"carriage return at the end", record + "\r", record + "\r", ""},
		{"carriage return in a string", "{\"a\":\"b\rc\"}", `{"a":"b\u000dc"}`, "control character in a string"},
		{"lone high half", `{"a":"\ud83d"}`, `{"a":"\ufffd"}`, "lone surrogate escape"},
		{"lone low half", `{"a":"\uDE00"}`, `{"a":"\ufffd"}`, "lone surrogate escape"},
		{"halves the wrong way round", `{"a":"\ude00\ud83d"}`, `{"a":"\ufffd\ufffd"}`, "lone surrogate escape"},
		{"two high halves and a low one", `{"a":"\ud83d\ud83d\ude00"}`, `{"a":"\ufffd\ud83d\ude00"}`, "lone surrogate escape"},
		{"a pair", `{"a":"\ud83d\ude00"}`, `{"a":"\ud83d\ude00"}`, ""},
		{"an escaped backslash before it", `{"a":"\\ud83d"}`, `{"a":"\\ud83d"}`, ""},
		{"a half in a key", `{"\ud83d":1}`, `{"\ufffd":1}`, "lone surrogate escape"},
		{"several faults", "\xef\xbb\xbf{\"a\":\"\xe9\\ud83d\"}\x00", "{\"a\":\"\uFFFD\\ufffd\"}", "byte order mark, NUL padding, invalid UTF-8, lone surrogate escape"},
		{"a record behind a stub", `{"type":"assist` + record, record, "record behind the stub of another"},
		{"two records", record + record, "", "not JSON: '{' at byte 28"},
		{"a stub without a type behind it", `{"a":"b{"uuid":"u-1"}`, "", "not JSON: 'u' at byte 9"},
		{"cut off", `{"type":"user","uuid":"u-`, "", "not JSON: ends inside a value"},
		{"cut off, with a bad byte", "{\"type\":\"us\xe9", "", "invalid UTF-8, not JSON: ends inside a value"},
		{"plain text", "Killed", "", "not JSON: 'K' at byte 0"},
		{"not a number", `{"a":NaN}`, "", "not JSON: 'N' at byte 5"},
		{"trailing comma", `{"a":1,}`, "", "not JSON: '}' at byte 7"},
		{"control character between tokens", "{\"a\":\x011}", "", "not JSON: 0x01 at byte 5"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text, reason, ok := repair([]byte(tt.input))
			if ok != (tt.text != "") || text != tt.text || reason != tt.reason {
				t.Errorf("got %q, %q, %v\nwant %q, %q", text, reason, ok, tt.text, tt.reason)
			}
		})
	}
}

// The number of places where a record can begin in one line is bounded, so that a line of stubs
// takes linear time; the record behind few of them is found.
func TestRepairOfManyStubs(t *testing.T) {
	const record = `{"type":"user"}`
	if text, _, ok := repair([]byte(strings.Repeat(`{"type":"us`, gluedTries-1) + record)); !ok || text != record {
		t.Errorf("behind %d stubs: got %q, %v", gluedTries-1, text, ok)
	}
	if _, _, ok := repair([]byte(strings.Repeat(`{"type":"us`, 50_000) + record)); ok {
		t.Error("a record behind 50,000 stubs was searched for")
	}
}

// hasLoneSurrogate is a second reading of what a JSON text's escapes say.
func hasLoneSurrogate(text string) bool {
	half := func(i int) (rune, bool) {
		if i+6 > len(text) || text[i] != '\\' || text[i+1] != 'u' {
			return 0, false
		}
		r, err := strconv.ParseUint(text[i+2:i+6], 16, 32)
		return rune(r), err == nil
	}
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		r, ok := half(i)
		if !ok {
			i++
			continue
		}
		switch {
		case r >= 0xdc00 && r <= 0xdfff:
			return true
		case r >= 0xd800 && r <= 0xdbff:
			if low, ok := half(i + 6); !ok || low < 0xdc00 || low > 0xdfff {
				return true
			}
			i += 6
		}
		i += 5
	}
	return false
}

func TestHasLoneSurrogate(t *testing.T) {
	for text, want := range map[string]bool{
		`"\ud83d\ude00"`: false, `"\uD83D\uDE00"`: false, `"\ud83d"`: true, `"\ude00"`: true, `"\\ud83d"`: false,
		`"\ud83d\ud83d\ude00"`: true, `"\u0041"`: false, `"\ud83dx"`: true, `"\ud7ff\ue000"`: false,
	} {
		if got := hasLoneSurrogate(text); got != want {
			t.Errorf("%s: got %v, want %v", text, got, want)
		}
	}
}

// checkRepair holds for any bytes.
func checkRepair(t *testing.T, input []byte) (text string, ok bool) {
	t.Helper()
	before := bytes.Clone(input)
	text, reason, ok := repair(input)
	if !bytes.Equal(before, input) {
		t.Fatalf("the line's own bytes were changed: %q", before)
	}
	if !ok {
		if text != "" || reason == "" {
			t.Fatalf("a line that stays broken: got text %q, reason %q", text, reason)
		}
		if utf8.Valid(input) && json.Valid(input) {
			t.Fatalf("valid JSON was refused: %q: %s", input, reason)
		}
		return text, ok
	}
	switch {
	case !utf8.ValidString(text):
		t.Fatalf("not UTF-8: %q of %q", text, input)
	case !json.Valid([]byte(text)):
		t.Fatalf("not JSON: %q of %q", text, input)
	case hasLoneSurrogate(text):
		t.Fatalf("a lone surrogate: %q of %q", text, input)
	case (reason == "") != (text == string(input)):
		t.Fatalf("got reason %q, text changed: %v: %q", reason, text != string(input), input)
	}
	if again, _, ok := repair([]byte(text)); !ok || again != text {
		t.Fatalf("repairing %q again gives %q, %v", text, again, ok)
	}
	return text, ok
}

// What repair calls JSON, DuckDB takes, for every line of the test data and for damaged ones.
func TestRepairedTextIsJSONToDuckDB(t *testing.T) {
	db := plainDuckDB(t)
	stmt, err := db.PrepareContext(context.Background(), "SELECT try_cast(?::VARCHAR AS JSON) IS NOT NULL")
	if err != nil {
		t.Fatal(err)
	}
	defer stmt.Close()
	paths, err := filepath.Glob("../testdata/transcripts/projects/*/*.jsonl")
	if err != nil || len(paths) < 50 {
		t.Fatalf("%d files, %v", len(paths), err)
	}
	repaired := 0
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range bytes.Split(data, []byte("\n")) {
			for _, input := range [][]byte{l, bytes.ReplaceAll(l, []byte("e"), []byte("\xe9")), bytes.ReplaceAll(l, []byte(`\u`), []byte(`\ud83d\u`))} {
				text, ok := checkRepair(t, input)
				if !ok || strings.Contains(text, "1e400") {
					continue
				}
				repaired++
				var valid bool
				if err := stmt.QueryRow(text).Scan(&valid); err != nil {
					t.Fatal(err)
				}
				if !valid {
					t.Errorf("%s: DuckDB refuses %.200q", filepath.Base(path), text)
				}
			}
		}
	}
	if repaired < 800 {
		t.Errorf("only %d lines were compared", repaired)
	}
}

func FuzzRepair(f *testing.F) {
	for _, s := range []string{
		`{"type":"user"}`, "\xef\xbb\xbf{}", "{\"a\":\"\x00\xe9\\ud83d\"}\x00", `{"type":"a{"type":"b"}`, `"\ud83d\ud83d\ude00"`,
		"\"\\\x01\"", "\x00", "", "[1,2", "\xff\xfe", `{"a":"\\\ud800"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, input []byte) { checkRepair(t, input) })
}
