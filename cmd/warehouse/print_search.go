package main

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"warehouse/warehouse"
	"warehouse/warehouse/text"
)

// Printing hits.
//
// The rules are:
//
//   - First what was searched, how many hits there are, what is hidden and which switch shows it, and
//     how fresh the warehouse is; then the hits, each with what "warehouse read" needs.
//   - Words are marked with [ and ], in colour on a terminal.
//   - A hit shows the stretch of its passage with most of the words; --full shows passages whole. Those
//     and --context share searchBudget bytes, passages first, then neighbours, the nearest first, so that
//     an answer fits into what an agent reads; what was cut is said.
//   - No control character of a transcript reaches a terminal.

const (
	searchBudget = 16_000 // bytes
	excerptSize  = 320    // characters
	excerptLead  = 60     // characters before the first word of an excerpt
)

type searchPrinter struct {
	options searchOptions
	result  *warehouse.SearchResult
	zone    *time.Location
	now     time.Time
	width   int
	color   bool

	left    int // bytes of the budget
	cut     int // passages that were cut
	dropped int // neighbours that were
}

func (p *searchPrinter) print(w io.Writer) error {
	out := bufio.NewWriter(w)
	if p.width <= 0 || p.width > 110 {
		p.width = 110
	}
	p.left = searchBudget
	p.head(out)
	texts := make([]string, len(p.result.Hits))
	for i, h := range p.result.Hits {
		texts[i] = p.passage(h)
	}
	around := p.neighbours()
	for i, h := range p.result.Hits {
		fmt.Fprintln(out)
		p.hit(out, i, h, texts[i], around[i])
	}
	p.foot(out)
	return out.Flush()
}

// head says what was searched.
func (p *searchPrinter) head(out io.Writer) {
	r := p.result
	where := strings.Join(r.Kinds, ", ")
	if len(r.Kinds) == len(warehouse.Kinds()) {
		where = "all kinds"
	}
	line := fmt.Sprintf("%s in %s", count(r.Total, "hit"), where)
	switch {
	case r.Scanned && p.options.Literal:
		line += ", scanned letter by letter"
	case r.Scanned:
		line += ", scanned, not from the index"
	}
	if shown := int64(len(r.Hits)); shown < r.Total {
		line += fmt.Sprintf(", %d shown", shown)
	}
	if !p.options.Any && !p.options.Literal && r.TotalAll < r.Total {
		line += fmt.Sprintf("; %s with all words", thousands(r.TotalAll))
	}
	fmt.Fprintf(out, "%s, times in %s\n", line, fmtZone(p.zone, "/etc/localtime"))
	if hidden := hiddenText(r.Hidden); hidden != "" {
		fmt.Fprintln(out, "not shown: "+hidden)
	}
	fmt.Fprintf(out, "warehouse of %s, %s ago\n", r.At.In(p.zone).Format(time.DateTime), age(p.now.Sub(r.At)))
}

// hiddenText sums up what is hidden, by the switch that shows it.
func hiddenText(hidden []warehouse.Hidden) string {
	var subagents, injected, automated, blocked int64
	var others []string
	for _, h := range hidden {
		switch h.Reason {
		case "subagents":
			subagents += h.Hits
		case "injected":
			injected += h.Hits
		case "automated":
			automated += h.Hits
		case warehouse.Blocked:
			blocked += h.Hits
		default:
			others = append(others, fmt.Sprintf("%s of --kind %s", thousands(h.Hits), h.Kind))
		}
	}
	var parts []string
	for _, one := range []struct {
		n    int64
		text string
	}{{subagents, "of sub-agents (--subagents)"}, {injected, "written by the program (--injected)"}, {automated, "of sessions without a person (--automated)"},
		{blocked, "of hosts whose egress is blocked (--include-blocked)"}} {
		if one.n > 0 {
			parts = append(parts, thousands(one.n)+" "+one.text)
		}
	}
	return strings.Join(append(parts, others...), ", ")
}

