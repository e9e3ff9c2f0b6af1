package warehouse

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// StoredFile is a transcript that can be restored.
type StoredFile struct {
	Path      string
	Host      string
	Root      string
	Forgotten int64 // lines of it that were forgotten: it is restored without them
	fileLen   int64 // bytes of the whole, those of forgotten lines too
}

// Files finds the transcripts that a name means: a path (from here where it is relative), the end
// of one at a folder border, or the id of a session, or an unambiguous beginning of one (its
// sub-agents' files included). Empty means all. It returns ErrNotFound where nothing matches or a beginning fits several.
func (r *Reader) Files(ctx context.Context, name string) ([]StoredFile, error) {
	known, err := readCatalogue(ctx, r.conn)
	if err != nil {
		return nil, err
	}
	here, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	var exact, bySuffix []StoredFile
	bySession := map[string][]StoredFile{}
	var all []StoredFile
	for _, f := range known {
		if !f.hasLines() {
			continue
		}
		s := StoredFile{Path: f.path, Host: f.host, Root: f.root, fileLen: f.consumedBytes + f.tailBytes, Forgotten: f.ignoredLines}
		if f.ignoredTail {
			s.Forgotten++
		}
		all = append(all, s)
		switch {
		case f.path == name, f.path == here:
			exact = append(exact, s)
		case name != "" && strings.HasSuffix(f.path, "/"+strings.TrimPrefix(name, "/")):
			bySuffix = append(bySuffix, s)
		case name != "" && f.sessionID != "" && strings.HasPrefix(f.sessionID, name):
			bySession[f.sessionID] = append(bySession[f.sessionID], s)
		}
	}
	switch {
	case name == "":
		return all, nil
	case len(exact) > 0:
		return exact, nil
	case len(bySuffix) == 1:
		return bySuffix, nil
	case len(bySuffix) > 1:
		return nil, fmt.Errorf("%w: %q is the end of %d paths", ErrNotFound, name, len(bySuffix))
	case len(bySession[name]) > 0:
		return bySession[name], nil
	case len(bySession) == 1:
		for _, files := range bySession {
			return files, nil
		}
	case len(bySession) > 1:
		return nil, fmt.Errorf("%w: %q begins %d session ids", ErrNotFound, name, len(bySession))
	}
	hints := []string{}
	if stored, err := r.Forgotten(ctx); err == nil && len(stored) > 0 {
		hints = append(hints, "it may have been forgotten: warehouse forget --list")
	}
	return nil, WithHint(fmt.Errorf("%w: no transcript or session %q", ErrNotFound, name), append(hints,
		`list them: warehouse sql "SELECT source_file, session_id FROM source_files"`)...)
}

// Restore writes the original bytes of a transcript and returns how many. Of one with forgotten lines
// it writes the others.
func (r *Reader) Restore(ctx context.Context, f StoredFile, w io.Writer) (int64, error) {
	rows, err := r.conn.QueryContext(ctx, `SELECT byte_offset, coalesce(bytes, encode(data::VARCHAR)) FROM raw WHERE source_file = ? ORDER BY source_line`, f.Path)
	if err != nil {
		return 0, fmt.Errorf("restore %q: %w", f.Path, engineError(err))
	}
	defer rows.Close()
	out := bufio.NewWriterSize(w, 1<<20)
	var n, at int64 // written; place in the file
	whole := f.Forgotten == 0
	for rows.Next() {
		var begins int64
		var line []byte
		if err := rows.Scan(&begins, &line); err != nil {
			return n, fmt.Errorf("restore %q: %w", f.Path, engineError(err))
		}
		if begins < at || whole && begins > at {
			return n, fmt.Errorf("restore %q: a line begins behind %d bytes, want %d", f.Path, begins, at)
		}
		at = begins + int64(len(line))
		if _, err := out.Write(line); err != nil {
			return n, err
		}
		n += int64(len(line))
		if at < f.fileLen {
			// The last line of a file may have no line end.
			if err := out.WriteByte('\n'); err != nil {
				return n, err
			}
			n++
			at++
		}
	}
	if err := rows.Err(); err != nil {
		return n, fmt.Errorf("restore %q: %w", f.Path, engineError(err))
	}
	if whole && n != f.fileLen {
		return n, fmt.Errorf("restore %q: got %d bytes, want %d", f.Path, n, f.fileLen)
	}
	return n, out.Flush()
}

// RestoreTree writes transcripts below dir, each at its path under its root; those of another
// host in a folder named for it. It does not overwrite files.
func (r *Reader) RestoreTree(ctx context.Context, files []StoredFile, dir string) (written int, bytes int64, err error) {
	for _, f := range files {
		rel, err := filepath.Rel(f.Root, f.Path)
		if err != nil || !filepath.IsLocal(rel) {
			rel = filepath.Base(f.Path)
		}
		path := filepath.Join(dir, rel)
		if f.Host != LocalHost {
			path = filepath.Join(dir, f.Host, rel)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return written, bytes, err
		}
		out, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			return written, bytes, err
		}
		n, err := r.Restore(ctx, f, out)
		if err := errors.Join(err, out.Close()); err != nil {
			return written, bytes, err
		}
		written++
		bytes += n
	}
	return written, bytes, nil
}
