package warehouse

import (
	"errors"
	"fmt"
	"strings"
)

// The rules are:
//
//   - A sentinel exists only where a caller branches on it, and says when it is returned.
//   - What a person can do next travels with the error as a hint, a command to type.

// ErrNoDatabase is returned by the read-only openers when there is no published file.
var ErrNoDatabase = errors.New("no warehouse yet")

// ErrNewer is returned when a file was written by a newer version of this program.
var ErrNewer = errors.New("written by a newer version")

// ErrStale is returned by the read-only openers when the file was derived with other
// definitions than this program's, so that its reports could disagree with the help.
var ErrStale = errors.New("derived with other definitions")

// ErrNotWarehouse is returned when a file is no database, or one of something else.
var ErrNotWarehouse = errors.New("not a warehouse")

// ErrNotFound is returned when what was asked for by name or id is not there.
var ErrNotFound = errors.New("not found")

// ErrLocked is returned when another process holds the refresh lock for longer than the
// wait and there is no file to fall back on or a choice that could not be stored, or holds the
// published file open for writing.
var ErrLocked = errors.New("in use by another process")

type hinted struct {
	error
	hints []string
}

func (h hinted) Unwrap() error { return h.error }

// WithHint attaches a next step to err.
func WithHint(err error, hints ...string) error {
	if err == nil {
		return nil
	}
	return hinted{err, hints}
}

// Hints returns the next steps attached anywhere in err's chain.
func Hints(err error) []string {
	var h hinted
	if errors.As(err, &h) {
		return h.hints
	}
	return nil
}

// engineError makes one line of what DuckDB says: the message without the prefix of the
// driver, the quoted statement and the caret below it.
func engineError(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	for _, prefix := range []string{"database/sql/driver: ", "duckdb error: ", "API error: "} {
		text = strings.TrimPrefix(text, prefix)
	}
	text, _, _ = strings.Cut(text, "\n\nLINE ")
	text, _, _ = strings.Cut(text, "\nLINE ")
	text, _, _ = strings.Cut(text, "\nPossible solutions")
	return oneLine{err, strings.Join(strings.Fields(text), " ")}
}

type oneLine struct {
	error
	text string
}

func (o oneLine) Error() string { return o.text }
func (o oneLine) Unwrap() error { return o.error }

func notWarehouse(path string, why string) error {
	return WithHint(fmt.Errorf("%q is %w (%s)", path, ErrNotWarehouse, why),
		"name another file with --db, or move this one away and run: warehouse refresh")
}

// isOutOfMemory tells whether DuckDB says that its memory limit is reached, which a checkpoint and an
// appender say in words of their own.
func isOutOfMemory(err error) bool {
	if err == nil {
		return false
	}
	text := err.Error()
	return strings.Contains(text, "Out of Memory") || strings.Contains(text, "failed to pin block") || strings.Contains(text, "could not allocate block")
}
