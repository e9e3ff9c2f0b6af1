package main

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Usage and cost reckoned a second time: straight over the lines of transcripts, in plain loops,
// with nothing of the program but its list of prices. Tests hold the program's figures against it.
//
// The rules are those of the headers of schema/2_usage_lines.sql and 3_message_usage.sql:
//
//   - Lines of one response share message.id, else requestId, else uuid; ids not shaped like the
//     vendor's count within session and model.
//   - The line with the most output gives the numbers; then the main thread's; then the one of the
//     file in which the response appears earliest; then of a file that began earlier, then of one
//     without forked lines; then the latest.
//   - It is booked to the session of its earliest line, and to a sub-agent where all its lines are.

// reckoned is one row of message_usage.
type reckoned struct {
	key, kind              string
	session, agent         string
	project, model         string
	at                     time.Time // zero where the line has none
	input, output, read    int64
	write5m, write1h       int64
	searches               int64
	cost                   *big.Rat // nil where it is not known
	isRecorded, isLowBound bool
}

func (r reckoned) total() int64 { return r.input + r.output + r.read + r.write5m + r.write1h }

// usageLine is a line that carries usage.
type usageLine struct {
	reckoned
	file          string
	number        int
	isSub, nested bool
	speed, tier   string
	iterations    []any
	recorded      *big.Rat
	outputKnown   bool
}

// fileStart is what decides between files in which a response appears at the same time.
type fileStart struct {
	at     time.Time // earliest of its lines
	forked bool      // some of them say forkedFrom
}

// reckon reads a tree of transcripts.
func reckon(t testing.TB, projects string, prices priceList) []reckoned {
	t.Helper()
	starts := map[string]fileStart{}
	responses := map[string][]usageLine{}
	err := filepath.WalkDir(projects, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "tool-results" || d.Name() == "memory"):
			return fs.SkipDir
		case d.Type().IsRegular() && strings.HasSuffix(path, ".jsonl") && d.Name() != "journal.jsonl":
			reckonFile(t, path, starts, responses)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var out []reckoned
	for key, lines := range responses {
		out = append(out, settle(key, lines, starts, prices)...)
	}
	slices.SortFunc(out, func(a, b reckoned) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.kind, b.kind), cmp.Compare(a.model, b.model), cmp.Compare(a.output, b.output))
	})
	return out
}

func reckonFile(t testing.TB, path string, starts map[string]fileStart, responses map[string][]usageLine) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	session, agent := strings.TrimSuffix(filepath.Base(path), ".jsonl"), ""
	if before, _, ok := strings.Cut(path, "/subagents/"); ok {
		session, agent = filepath.Base(before), strings.TrimPrefix(session, "agent-")
	} else if id, ok := strings.CutPrefix(session, "agent-"); ok {
		session, agent = "", id
	}
	r := bufio.NewReaderSize(f, 1<<20)
	for number := 1; ; number++ {
		text, err := r.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			t.Fatal(err)
		}
		// What is not JSON counts nothing, a torn last line among it.
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber()
		var v any
		if d.Decode(&v) == nil && d.Decode(new(any)) == io.EOF {
			if line, ok := v.(map[string]any); ok {
				at := timeOf(line["timestamp"])
				start := starts[path]
				if !at.IsZero() && (start.at.IsZero() || at.Before(start.at)) {
					start.at = at
				}
				start.forked = start.forked || str(object(line["forkedFrom"])["sessionId"]) != ""
				starts[path] = start
				if l, ok := usageOf(line, at, session, agent); ok {
					l.file, l.number = path, number
					l.key = cmp.Or(l.key, path+"/"+strconv.Itoa(number))
					responses[l.key] = append(responses[l.key], l)
				}
			}
		}
		if err != nil {
			return
		}
	}
}

// usageOf reads the usage of a line, and tells whether it is a line of a response.
func usageOf(line map[string]any, at time.Time, session, agent string) (usageLine, bool) {
	message, request := object(line["message"]), str(line["requestId"])
	progress := object(object(line["data"])["message"])
	inner := object(progress["message"])
	nested := str(inner["id"]) != ""
	if str(line["type"]) != "assistant" && !nested {
		return usageLine{}, false
	}
	if nested && str(message["id"]) == "" {
		message, request = inner, cmp.Or(request, str(progress["requestId"]))
	}
	usage := object(message["usage"])
	creation := object(usage["cache_creation"])
	l := usageLine{
		reckoned: reckoned{
			kind: "response", at: at, model: str(message["model"]), project: str(line["cwd"]),
			session: cmp.Or(str(line["sessionId"]), session), agent: cmp.Or(agent, str(line["agentId"]), str(object(line["data"])["agentId"])),
			read: tokens(usage["cache_read_input_tokens"]), write1h: tokens(creation["ephemeral_1h_input_tokens"]),
			input: tokens(usage["input_tokens"]), output: tokens(usage["output_tokens"]),
			searches: tokens(object(usage["server_tool_use"])["web_search_requests"]),
		},
		nested: nested, speed: str(usage["speed"]), tier: str(usage["service_tier"]), outputKnown: usage["output_tokens"] != nil,
	}
	l.write5m = max(tokens(usage["cache_creation_input_tokens"])-l.write1h, tokens(creation["ephemeral_5m_input_tokens"]))
	l.isSub = l.agent != "" || line["isSidechain"] == true
	if list, ok := usage["iterations"].([]any); ok && len(list) > 1 {
		l.iterations = list
	}
	if n, ok := line["costUSD"].(json.Number); ok {
		l.recorded, _ = new(big.Rat).SetString(n.String())
	}
	id := str(message["id"])
	switch {
	case l.model == "<synthetic>", line["isApiErrorMessage"] == true, id == "" && usage["input_tokens"] == nil && usage["output_tokens"] == nil:
		return usageLine{}, false
	case strings.HasPrefix(id, "msg_"):
		l.key = id
	case id != "":
		l.key = l.session + "/" + l.model + "/" + id
	case strings.HasPrefix(request, "req_"):
		l.key = request
	case request != "":
		l.key = l.session + "/" + l.model + "/" + request
	default:
		l.key = str(line["uuid"])
	}
	l.isLowBound = message["stop_reason"] == nil && l.output <= 8 && before2188(str(line["version"]))
	return l, true
}

