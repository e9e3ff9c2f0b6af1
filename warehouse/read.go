package warehouse

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Reading: what the scan found is compared with the catalogue, and of each file that may have
// changed exactly the bytes that are new are read.
//
// The rules are:
//
//   - Same inode, time and size: not opened.
//   - Grown, and its beginning is still what was consumed: only the new bytes are read. For a
//     grown file two windows of 4 KiB are compared; the whole prefix is, where the file was
//     replaced by another inode, kept its size, changed while it was read last time, or --verify
//     asks for it.
//   - Else its rows are replaced.
//   - A file is read up to the size it had when it was opened. If it changed meanwhile, grown or
//     not, it is taken again next time.

// plan is what a refresh has to do.
type plan struct {
	scanned    int
	unchanged  int
	candidates []candidate   // to be opened
	records    []indexedFile // catalogue rows that change without reading
	gone       []indexedFile // rows and catalogue entry go
	forgotten  []indexedFile // the same, because of a rule
	vanished   int           // files that were there and are not
	warnings   []string
}

func (p plan) empty() bool { return len(p.candidates)+len(p.records)+len(p.gone)+len(p.forgotten) == 0 }

// addHashes fills in the hashes of the catalogue rows that are read further or written again.
func (p *plan) addHashes(ctx context.Context, c *sql.Conn) error {
	var paths []string
	for _, c := range p.candidates {
		if c.known.hasLines() {
			paths = append(paths, c.known.path)
		}
	}
	for _, f := range p.records {
		if f.hasLines() {
			paths = append(paths, f.path)
		}
	}
	if len(paths) == 0 {
		return nil
	}
	all, err := readHashes(ctx, c, paths)
	if err != nil {
		return err
	}
	for i := range p.candidates {
		p.candidates[i].known.set(all[p.candidates[i].found.path])
	}
	for i := range p.records {
		p.records[i].set(all[p.records[i].path])
	}
	return nil
}

// candidate is a file that may have changed.
type candidate struct {
	found  found
	known  indexedFile // zero where the path is new
	verify bool        // compare the whole prefix
	anew   bool        // read from its start
}

type planOptions struct {
	keep   bool // retention
	verify bool
	rules  rules
	lifted bool // rules that were lifted may have kept lines out
}

// compare plans a refresh. Problems of earlier runs are catalogue rows too, so that a scan that
// finds the same problems changes nothing.
func compare(t tree, roots []Root, known map[string]indexedFile, opt planOptions) plan {
	var p plan
	live := map[string]bool{}
	inodes := map[[2]uint64]string{}
	for _, f := range t.files {
		live[f.path] = true
		k, has := known[f.path]
		if f.status != statusOK {
			if has && k.status == f.status && k.reason == f.reason {
				continue
			}
			row := problem(f)
			if has && k.hasLines() && f.status == statusIgnored {
				p.forgotten = append(p.forgotten, k)
			} else if has && k.hasLines() {
				// A pipe or a folder where a transcript was: as if it had vanished.
				p.vanished++
				if opt.keep {
					row, row.status, row.reason = k, f.status, f.reason
				} else {
					p.gone = append(p.gone, k)
				}
			}
			p.records = append(p.records, row)
			continue
		}
		p.scanned++
		inodes[[2]uint64{f.device, f.inode}] = f.path
		anew := opt.lifted && k.hasGaps()
		same := has && !anew && k.device == f.device && k.inode == f.inode && k.mtimeNS == f.mtimeNS && k.size == f.size
		switch {
		case same && k.status == statusOK && !opt.verify && !k.vanishedAt.Valid:
			p.unchanged++
		case same && k.status == statusFailed && stillFails(f.path, k.reason):
		default:
			p.candidates = append(p.candidates, candidate{found: f, known: k, verify: opt.verify || k.mtimeNS == unsettled, anew: anew})
		}
	}

	scanned := map[string]bool{}
	for _, r := range roots {
		scanned[r.Path] = !t.missing[r.Path] && !t.incomplete[r.Host]
	}
	spared := map[string]int{}
	for path, k := range known {
		switch {
		case opt.rules.host(k.host), !live[path] && opt.rules.path(path, k.sessionID):
			p.forgotten = append(p.forgotten, k)
		case live[path]:
		case !k.hasLines():
			if scanned[k.root] {
				p.gone = append(p.gone, k)
			}
		case !scanned[k.root]:
			if !k.vanishedAt.Valid {
				spared[k.root]++
			}
		case opt.keep:
			if at, ok := inodes[[2]uint64{k.device, k.inode}]; ok && known[at].path == "" {
				// Renamed: the same file is read under its new path.
				p.gone = append(p.gone, k)
			} else if !k.vanishedAt.Valid {
				p.vanished++
				k.vanishedAt.Valid = true
				p.records = append(p.records, k)
			}
		default:
			p.vanished++
			p.gone = append(p.gone, k)
		}
	}
	p.recordRules(known, opt.lifted)
	for _, r := range roots {
		if n := spared[r.Path]; n > 0 && t.missing[r.Path] {
			p.warnings = append(p.warnings, fmt.Sprintf("%s is missing or empty: the %s read from it stay", r.Path, plural(n, "file")))
		} else if n > 0 {
			p.warnings = append(p.warnings, fmt.Sprintf("%s could not be listed in full: %s not found there stay", r.Path, plural(n, "file")))
		}
	}
	return p
}

