package warehouse

import (
	"context"
	"database/sql"
	_ "embed"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// Memory: DuckDB gets a fixed amount of it, whatever there is to load, unless one line alone needs
// more. What is in work at once is a part of that amount.
//
// A value is processed whole. What is made of a line is a text, the same as JSON, its items, and in
// each step a buffer of the next power of two: measured for lines of 33 to 300 MB, a limit of 19
// times the line can be too small and 32 times is enough; 10 to 19 times were resident. So a line too
// long for the default limit raises it. A limit that a person asked for stays, and a refresh that
// meets it says so.

//go:embed sql/line_lengths.sql
var lineLengthsSQL string

// roomPerByte of a line is how much memory DuckDB may need for it.
const roomPerByte = 32

type room struct {
	fixed bool   // a person asked for this much
	limit uint64 // bytes, before it was raised
	bytes uint64 // raised to so many; 0 is the limit
}

// newRoom returns the room of a memory limit that a person asked for, or of the default where it is empty.
func newRoom(asked string) *room {
	if asked == "" {
		return &room{limit: defaultMemoryBytes()}
	}
	return &room{fixed: true, limit: sizeBytes(asked)}
}

// batchBytes is how much text one staging table holds, unless a single line is larger. Four tables
// are there at a time, two of them projected. Half of 24 MB takes a tenth more time, twice as much
// takes a third more memory.
func (r *room) batchBytes() int { return int(min(24<<20, r.limit/40)) }

// spanBytes is how much of transcripts is read for the index at once, as the driver keeps the whole
// result of a query in memory.
func (r *room) spanBytes() int { return int(min(128<<20, r.limit/4)) }

// raise returns the statement that makes room for a line, or nothing where there is enough. All but
// a quarter of the machine is the most.
func (r *room) raise(line int64) string {
	need := uint64(line) * roomPerByte
	if total := memoryBytes(); total > 0 {
		need = min(need, total/4*3)
	}
	if r.fixed || need <= max(r.bytes, r.limit) {
		return ""
	}
	r.bytes = need
	return fmt.Sprintf("SET memory_limit = '%dMB'", need>>20)
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
	if raise := w.room.raise(longest.Int64); raise != "" {
		return w.exec(ctx, raise)
	}
	return nil
}

// defaultMemoryBytes is 1 GB, or a quarter of the memory of a small machine.
func defaultMemoryBytes() uint64 {
	const gb = 1 << 30
	if total := memoryBytes(); total > 0 && total/4 < gb {
		return max(total/4, 128<<20)
	}
	return gb
}

func defaultMemoryLimit() string {
	if n := defaultMemoryBytes(); n < 1<<30 {
		return fmt.Sprintf("%dMB", n>>20)
	}
	return "1GB"
}

var memoryLimit = regexp.MustCompile(`(?i)^([1-9][0-9]*)\s*([KMGT])i?B$`)

// ValidMemoryLimit reports whether s is a size that DuckDB takes, such as 512MB.
func ValidMemoryLimit(s string) bool { return memoryLimit.MatchString(s) }

// sizeBytes is a valid memory limit in bytes, roughly: units are taken for binary ones.
func sizeBytes(s string) uint64 {
	m := memoryLimit.FindStringSubmatch(s)
	if m == nil {
		return defaultMemoryBytes()
	}
	n, err := strconv.ParseUint(m[1], 10, 64)
	if err != nil {
		return math.MaxInt64 // more digits than there is memory
	}
	shift := 10 * (1 + strings.Index("KMGT", strings.ToUpper(m[2])))
	if n > math.MaxInt64>>shift {
		return math.MaxInt64
	}
	return n << shift
}
