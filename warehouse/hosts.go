package warehouse

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"time"
)

//go:embed sql/hosts.sql
var hostsSQL string

// Host is a machine whose transcripts are in the warehouse, or wait in a tree for the next refresh.
type Host struct {
	Label         string
	Files         int64 // in the warehouse
	Lines         int64
	First, Last   time.Time // of records; zero where none has a time
	ImportedAt    time.Time // zero for this machine, and where nothing is known of the tree
	Egress        string
	Source        string // folders or where they are imported from; empty where it is not known
	IsInterrupted bool   // the last import did not come to its end
}

// Hosts lists this machine and then the others, by label. r may be nil where there is no warehouse
// yet.
func (l Layout) Hosts(ctx context.Context, r *Reader) ([]Host, error) {
	var hosts []Host
	at := map[string]int{}
	if r != nil {
		err := r.each(ctx, hostsSQL, func(scan func(...any) error) error {
			var h Host
			var first, last *time.Time
			if err := scan(&h.Label, &h.Files, &h.Lines, &first, &last, &h.Source); err != nil {
				return err
			}
			h.First, h.Last = orZero(first), orZero(last)
			if h.Egress = EgressBlocked; h.Label == LocalHost {
				h.Egress = EgressAllowed
			} else {
				h.Source = ""
			}
			at[h.Label] = len(hosts)
			hosts = append(hosts, h)
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("hosts: %w", err)
		}
	}
	labels, err := l.Labels()
	if err != nil {
		return nil, err
	}
	for _, label := range labels {
		i, known := at[label]
		if !known {
			i = len(hosts)
			hosts = append(hosts, Host{Label: label, Egress: EgressBlocked})
		}
		m, err := l.ReadManifest(label)
		if errors.Is(err, ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		h := &hosts[i]
		h.ImportedAt, h.Source, h.IsInterrupted = m.ImportedAt, m.Source, m.Interrupted()
		if m.Egress == EgressAllowed {
			h.Egress = EgressAllowed
		}
	}
	return hosts, nil
}