// settle makes rows of the lines of one response.
func settle(key string, lines []usageLine, starts map[string]fileStart, prices priceList) []reckoned {
	earlier := func(a, b time.Time) int { // no time is last
		switch {
		case a.Equal(b):
			return 0
		case b.IsZero() || !a.IsZero() && a.Before(b):
			return -1
		}
		return 1
	}
	appears := map[string]time.Time{}
	isSub := true
	for _, l := range lines {
		if at, ok := appears[l.file]; !ok || earlier(l.at, at) < 0 {
			appears[l.file] = l.at
		}
		isSub = isSub && l.isSub
	}
	flag := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	files := func(a, b usageLine) int {
		x, y := starts[a.file], starts[b.file]
		return cmp.Or(earlier(x.at, y.at), flag(x.forked)-flag(y.forked), cmp.Compare(a.file, b.file))
	}
	output := func(l usageLine) int64 {
		if !l.outputKnown {
			return -1
		}
		return l.output
	}
	winner := slices.MinFunc(lines, func(a, b usageLine) int {
		return cmp.Or(flag(a.nested)-flag(b.nested), cmp.Compare(output(b), output(a)), flag(a.isSub)-flag(b.isSub),
			earlier(appears[a.file], appears[b.file]), files(a, b), b.number-a.number)
	})
	first := slices.MinFunc(lines, func(a, b usageLine) int {
		return cmp.Or(flag(a.nested)-flag(b.nested), earlier(a.at, b.at), files(a, b), a.number-b.number)
	})
	row := winner.reckoned
	row.session, row.project, row.agent = first.session, first.project, ""
	if isSub {
		row.agent = first.agent
	}
	var out []reckoned
	for _, turn := range winner.iterations {
		usage := object(turn)
		kind := str(usage["type"])
		if kind == "" || kind == "message" {
			continue
		}
		extra := row
		extra.kind, extra.isLowBound, extra.searches = "attempt", false, 0
		if kind == "advisor_message" {
			extra.kind = "advisor"
		}
		extra.model = cmp.Or(str(usage["model"]), row.model)
		extra.input, extra.output = tokens(usage["input_tokens"]), tokens(usage["output_tokens"])
		extra.read, extra.write1h = tokens(usage["cache_read_input_tokens"]), tokens(object(usage["cache_creation"])["ephemeral_1h_input_tokens"])
		extra.write5m = max(tokens(usage["cache_creation_input_tokens"])-extra.write1h, tokens(object(usage["cache_creation"])["ephemeral_5m_input_tokens"]))
		extra.cost = prices.cost(extra, winner.speed, winner.tier)
		out = append(out, extra)
	}
	row.cost, row.isRecorded = prices.cost(row, winner.speed, winner.tier), winner.recorded != nil
	if row.isRecorded {
		row.cost = winner.recorded
	}
	return append(out, row)
}

func object(v any) map[string]any { m, _ := v.(map[string]any); return m }

// str is text; of what is none, its JSON.
func str(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number, map[string]any, []any:
		b, _ := json.Marshal(v)
		return string(b)
	}
	return ""
}

// tokens is a count that a line gives, also as text, a fraction or true; 0 where it is none or absurd.
func tokens(v any) int64 {
	if v == true {
		return 1
	}
	f, err := strconv.ParseFloat(strings.TrimSpace(str(v)), 64)
	if err != nil || f < 0 || f > 1e12 {
		return 0
	}
	return int64(math.Round(f))
}

// timeOf reads a timestamp; what is none, or not of this era, is zero.
func timeOf(v any) time.Time {
	at, err := time.Parse(time.RFC3339Nano, str(v))
	if err != nil || at.Year() < 1970 || at.Year() > 9998 {
		return time.Time{}
	}
	return at.UTC().Truncate(time.Microsecond)
}

var versionParts = regexp.MustCompile(`^(\d+)\.(\d+)\.(\d+)$`)

func before2188(version string) bool {
	m := versionParts.FindStringSubmatch(version)
	if m == nil {
		return true
	}
	var n [3]int
	for i := range n {
		n[i], _ = strconv.Atoi(m[i+1])
	}
	return slices.Compare(n[:], []int{2, 1, 88}) < 0
}
