package warehouse

import (
	"bytes"
	"context"
	"database/sql/driver"
	"fmt"
	"unicode/utf8"
)

// Staging: framed lines are appended to tables in memory.
//
// The rules are:
//
//   - A table is bounded by bytes, not rows: one line may be larger than all others together.
//   - Text goes in as VARCHAR, never JSON, which the driver would encode again; what is not
//     valid UTF-8 goes in as BLOB, since the appender stores NULL for it without an error.
//   - Lines wait until there are some to append, which can be repeated as a whole (room.go).

const stagedColumns = `(host VARCHAR, agent VARCHAR, source_file VARCHAR, source_line BIGINT, byte_offset BIGINT, generation BIGINT,
	file_session_id VARCHAR, file_agent_id VARCHAR, text VARCHAR, bytes BLOB, reason VARCHAR, is_tail BOOLEAN)`

// stagedLine is a row of a staging table.
type stagedLine struct {
	file       *found
	generation int64
	number     int64
	offset     int64
	text       *string // nil where the line is not text
	bytes      []byte  // nil where text is the line
	reason     string
	isTail     bool
}

// stage classifies a framed line; b is copied.
func stage(f *found, generation int64, l line) stagedLine {
	s := stagedLine{file: f, generation: generation, number: l.number, offset: l.offset, isTail: l.isTail}
	switch {
	case len(bytes.TrimSpace(l.bytes)) == 0:
		s.bytes, s.reason, s.isTail = append([]byte{}, l.bytes...), "blank", false
	case utf8.Valid(l.bytes) && bytes.IndexByte(l.bytes, 0) < 0:
		text := string(l.bytes)
		s.text = &text
	default:
		s.bytes = append([]byte{}, l.bytes...)
		if !l.isTail {
			var text string
			var ok bool
			if text, s.reason, ok = repair(l.bytes); ok {
				s.text = &text
			}
		}
	}
	return s
}

// row is the line as stagedColumns.
func (l stagedLine) row() []driver.Value {
	var text, raw any
	if l.text != nil {
		text = *l.text
	}
	if l.bytes != nil {
		raw = l.bytes
	}
	f := l.file
	return []driver.Value{f.root.Host, f.root.Agent, f.path, l.number, l.offset, l.generation, null(f.sessionID), null(f.agentID),
		text, raw, null(l.reason), l.isTail}
}

// size is about how many bytes of memory the line takes.
func (l stagedLine) size() int {
	n := 100 + len(l.bytes)
	if l.text != nil {
		n += len(*l.text)
	}
	return n
}

// stager fills staging tables.
type stager struct {
	writer  *writer
	lines   []stagedLine  // that the table gets next
	size    int           // of them
	filled  int           // size of what the table has
	longest int           // size of a line so far
	n       int           // tables made so far
	batches chan<- string // names of full tables
}

func (s *stager) add(ctx context.Context, l stagedLine) error {
	s.lines = append(s.lines, l)
	s.size += l.size()
	s.longest = max(s.longest, l.size())
	batch := s.writer.room.batchBytes()
	if s.size < batch/5 {
		return nil
	}
	if err := s.store(ctx); err != nil || s.filled < batch {
		return err
	}
	return s.flush(ctx)
}

func (s *stager) table() string { return fmt.Sprintf("b%d", s.n) }

// store appends the lines to the table.
func (s *stager) store(ctx context.Context) error {
	if err := s.writer.raise(ctx, int64(s.longest)); err != nil {
		return fmt.Errorf("staging: %w", err)
	}
	if s.filled == 0 {
		if err := s.writer.exec(ctx, "CREATE TABLE s.main."+s.table()+" "+stagedColumns); err != nil {
			return fmt.Errorf("staging: %w", err)
		}
	}
	if err := s.writer.appendRows(ctx, "s", s.table(), stagedRows(s.lines)); err != nil {
		return fmt.Errorf("staging: %w", err)
	}
	s.filled += s.size
	clear(s.lines)
	s.lines, s.size = s.lines[:0], 0
	return nil
}

// flush hands the current table over, if there is one.
func (s *stager) flush(ctx context.Context) error {
	if len(s.lines) > 0 {
		if err := s.store(ctx); err != nil {
			return err
		}
	}
	if s.filled == 0 {
		return nil
	}
	select {
	case s.batches <- s.table():
	case <-ctx.Done():
		return ctx.Err()
	}
	s.n++
	s.filled = 0
	return nil
}

// stagedRows appends lines to a table of stagedColumns.
func stagedRows(lines []stagedLine) func(add func(...driver.Value) error) error {
	return func(add func(...driver.Value) error) error {
		for _, l := range lines {
			if err := add(l.row()...); err != nil {
				return fmt.Errorf("line %d of %q: %w", l.number, l.file.path, err)
			}
		}
		return nil
	}
}