// age says how long ago something was.
func age(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return count(int64(max(d, 0).Seconds()), "second")
	case d < 2*time.Hour:
		return count(int64(d.Minutes()), "minute")
	case d < 48*time.Hour:
		return count(int64(d.Hours()), "hour")
	}
	return count(int64(d.Hours()/24), "day")
}

// passage is the text of a hit that is shown, marked.
func (p *searchPrinter) passage(h warehouse.Hit) string {
	whole := strings.TrimSpace(h.Text)
	spans := p.spans(whole)
	if !p.options.full {
		from, to := excerpt(whole, spans)
		return p.marked(whole, spans, from, to)
	}
	from, to := 0, len(whole)
	if to > p.left {
		p.cut++
		if from, to = excerpt(whole, spans); to-from < p.left {
			from, to = widen(whole, from, to, p.left)
		}
	}
	p.left = max(0, p.left-(to-from))
	return p.marked(whole, spans, from, to)
}

// widen lets an excerpt grow to size bytes.
func widen(s string, from, to, size int) (int, int) {
	grow := (size - (to - from)) / 2
	from, to = max(0, from-grow), min(len(s), to+grow)
	for from > 0 && !utf8.RuneStart(s[from]) {
		from--
	}
	for to < len(s) && !utf8.RuneStart(s[to]) {
		to--
	}
	return from, to
}

// spans are the places of the words in a text.
func (p *searchPrinter) spans(s string) []text.Span {
	if !p.options.Literal {
		return text.Spans(s, p.result.Words)
	}
	var out []text.Span
	for at := 0; ; {
		i := strings.Index(s[at:], p.options.Words)
		if i < 0 {
			return out
		}
		out = append(out, text.Span{Start: at + i, End: at + i + len(p.options.Words)})
		at += i + len(p.options.Words)
	}
}

// excerpt returns the stretch of a text with the most different words in it, the earliest of equals.
func excerpt(s string, spans []text.Span) (from, to int) {
	best, most := 0, 0
	for i := range spans {
		seen := map[string]bool{}
		for _, span := range spans[i:] {
			if span.End-spans[i].Start > excerptSize-excerptLead {
				break
			}
			seen[text.Fold(s[span.Start:span.End])] = true
		}
		if len(seen) > most {
			best, most = i, len(seen)
		}
	}
	if len(spans) > 0 {
		from = spans[best].Start
	}
	for n := 0; n < excerptLead && from > 0; n++ {
		_, size := utf8.DecodeLastRuneInString(s[:from])
		from -= size
	}
	// Whole words at both ends.
	if from > 0 {
		if i := strings.IndexAny(s[from:], " \n\t"); i >= 0 && i < excerptLead {
			from += i + 1
		}
	}
	to = from
	for n := 0; n < excerptSize && to < len(s); n++ {
		_, size := utf8.DecodeRuneInString(s[to:])
		to += size
	}
	if to < len(s) {
		if i := strings.LastIndexAny(s[from:to], " \n\t"); i > (to-from)/2 {
			to = from + i
		}
	}
	return from, to
}

// marked is a stretch of a text with the words in it marked.
func (p *searchPrinter) marked(s string, spans []text.Span, from, to int) string {
	var b strings.Builder
	before, behind := "[", "]"
	if p.color {
		before, behind = "\x1b[1;33m", "\x1b[0m"
	}
	if from > 0 {
		b.WriteString("… ")
	}
	at := from
	for _, span := range spans {
		if span.Start < at || span.End > to {
			continue
		}
		b.WriteString(p.clean(s[at:span.Start]))
		b.WriteString(before + p.clean(s[span.Start:span.End]) + behind)
		at = span.End
	}
	b.WriteString(p.clean(s[at:to]))
	if to < len(s) {
		b.WriteString(" …")
	}
	return b.String()
}

// clean makes text fit for a terminal: whole passages keep their lines, excerpts are one.
func (p *searchPrinter) clean(s string) string {
	s = strings.ReplaceAll(cleanLines(s), "\t", "    ")
	if p.options.full {
		return s
	}
	return lineEnds.ReplaceAllString(s, " ")
}