// recordRules adds the files that lose lines to rules, or may get some back, and are not in the plan
// for another reason.
func (p *plan) recordRules(known map[string]indexedFile, lifted bool) {
	planned := map[string]bool{}
	for _, c := range p.candidates {
		planned[c.found.path] = true
	}
	for _, rows := range [][]indexedFile{p.records, p.gone, p.forgotten} {
		for _, f := range rows {
			planned[f.path] = true
		}
	}
	for path, k := range known {
		if k.isStale = lifted && k.hasGaps(); (k.isJudged || k.isStale) && !planned[path] {
			p.records = append(p.records, k)
		}
	}
}

// stillFails tries a file whose last reading failed, up to its first byte. A change of permissions
// leaves inode, time and size as they were.
func stillFails(path, why string) bool {
	f, err := os.Open(path)
	if err == nil {
		_, err = f.Read(make([]byte, 1))
		f.Close()
	}
	return err != nil && err != io.EOF && reason(err) == why
}

func problem(f found) indexedFile {
	return indexedFile{path: f.path, host: f.root.Host, agent: f.root.Agent, root: f.root.Path, status: f.status, reason: f.reason}
}

// outcome is what reading a candidate came to.
type outcome struct {
	row     indexedFile
	change  change
	bytes   int64 // read and framed
	checked int64 // read to compare with what was consumed
	opened  bool
}

type change int

const (
	touched  change = iota // other times, same bytes
	added                  // a new file
	appended               // grown
	replaced               // read again from its start
	failed
)

