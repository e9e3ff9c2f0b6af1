package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"warehouse/warehouse"
)

// shortestID is how much of a session's id has to be given: a letter or two is a slip.
const shortestID = 4

// sessionCommand is the command that asks for a session, as its errors and hints name it.
type sessionCommand struct{ name, words string }

// findSession completes an id. The sessions that a beginning may mean are hints.
func (a *app) findSession(ctx context.Context, r *warehouse.Reader, name, host string, cmd sessionCommand, loc *time.Location, blocked bool) (warehouse.SessionRef, error) {
	s, err := r.FindSession(ctx, name, host)
	if len([]rune(name)) < shortestID && (err != nil || s.ID != name) {
		return s, usagef("%s: %q is too short, want at least %d characters of a session's id", cmd.name, name, shortestID)
	}
	var several *warehouse.AmbiguousError
	if !errors.As(err, &several) {
		return s, err
	}
	open, egressErr := a.egressHosts(blocked)
	if egressErr != nil {
		return s, egressErr
	}
	const most = 5
	var hints []string
	for _, s := range several.Sessions[:min(most, len(several.Sessions))] {
		hint := cmd.words + " " + shellQuote(s.ID) + "  #"
		if !s.StartedAt.IsZero() {
			hint += " " + s.StartedAt.In(loc).Format("2006-01-02 15:04")
		}
		if len(open) == 0 || slices.Contains(open, s.Host) {
			hint += " " + s.Title
		}
		hints = append(hints, hint)
	}
	if more := len(several.Sessions) - most; more > 0 {
		hints = append(hints, fmt.Sprintf("and %d more: warehouse query sessions", more))
	}
	return s, warehouse.WithHint(usageError{fmt.Errorf("%s: %w", cmd.name, err)}, hints...)
}

// readCommand is the command line without what chooses the page.
func readCommand(f *pflag.FlagSet, name string) string {
	command := "warehouse read " + shellQuote(name)
	f.Visit(func(flag *pflag.Flag) {
		switch flag.Name {
		case "from", "around", "last", "context", "file":
			return
		}
		command += " --" + flag.Name
		if value := flag.Value.String(); flag.Value.Type() != "bool" {
			command += " " + shellQuote(value)
		} else if value != "true" {
			command += "=" + value
		}
	})
	return command
}
