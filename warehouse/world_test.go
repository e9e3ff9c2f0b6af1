package warehouse

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"testing"
	"time"

	"warehouse/warehouse/source/claude"
)

// world is a tree of transcripts that changes as real ones do, and worse.
//
// The rules are:
//
//   - Everything comes from one seeded source of randomness, dates included.
//   - Every write moves the file's time on: a change that shows in neither time nor size is what
//     --verify is for, and has a test of its own.
//   - Values collide on purpose: few versions and models, times that stand still, ids of gateways
//     that come back. What depends on the order of rows shows only where something ties.
type world struct {
	t     testing.TB
	rng   *rand.Rand
	roots []string
	clock time.Time
	n     int               // ids handed out
	rest  map[string]string // second halves of half-written lines, by path
}

func newWorld(t testing.TB, seed uint64, roots ...string) *world {
	w := newTree(t, roots...)
	w.rng = rand.New(rand.NewPCG(seed, 0))
	for _, root := range roots {
		w.put(filepath.Join(root, "-home-dev-keep", "00000000-keep.jsonl"), w.lines(root, 3))
	}
	return w
}

// newHome returns where a warehouse and its transcripts go.
func newHome(t testing.TB) (home, projects string) {
	dir := t.TempDir()
	return filepath.Join(dir, "home"), filepath.Join(dir, "projects")
}

// newTree is a world of the transcripts that are there.
func newTree(t testing.TB, roots ...string) *world {
	return &world{t: t, roots: roots, clock: time.Date(2026, 10, 20, 9, 0, 0, 0, time.UTC), rest: map[string]string{}}
}

func pick[T any](w *world, of ...T) T { return of[w.rng.IntN(len(of))] }

func (w *world) id(prefix string) string {
	w.n++
	return fmt.Sprintf("%s%05d", prefix, w.n)
}

// now is the time of a record; every third one comes in the same millisecond.
func (w *world) now() string {
	if w.rng.IntN(3) > 0 {
		w.clock = w.clock.Add(time.Duration(1+w.rng.IntN(400_000)) * time.Millisecond)
	}
	return w.clock.Format("2006-01-02T15:04:05.000Z")
}

// settle gives a file that was written a time of its own.
func (w *world) settle(path string) {
	w.clock = w.clock.Add(time.Millisecond)
	if err := os.Chtimes(path, w.clock, w.clock); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) put(path, content string) {
	writeFile(w.t, path, content)
	delete(w.rest, path)
	w.settle(path)
}

func (w *world) add(path, content string) {
	appendFile(w.t, path, content)
	w.settle(path)
}

func (w *world) read(path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(b)
}

// files are the transcripts, in order: the first name of each regular file.
func (w *world) files() []string {
	var paths []string
	for _, root := range w.roots {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.Name() == "tool-results" || d.Name() == "memory":
				return fs.SkipDir
			case d.Type().IsRegular() && strings.HasSuffix(path, ".jsonl"):
				paths = append(paths, path)
			}
			return nil
		})
		if err != nil {
			w.t.Fatal(err)
		}
	}
	sort.Strings(paths)
	seen := map[[2]uint64]bool{}
	var first []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			w.t.Fatal(err)
		}
		if id, _ := identity(info); !seen[id] {
			seen[id] = true
			first = append(first, path)
		}
	}
	return first
}

func (w *world) some() string { return pick(w, w.files()...) }

// removable is a file that is not the last of its root: an empty root proves nothing.
func (w *world) removable() string {
	for range 20 {
		if path := w.some(); !strings.Contains(path, "-keep") {
			return path
		}
	}
	return ""
}

func (w *world) newSession() string {
	return filepath.Join(pick(w, w.roots...), pick(w, "-home-dev-app", "-home-dev-lib"), w.id("5e550000-")+".jsonl")
}

// fill writes sessions of so many lines.
func (w *world) fill(sessions, lines int) {
	for range sessions {
		path := w.newSession()
		w.put(path, w.lines(path, lines))
	}
}

type object = map[string]any