// readFile reads what is new in a candidate and hands each line to emit.
func readFile(ctx context.Context, c candidate, generation int64, buf *[]byte, emit func(line) error) (outcome, error) {
	f := c.found
	o := outcome{row: c.known, change: added}
	fail := func(err error) (outcome, error) {
		o.change, o.row = failed, c.known // its rows stay, and what is said of them
		o.row.path, o.row.host, o.row.agent, o.row.root = f.path, f.root.Host, f.root.Agent, f.root.Path
		o.row.device, o.row.inode, o.row.mtimeNS, o.row.size = f.device, f.inode, f.mtimeNS, f.size
		o.row.status, o.row.reason, o.row.generation = statusFailed, reason(err), generation
		o.row.isStale = c.anew
		return o, nil
	}
	file, err := os.Open(f.path)
	if errors.Is(err, fs.ErrNotExist) {
		// Gone since the scan: the next refresh finds it missing.
		o.row = indexedFile{}
		return o, nil
	}
	if err != nil {
		return fail(err)
	}
	defer file.Close()
	o.opened = true
	before, err := file.Stat()
	if err != nil {
		return fail(err)
	}
	if !before.Mode().IsRegular() {
		return fail(errors.New(kindOf(before.Mode())))
	}

	cur := newCursor()
	if known := c.known; known.hasLines() {
		o.change = replaced
	}
	if known := c.known; known.hasLines() && !c.anew {
		same, checked, err := c.samePrefix(file, before)
		o.checked = checked
		if err != nil {
			return fail(err)
		}
		if same {
			if resumed, ok, err := resume(file, known); err != nil {
				return fail(err)
			} else if ok {
				cur, o.change = resumed, appended
			}
		}
	}
	if o.change != appended {
		o.row.firstGeneration = generation
		o.row.ignoredLines, o.row.ignoredBytes, o.row.ignoredTail, o.row.endIgnored = 0, 0, false, false
	}
	from := cur.bytes
	fr := newFramer(io.NewSectionReader(file, from, before.Size()-from), cur, *buf)
	lines := cur.lines
	for {
		l, err := fr.next()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			if ctx.Err() != nil {
				return o, ctx.Err()
			}
			o.bytes = fr.read
			return fail(err)
		}
		if err := emit(l); err != nil {
			return o, err
		}
	}
	*buf = fr.buf
	o.bytes = fr.read
	if o.change == appended && cur.lines == lines && cur.tail == c.known.tailBytes && before.Size() == c.known.size {
		o.change = touched
	}

	o.row.path, o.row.host, o.row.agent, o.row.root = f.path, f.root.Host, f.root.Agent, f.root.Path
	o.row.sessionID, o.row.agentID = f.sessionID, f.agentID
	id, _ := identity(before)
	o.row.device, o.row.inode = id[0], id[1]
	o.row.mtimeNS, o.row.size = before.ModTime().UnixNano(), before.Size()
	o.row.consumedBytes, o.row.consumedLines, o.row.tailBytes = cur.bytes, cur.lines, cur.tail
	o.row.prefixHash, o.row.windowHash, o.row.hashState = cur.prefixHash(), cur.windowHash(), cur.state()
	o.row.status, o.row.reason, o.row.generation = statusOK, "", generation
	o.row.vanishedAt.Valid = false
	after, err := file.Stat()
	if err != nil || after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime()) || fr.read != before.Size()-from {
		// Longer may be rewritten: what was read is then half of each state, with the right beginning and end.
		o.row.mtimeNS = unsettled
	}
	return o, nil
}

// unchangedBytes reports whether a file with the inode, time and size of the catalogue holds the
// bytes that were consumed.
func (c candidate) unchangedBytes(sum *Summary) bool {
	k, f := c.known, c.found
	if k.status != statusOK || c.anew || k.vanishedAt.Valid || k.tailBytes > 0 || k.consumedBytes != k.size ||
		k.device != f.device || k.inode != f.inode || k.mtimeNS != f.mtimeNS || k.size != f.size {
		return false
	}
	file, err := os.Open(f.path)
	if err != nil {
		return false
	}
	defer file.Close()
	same, err := samePrefix(file, k)
	if err != nil || !same {
		return false
	}
	sum.FilesOpened++
	sum.BytesChecked += k.consumedBytes
	return true
}

// samePrefix judges whether a known file still begins with the bytes that were consumed; where
// true, the window has still to agree. It returns the bytes it read.
func (c candidate) samePrefix(file *os.File, now os.FileInfo) (same bool, read int64, err error) {
	known := c.known
	if now.Size() < known.consumedBytes {
		return false, 0, nil
	}
	id, _ := identity(now)
	grown := now.Size() > known.size && id == [2]uint64{known.device, known.inode}
	if grown && !c.verify {
		return true, 2 * min(known.consumedBytes, windowSize), nil
	}
	same, err = samePrefix(file, known)
	return same, known.consumedBytes, err
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
