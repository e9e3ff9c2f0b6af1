package warehouse

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"strings"
)

// indexedFile is a row of the catalogue: a path, what its file was when it was read, and how
// much of it is in raw.
type indexedFile struct {
	path            string
	host            string
	agent           string
	root            string
	device          uint64
	inode           uint64
	mtimeNS         int64
	size            int64
	consumedBytes   int64
	consumedLines   int64
	tailBytes       int64
	prefixHash      string // the hashes are read for files that are opened or written again
	windowHash      string
	hashState       []byte
	sessionID       string
	agentID         string
	status          string
	reason          string
	vanishedAt      sql.NullTime
	firstGeneration int64
	generation      int64
	ignoredLines    int64 // of consumedLines and
	ignoredBytes    int64 // of consumedBytes, what rules keep out (forget.go)
	ignoredTail     bool

	endIgnored bool // hash_state would hold bytes of what is kept out
	isStale    bool // to be read from its start when it is there again
	isJudged   bool // rules of this refresh took lines of it
}

// hashes say whether a file still begins with the bytes that were consumed.
type hashes struct {
	prefixHash string
	windowHash string
	hashState  []byte
}

func (f *indexedFile) set(h hashes) {
	f.prefixHash, f.windowHash, f.hashState = h.prefixHash, h.windowHash, h.hashState
}

// hasLines reports whether rows of raw belong to the file, or did when it was empty.
func (f indexedFile) hasLines() bool { return f.firstGeneration > 0 }

// storedLines is the number of its rows in raw.
func (f indexedFile) storedLines() int64 {
	if f.tailBytes > 0 && !f.ignoredTail {
		return f.consumedLines - f.ignoredLines + 1
	}
	return f.consumedLines - f.ignoredLines
}

// storedBytes is how many of its bytes are in raw.
func (f indexedFile) storedBytes() int64 {
	if f.ignoredTail {
		return f.consumedBytes - f.ignoredBytes
	}
	return f.consumedBytes - f.ignoredBytes + f.tailBytes
}

// hasGaps reports whether lines of the file are kept out.
func (f indexedFile) hasGaps() bool { return f.ignoredLines > 0 || f.ignoredTail }

const catalogueColumns = `source_file, host, agent, root, device, inode, mtime_ns, size_bytes, consumed_bytes, consumed_lines,
	tail_bytes, prefix_hash, window_hash, hash_state, file_session_id, file_agent_id, status, error, vanished_at,
	first_generation, generation, ignored_lines, ignored_bytes, ignored_tail`

// unsettled marks a file that changed while it was read: whatever its time is, it is looked at again.
const unsettled = -1

// readCatalogue returns the catalogue of the main database by path, without what only reading a
// file needs (see readHashes).
func readCatalogue(ctx context.Context, c *sql.Conn) (map[string]indexedFile, error) {
	rows, err := c.QueryContext(ctx, `SELECT source_file, host, agent, root, device, inode, mtime_ns, size_bytes, consumed_bytes,
		consumed_lines, tail_bytes, coalesce(file_session_id, ''), coalesce(file_agent_id, ''), status, coalesce(error, ''),
		vanished_at, first_generation, generation, coalesce(ignored_lines, 0), coalesce(ignored_bytes, 0), coalesce(ignored_tail, false)
		-- Layout 1 has no such columns.
		FROM (FROM main.indexed_files UNION ALL BY NAME SELECT 0 AS ignored_lines, 0 AS ignored_bytes, false AS ignored_tail WHERE false)`)
	if err != nil {
		return nil, fmt.Errorf("catalogue: %w", engineError(err))
	}
	defer rows.Close()
	files := map[string]indexedFile{}
	for rows.Next() {
		var f indexedFile
		if err := rows.Scan(&f.path, &f.host, &f.agent, &f.root, &f.device, &f.inode, &f.mtimeNS, &f.size, &f.consumedBytes,
			&f.consumedLines, &f.tailBytes, &f.sessionID, &f.agentID, &f.status, &f.reason,
			&f.vanishedAt, &f.firstGeneration, &f.generation, &f.ignoredLines, &f.ignoredBytes, &f.ignoredTail); err != nil {
			return nil, fmt.Errorf("catalogue: %w", err)
		}
		files[f.path] = f
	}
	return files, rows.Err()
}

// readHashes returns the hashes of the given paths, or of all where they are many.
func readHashes(ctx context.Context, c *sql.Conn, paths []string) (map[string]hashes, error) {
	query := "SELECT source_file, coalesce(prefix_hash, ''), coalesce(window_hash, ''), hash_state FROM main.indexed_files"
	if len(paths) < 500 {
		quoted := make([]string, len(paths))
		for i, p := range paths {
			quoted[i] = quote(p)
		}
		query += " WHERE source_file IN (" + strings.Join(quoted, ", ") + ")"
	}
	rows, err := c.QueryContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("catalogue: %w", engineError(err))
	}
	defer rows.Close()
	out := map[string]hashes{}
	for rows.Next() {
		var path string
		var h hashes
		if err := rows.Scan(&path, &h.prefixHash, &h.windowHash, &h.hashState); err != nil {
			return nil, fmt.Errorf("catalogue: %w", err)
		}
		out[path] = h
	}
	return out, rows.Err()
}

// writeCatalogue replaces the rows of the given paths and drops those of gone, in one transaction.
func (w *writer) writeCatalogue(ctx context.Context, changed []indexedFile, gone []string) error {
	if len(changed)+len(gone) == 0 {
		return nil
	}
	err := w.appendTable(ctx, "changed", "AS SELECT "+catalogueColumns+" FROM w.main.indexed_files LIMIT 0", func(add func(...driver.Value) error) error {
		for _, f := range changed {
			var vanished any
			if f.vanishedAt.Valid {
				vanished = f.vanishedAt.Time
			}
			if f.endIgnored {
				f.hashState = nil
			}
			if f.isStale {
				f.mtimeNS = unsettled
				f.set(hashes{})
			}
			if err := add(f.path, f.host, f.agent, f.root, f.device, f.inode, f.mtimeNS, f.size, f.consumedBytes,
				f.consumedLines, f.tailBytes, null(f.prefixHash), null(f.windowHash), f.hashState, null(f.sessionID), null(f.agentID),
				f.status, null(f.reason), vanished, f.firstGeneration, f.generation, f.ignoredLines, f.ignoredBytes, f.ignoredTail); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = w.appendTable(ctx, "gone", "(source_file VARCHAR)", func(add func(...driver.Value) error) error {
		for _, path := range gone {
			if err := add(path); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := w.whole(ctx,
		"DELETE FROM w.main.indexed_files WHERE source_file IN (SELECT source_file FROM s.main.changed UNION ALL FROM s.main.gone)",
		"INSERT INTO w.main.indexed_files BY NAME FROM s.main.changed",
	); err != nil {
		return fmt.Errorf("catalogue: %w", err)
	}
	return nil
}

func null(s string) any {
	if s == "" {
		return nil
	}
	return s
}
