package warehouse

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"time"
)

//go:embed sql/session_find.sql
var sessionFindSQL string

// SessionRef says which session is meant.
type SessionRef struct {
	Host      string
	Agent     string
	ID        string
	Title     string    // empty where it has none
	StartedAt time.Time // zero where no line has a time
}

// ErrAmbiguous is returned, in an *AmbiguousError, for a beginning that several ids have.
var ErrAmbiguous = errors.New("several sessions")

// AmbiguousError lists the sessions that a beginning fits, the last begun first.
type AmbiguousError struct {
	Name     string
	Sessions []SessionRef
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%q begins the ids of %d sessions", e.Name, len(e.Sessions))
}

func (e *AmbiguousError) Unwrap() error { return ErrAmbiguous }

// FindSession returns the session whose id is name, else the one whose id alone begins with it.
// host may be empty: a session that is on several machines is then taken from this one. It returns
// ErrNotFound or an *AmbiguousError.
func (r *Reader) FindSession(ctx context.Context, name, host string) (SessionRef, error) {
	if err := r.set(ctx, "name", name); err != nil {
		return SessionRef{}, err
	}
	var all []SessionRef
	err := r.each(ctx, sessionFindSQL, func(scan func(...any) error) error {
		var s SessionRef
		var at *time.Time
		if err := scan(&s.Host, &s.Agent, &s.ID, &s.Title, &at); err != nil {
			return err
		}
		s.StartedAt = orZero(at)
		if host == "" || s.Host == host {
			all = append(all, s)
		}
		return nil
	})
	if err != nil {
		return SessionRef{}, fmt.Errorf("session %q: %w", name, err)
	}
	exact := func(s SessionRef) bool { return s.ID == name }
	if slices.ContainsFunc(all, exact) {
		all = slices.DeleteFunc(all, func(s SessionRef) bool { return !exact(s) })
	}
	// Copies of a session on other machines are behind the one here.
	slices.SortStableFunc(all, func(a, b SessionRef) int {
		switch {
		case a.ID != b.ID || (a.Host == LocalHost) == (b.Host == LocalHost):
			return 0
		case a.Host == LocalHost:
			return -1
		}
		return 1
	})
	seen := map[string]bool{}
	all = slices.DeleteFunc(all, func(s SessionRef) bool {
		twice := seen[s.ID]
		seen[s.ID] = true
		return twice
	})
	switch {
	case len(all) == 1:
		return all[0], nil
	case len(all) > 1:
		return SessionRef{}, &AmbiguousError{name, all}
	}
	return SessionRef{}, WithHint(fmt.Errorf("%w: no session %q", ErrNotFound, name), "list them: warehouse query sessions")
}
