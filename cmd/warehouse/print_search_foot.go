package main

import (
	"fmt"
	"io"

	"warehouse/warehouse"
)

// foot says what was cut, and what to do next.
func (p *searchPrinter) foot(out io.Writer) {
	var notes []string
	if p.cut > 0 {
		notes = append(notes, fmt.Sprintf("%s cut to stay within %s bytes", count(int64(p.cut), "passage"), thousands(searchBudget)))
	}
	if p.dropped > 0 {
		notes = append(notes, fmt.Sprintf("%s around hits left out to stay within %s bytes", count(int64(p.dropped), "text"), thousands(searchBudget)))
	}
	if len(p.result.Hits) > 0 {
		h := p.result.Hits[0]
		next := fmt.Sprintf("read on: warehouse read %s --around %d", shortSession(h.SessionID), h.SourceLine)
		if p.options.blocked && h.Host != warehouse.LocalHost {
			next += " --include-blocked"
		}
		notes = append(notes, next)
	} else {
		notes = append(notes, p.result.Advice...)
		notes = append(notes, p.wider()...)
	}
	if len(notes) > 0 {
		fmt.Fprintln(out)
	}
	for _, n := range notes {
		fmt.Fprintln(out, printSafe(n))
	}
}

// wider are the switches that may find more.
func (p *searchPrinter) wider() []string {
	o, r := p.options, p.result
	switch {
	case o.Literal:
		return []string{"wider: --kind all, or words instead of --literal"}
	case len(r.Hidden) > 0:
		return nil // the head names them
	case !o.Any && len(r.Words) > 1:
		return []string{"wider: --any, one of the words is enough"}
	case !r.Scanned:
		return []string{"wider: --kind tool-result looks through what tools returned"}
	}
	return nil
}

// shortSession is the beginning of a session id that names it well enough.
func shortSession(id string) string {
	if len(id) == 36 {
		return id[:8]
	}
	return id
}