func encoded(o object) string {
	b, err := json.Marshal(o)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// envelope is what every record of a transcript has.
func (w *world) envelope(path, kind string) object {
	session, agentID := claude.Identity(path)
	o := object{
		"type": kind, "uuid": w.id("uuid-"), "parentUuid": pick[any](w, nil, "uuid-00003"), "sessionId": session,
		"cwd": pick(w, "/home/dev/app", "/home/dev/app", "/home/dev/lib"), "gitBranch": pick(w, "main", "fix"),
		"version": pick(w, "1.0.24", "2.0.60", "2.1.88", "2.1.237"), "timestamp": w.now(), "isSidechain": agentID != "", "userType": "external",
	}
	if agentID != "" {
		o["agentId"] = agentID
	}
	return o
}

func (w *world) words() string {
	s := pick(w, "fix the flaky test", "why is DuckDB slow here?", "sieh nach, wo der Fehler ist", "表を作って", "run `make test` again")
	return strings.TrimSpace(s + strings.Repeat(pick(w, " and then", " 😀", " x"), w.rng.IntN(8)))
}

// response is one answer of a model: several lines that repeat its usage.
func (w *world) response(path string) string {
	id := pick[any](w, w.id("msg_"), w.id("msg_"), w.id("msg_"), "chat-1", nil)
	request := pick[any](w, w.id("req_"), w.id("req_"), "r1", nil)
	model := pick(w, "claude-opus-4-6", "claude-sonnet-4-5-20250929", "<synthetic>", "glm-5")
	var out strings.Builder
	output := w.rng.IntN(3)
	for i := range 1 + w.rng.IntN(3) {
		o := w.envelope(path, "assistant")
		output += pick(w, 0, 1, 400)
		usage := object{
			"input_tokens": 3, "output_tokens": output, "cache_read_input_tokens": w.rng.IntN(5000),
			"cache_creation_input_tokens": 700, "cache_creation": object{"ephemeral_5m_input_tokens": 200, "ephemeral_1h_input_tokens": 500},
		}
		if w.rng.IntN(6) == 0 {
			usage["iterations"] = []object{
				{"type": "message", "input_tokens": 1}, {"type": "advisor_message", "model": "claude-opus-4-6", "input_tokens": 5, "output_tokens": 6},
			}
		}
		blocks := []object{pick(w,
			object{"type": "thinking", "thinking": w.words()},
			object{"type": "text", "text": w.words()},
			object{"type": "tool_use", "id": pick(w, w.id("toolu_"), w.id("toolu_"), "call_1"), "name": pick(w, "Bash", "Read"),
				"input": object{"command": "make test", "file_path": "/home/dev/app/" + w.words()}})}
		o["message"] = object{"id": id, "role": "assistant", "model": model, "content": blocks, "usage": usage,
			"stop_reason": pick[any](w, nil, "end_turn", "tool_use")}
		o["requestId"] = request
		if i == 0 && w.rng.IntN(12) == 0 {
			o["isApiErrorMessage"], o["error"] = true, "rate_limit"
		}
		out.WriteString(encoded(o) + "\n")
	}
	return out.String()
}

var toolUse = regexp.MustCompile(`"id":"((?:toolu|call)_[0-9]+)"`)

// result answers a tool call of the file, or one that is not there.
func (w *world) result(path string) string {
	id := "toolu_none"
	if b, err := os.ReadFile(path); err == nil {
		if calls := toolUse.FindAllSubmatch(b, -1); len(calls) > 0 {
			id = string(calls[w.rng.IntN(len(calls))][1])
		}
	}
	o := w.envelope(path, "user")
	long := strings.Repeat(w.words()+"\n", 40)
	item := object{"type": "tool_result", "tool_use_id": id, "content": pick[any](w, "ok", long, []object{{"type": "text", "text": long}}),
		"is_error": pick[any](w, nil, false, true)}
	if w.rng.IntN(5) == 0 {
		item["is_error"], item["content"] = true, "The user doesn't want to proceed with this tool use. Stop."
	}
	if w.rng.IntN(6) == 0 {
		o["toolDenialKind"] = "permission-rule"
	}
	o["message"] = object{"role": "user", "content": []object{item}}
	return encoded(o) + "\n"
}

// other is a record of one of the rarer kinds.
func (w *world) other(path string) string {
	session, _ := claude.Identity(path)
	o := w.envelope(path, "user")
	switch w.rng.IntN(9) {
	case 0:
		o = object{"type": "queue-operation", "operation": pick(w, "enqueue", "popAll", "remove"), "content": w.words(), "sessionId": session, "timestamp": w.now()}
	case 1:
		o = object{"type": "custom-title", "customTitle": w.words(), "sessionId": session}
	case 2:
		o = object{"type": "ai-title", "aiTitle": w.words(), "sessionId": session}
	case 3:
		o["type"], o["attachment"] = "attachment", object{"type": "queued_command", "prompt": pick[any](w, w.words(), []object{{"type": "text", "text": w.words()}})}
	case 4:
		o["type"], o["subtype"], o["durationMs"] = "system", "turn_duration", w.rng.IntN(1000)
	case 5:
		o["type"], o["toolUseID"] = "progress", "toolu_none"
		o["data"] = object{"type": "agent_progress", "agentId": "a77", "message": object{"type": "assistant", "requestId": w.id("req_"),
			"message": object{"id": pick(w, w.id("msg_"), "msg_00001"), "role": "assistant", "model": "claude-opus-4-6",
				"usage": object{"input_tokens": 1, "output_tokens": w.rng.IntN(900)}}}}
	case 6:
		o["isCompactSummary"], o["message"] = true, object{"role": "user", "content": "This session is being continued: " + w.words()}
	case 7:
		o["isMeta"], o["message"] = true, object{"role": "user", "content": "<system-reminder>" + w.words() + "</system-reminder>"}
	default:
		o = object{"type": "of-tomorrow", "sessionId": session, "value": w.rng.IntN(100)}
	}
	return encoded(o) + "\n"
}

// lines is what a session writes in some turns.
func (w *world) lines(path string, turns int) string {
	var out strings.Builder
	for range turns {
		o := w.envelope(path, "user")
		o["message"] = object{"role": "user", "content": pick[any](w, w.words(), []object{{"type": "text", "text": w.words()}, {"type": "image"}})}
		out.WriteString(encoded(o) + "\n")
		out.WriteString(w.response(path))
		if w.rng.IntN(2) == 0 {
			out.WriteString(w.result(path))
		}
		if w.rng.IntN(3) == 0 {
			out.WriteString(w.other(path))
		}
	}
	return out.String()
}

// broken is a line with something wrong.
func (w *world) broken(path string) string {
	record := strings.TrimSuffix(w.response(path), "\n")
	record = record[strings.LastIndex(record, "\n")+1:]
	switch w.rng.IntN(10) {
	case 0:
		return record[:len(record)/2] + "\n"
	case 1:
		return "Killed\n"
	case 2:
		return strings.Replace(record, "assistant", "\xe9\xff", 1) + "\n"
	case 3:
		return strings.Replace(record, `"cwd":"`, `"cwd":"\ud83d`, 1) + "\n"
	case 4:
		return record + strings.Repeat("\x00", 20) + "\n"
	case 5:
		return "\xef\xbb\xbf" + record + "\n"
	case 6:
		return strings.Replace(record, `"cwd":"`, "\"cwd\":\"\t", 1) + "\n"
	case 7:
		return record[:len(record)/3] + record + "\n"
	case 8:
		return record + record + "\n"
	}
	return pick(w, "\n", " \t\r\n", "\n\n\n", record+"\r\n", "[1,2]\n", "null\n", "\x00\x00\n")
}

var (
	timestamps = regexp.MustCompile(`"timestamp":"[^"]*"`)
	requestIDs = regexp.MustCompile(`"requestId":"[^"]*"`)
	uuids      = regexp.MustCompile(`"uuid":"[^"]*"`)
)

// cut returns the beginning of a file up to a random line end.
func (w *world) cut(content string) string {
	lines := strings.SplitAfter(content, "\n")
	return strings.Join(lines[:w.rng.IntN(len(lines))], "")
}

// assistantLines are the lines of one response of a file.
func (w *world) assistantLines(content string) []string {
	var found []string
	for _, l := range strings.Split(content, "\n") {
		if json.Valid([]byte(l)) && bytes.Contains([]byte(l), []byte(`"id":"msg_`)) {
			found = append(found, l)
		}
	}
	if len(found) == 0 {
		return nil
	}
	from := w.rng.IntN(len(found))
	return found[from:min(len(found), from+3)]
}