var lineEnds = regexp.MustCompile(`[ \t]*\n\s*`)

// neighbours are the texts around each hit that the budget has room for, the nearest first.
func (p *searchPrinter) neighbours() [][2][]warehouse.Neighbour {
	out := make([][2][]warehouse.Neighbour, len(p.result.Hits))
	for distance := range p.options.Context {
		for i, h := range p.result.Hits {
			if n := len(h.Before) - 1 - distance; n >= 0 && p.take(h.Before[n]) {
				out[i][0] = append([]warehouse.Neighbour{h.Before[n]}, out[i][0]...)
			}
			if distance < len(h.Behind) && p.take(h.Behind[distance]) {
				out[i][1] = append(out[i][1], h.Behind[distance])
			}
		}
	}
	return out
}

func (p *searchPrinter) take(n warehouse.Neighbour) bool {
	if len(n.Text) > p.left {
		p.dropped++
		return false
	}
	p.left -= len(n.Text)
	return true
}

// hit prints one hit.
func (p *searchPrinter) hit(out io.Writer, i int, h warehouse.Hit, passage string, around [2][]warehouse.Neighbour) {
	at := "no time"
	if !h.Timestamp.IsZero() {
		at = h.Timestamp.In(p.zone).Format(time.DateTime)
	}
	who := h.Role
	if h.Kind != "prose" {
		who = h.Kind
	}
	head := fmt.Sprintf("%d. %s  %s", i+1, at, who)
	for _, mark := range []struct {
		is   bool
		text string
	}{{h.IsSubagent, "sub-agent"}, {h.IsInjected, "written by the program"}, {h.IsAutomated, "no person"}, {h.Copies > 1, fmt.Sprintf("%d copies", h.Copies)}} {
		if mark.is {
			head += ", " + mark.text
		}
	}
	if len(h.Missing) > 0 {
		head += ", without " + oneLine(strings.Join(h.Missing, ", "))
	}
	if h.Title != "" {
		head += "  " + oneLine(h.Title)
	}
	p.bold(out, runewidth.Truncate(head, p.width, "…"))
	place := h.ProjectPath
	if h.Host != "local" {
		place = h.Host + ":" + place
	}
	fmt.Fprintf(out, "   %s  line %d  %s\n", oneLine(h.SessionID), h.SourceLine, oneLine(place))
	p.around(out, around[0])
	p.wrapped(out, passage)
	p.around(out, around[1])
}

func (p *searchPrinter) bold(out io.Writer, line string) {
	if p.color {
		line = "\x1b[1m" + line + "\x1b[0m"
	}
	fmt.Fprintln(out, line)
}

func (p *searchPrinter) around(out io.Writer, texts []warehouse.Neighbour) {
	for _, n := range texts {
		fmt.Fprintf(out, "   ┄ line %d, %s\n", n.SourceLine, n.Role)
		p.wrapped(out, p.clean(n.Text))
	}
}

// wrapped prints text in lines that fit.
func (p *searchPrinter) wrapped(out io.Writer, s string) {
	const indent = "   "
	for _, line := range strings.Split(s, "\n") {
		for _, part := range wrapWords(line, p.width-len(indent)) {
			fmt.Fprintln(out, strings.TrimRight(indent+part, " "))
		}
	}
}

// wrapWords breaks a line at blanks; colours take no room.
func wrapWords(line string, width int) []string {
	var out []string
	at, used := "", 0
	for i, word := range strings.SplitAfter(line, " ") {
		size := runewidth.StringWidth(strings.TrimRight(uncoloured.Replace(word), " "))
		if i > 0 && used+size > width && at != "" {
			out, at, used = append(out, at), "", 0
		}
		at += word
		used += runewidth.StringWidth(uncoloured.Replace(word))
	}
	return append(out, at)
}

var uncoloured = strings.NewReplacer("\x1b[1;33m", "", "\x1b[0m", "")
