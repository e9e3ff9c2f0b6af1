package warehouse

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// Memory: a refresh gets a fixed amount of it, whatever there is to load, unless one line or one statement
// alone needs more. What is in work at once is a part of that amount.
//
// DuckDB gets a part, too. It counts what it uses, but not what its allocator keeps for the next
// use, which was as much again, nor what is cut and counted for the index. So its part is smaller
// while the index is built, and now and then what is kept goes back to the system (relieve): a first
// refresh of 3 GB then has 0.85 GB resident; with the whole amount for DuckDB it had 1.57.
//
// How much a statement needs is not known before: a batch of lines of some MB needs ten times as much as
// one of ordinary lines. So statements work at once as long as that goes well, and one that meets the
// limit is repeated alone (step).
//
// A value is processed whole. What is made of a line is a text, the same as JSON, its items, and in
// each step a buffer of the next power of two: measured for lines of 33 to 300 MB, a limit of 19
// times the line can be too small and 32 times is enough; 10 to 19 times were resident. So a line too
// long for DuckDB's part raises it, beyond the default limit where it must. A limit that a person asked
// for stays, and a refresh that meets it says so.

//go:embed sql/line_lengths.sql
var lineLengthsSQL string

// roomPerByte of a line is how much memory DuckDB may need for it.
const roomPerByte = 32

type room struct {
	fixed bool   // a person asked for this much
	limit uint64 // bytes

	steps  sync.RWMutex // held for reading by steps that work at once, see step
	mu     sync.Mutex   // of what follows
	phase  phase
	raised uint64 // bytes that a line or a step made DuckDB's part; 0 is none
}

// phase is what the memory is divided for.
type phase int

const (
	loading phase = iota
	indexing
)

// part is how many bytes DuckDB gets: what batches and the row groups made of them need, and where there
// is more, a share.
func (r *room) part() uint64 {
	part := max(r.limit/2, min(512_000_000, r.limit))
	if r.phase == indexing {
		part = max(r.limit/10*3, min(256_000_000, r.limit))
	}
	return max(part, r.raised)
}

// setting is the statement that gives DuckDB its part.
func (r *room) setting() string { return fmt.Sprintf("SET memory_limit = '%dMiB'", r.part()>>20) }

// newRoom returns the room of a memory limit that a person asked for, or of the default where it is empty.
func newRoom(asked string) *room {
	if asked == "" {
		return &room{limit: defaultMemoryBytes()}
	}
	return &room{fixed: true, limit: sizeBytes(asked)}
}

// little tells whether the memory is too little for steps that work at once.
func (r *room) little() bool { return r.limit < 512_000_000 }

// step runs f, which is done as a whole or not at all. Where it meets DuckDB's part of the memory, it is
// repeated when no other step works, and with more where nobody asked for a limit. What is part of a
// step is repeated with it.
func (w *writer) step(ctx context.Context, f func() error) error {
	if w.inStep {
		return f()
	}
	w.inStep = true
	defer func() { w.inStep = false }()
	r := w.room
	if !r.little() {
		r.steps.RLock()
		err := f()
		r.steps.RUnlock()
		if !isOutOfMemory(err) {
			return err
		}
	}
	r.steps.Lock()
	defer r.steps.Unlock()
	for {
		err := f()
		if !isOutOfMemory(err) {
			return err
		}
		if more, failed := w.grow(ctx); !more {
			return errors.Join(err, failed)
		}
	}
}

// grow makes DuckDB's part half as large again, unless a person asked for a limit or it is most of the machine.
func (w *writer) grow(ctx context.Context) (more bool, err error) {
	r, most := w.room, mostBytes()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fixed || r.part() >= most {
		return false, nil
	}
	r.raised = min(r.part()/2*3, most)
	err = w.now(ctx, r.setting())
	return err == nil, err
}

// mostBytes is what DuckDB may have at most: all but a quarter of the machine, where that is known.
func mostBytes() uint64 {
	if total := memoryBytes(); total > 0 {
		return total / 4 * 3
	}
	return 1 << 50
}

// batchBytes is how much text one staging table holds, unless a single line is larger. Four tables
// are there at a time, two of them projected. Of 300 MB of transcripts, batches of 16 MB take 5 percent
// more time than those of 20 MB, batches of 24 MB 60 MB more memory.
func (r *room) batchBytes() int {
	if r.little() {
		return int(r.limit / 64)
	}
	return int(min(20<<20, r.limit/48))
}

// runBytes is how many bytes of passages make a run of the index: 300 MB of transcripts make two.
func (r *room) runBytes() int { return int(min(32<<20, r.limit/16)) }

// spanBytes is how much of transcripts is read for the index at once, as the driver keeps the whole
// result of a query in memory.
func (r *room) spanBytes() int { return int(min(128<<20, r.limit/4)) }

// raise makes room for a line where there is not enough.
func (w *writer) raise(ctx context.Context, line int64) error {
	r := w.room
	need := min(uint64(line)*roomPerByte, mostBytes())
	if r.fixed {
		need = min(need, r.limit)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if need <= r.part() {
		return nil
	}
	r.raised = need
	return w.now(ctx, r.setting())
}

// relieve gives DuckDB its part for a phase, and what its allocator keeps back to the system. Where
// more is in use, DuckDB keeps what it had.
func (w *writer) relieve(ctx context.Context, p phase) error {
	w.room.mu.Lock()
	defer w.room.mu.Unlock()
	w.room.phase = p
	if err := w.now(ctx, w.room.setting()); !isOutOfMemory(err) {
		return err
	}
	return nil
}

// makeRoom makes room for the longest line of the source (p) that is newer than a generation, and leaves
// that generation set for line_lengths.sql.
func (w *writer) makeRoom(ctx context.Context, from int64) error {
	if err := w.exec(ctx, fmt.Sprintf("SET VARIABLE from_generation = %d", from)); err != nil {
		return err
	}
	var longest sql.NullInt64
	if err := w.conn.QueryRowContext(ctx, "SELECT max(length_bytes) FROM ("+lineLengthsSQL+")").Scan(&longest); err != nil {
		return engineError(err)
	}
	return w.raise(ctx, longest.Int64)
}

// defaultMemoryBytes is 1 GB, or a quarter of the memory of a small machine.
func defaultMemoryBytes() uint64 {
	const gb = 1_000_000_000
	if total := memoryBytes(); total > 0 && total/4 < gb {
		return max(total/4, 128<<20)
	}
	return gb
}

var memoryLimit = regexp.MustCompile(`(?i)^([1-9][0-9]*)\s*([KMGT])(i?)B$`)

// ValidMemoryLimit reports whether s is a size such as 512MB.
func ValidMemoryLimit(s string) bool { return memoryLimit.MatchString(s) }

// sizeBytes is a valid memory limit in bytes. MB are decimal and MiB are binary, as in DuckDB.
func sizeBytes(s string) uint64 {
	m := memoryLimit.FindStringSubmatch(s)
	if m == nil {
		return defaultMemoryBytes()
	}
	n, err := strconv.ParseUint(m[1], 10, 64)
	if err != nil {
		return math.MaxInt64 // more digits than there is memory
	}
	base := uint64(1000)
	if m[3] != "" {
		base = 1024
	}
	for range 1 + strings.Index("KMGT", strings.ToUpper(m[2])) {
		if n > math.MaxInt64/base {
			return math.MaxInt64
		}
		n *= base
	}
	return n
}
