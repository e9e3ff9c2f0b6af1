package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"warehouse/queries"
	"warehouse/warehouse"
)

// Egress: text of imported hosts is let out only where somebody allowed it.
//
// The rules are:
//
//   - The policy is read from the manifests at each command, so the latest choice holds at once.
//   - It holds where text of sessions is what is asked for: search, read, and reports that export it
//     (they declare the parameter egress_hosts). Numbers, other reports and SQL are not policed.
//   - What is left out is counted and said. --include-blocked lets it out once.

// egressParam is the parameter of reports that export text: the hosts whose text may leave.
const egressParam = "egress_hosts"

// egressHosts lists the hosts whose text may leave; none means that all may.
func (a *app) egressHosts(include bool) ([]string, error) {
	if include {
		return nil, nil
	}
	layout, err := a.layout()
	if err != nil {
		return nil, err
	}
	return layout.EgressHosts()
}

// checkEgress refuses a session of a host whose text may not leave.
func (a *app) checkEgress(s warehouse.SessionRef, name string, include bool) error {
	open, err := a.egressHosts(include)
	if err != nil || len(open) == 0 || slices.Contains(open, s.Host) {
		return err
	}
	return warehouse.WithHint(fmt.Errorf("session %s is of host %q, whose egress is blocked", s.ID, s.Host),
		"once: warehouse read "+shellQuote(name)+" --include-blocked",
		"from now on: warehouse hosts --egress allowed "+s.Host)
}

// heedEgress sets the parameter of a report that exports text.
func (a *app) heedEgress(q queries.Query, values map[string]string, include bool) error {
	_, given := values[egressParam]
	_, exports := q.Param(egressParam)
	switch {
	case !exports && include:
		return usagef("--include-blocked is for reports that export text; %s is none", q.Name)
	case !exports:
		return nil
	case given:
		return warehouse.WithHint(usagef("%s follows from the hosts' egress", egressParam), "--include-blocked lets out all, warehouse hosts --egress allowed LABEL one host's")
	}
	hosts, err := a.egressHosts(include)
	if err != nil {
		return err
	}
	if values[egressParam] = strings.Join(hosts, ","); include {
		values[egressParam] = "*"
	}
	return nil
}

// sayLeftOut prints the notes of a report that exports text apart from its rows: they say what is
// not among these, and those are for a file.
func (a *app) sayLeftOut(ctx context.Context, q queries.Query, r *warehouse.Reader) error {
	notes, err := r.Notes(ctx, q)
	for _, note := range notes {
		fmt.Fprintln(a.stderr, printSafe(a.redacted(note)))
	}
	return err
}
