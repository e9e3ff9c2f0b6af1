package warehouse

import (
	"bytes"
	"encoding"
	"encoding/hex"
	"fmt"
	"io"
	"strconv"

	"github.com/cespare/xxhash/v2"
)

// Framing cuts a transcript into physical lines and remembers enough of the bytes to know later
// whether the file still begins with them.
//
// The rules are:
//
//   - A line ends at "\n" and nowhere else; "\r" stays in it. Its bytes are never changed here.
//   - There is no limit to a line. Memory is the longest line, and is given back after it.
//   - The cursor moves only to the last "\n". What stands behind it, whole record or half a one,
//     is the tail: emitted once, marked as such, and read again when the file changes. (A reader
//     that took a complete record before its newline counted the newline as a blank line; one
//     that moved past half a record never saw the other half.)
//
// DuckDB's own reader is not used: it loses the bytes of broken lines, blank lines and offsets.

// line is one physical line without its "\n". bytes is valid until the next call.
type line struct {
	number int64 // from 1
	offset int64 // bytes before it in the file
	bytes  []byte
	isTail bool // no "\n" behind it
}

const (
	readSize   = 1 << 20
	keepBuffer = 8 << 20 // a longer buffer is dropped after the line that needed it
	windowSize = 4 << 10
)

// framer reads lines from r, whose first byte is at cursor.bytes of the file.
type framer struct {
	r      io.Reader
	buf    []byte
	start  int // first byte not yet framed
	end    int // behind the last byte read
	atEnd  bool
	cursor *cursor
	read   int64
}

func newFramer(r io.Reader, c *cursor, buf []byte) *framer {
	if buf == nil {
		buf = make([]byte, readSize)
	}
	return &framer{r: r, buf: buf, cursor: c}
}

// next returns io.EOF behind the last line.
func (f *framer) next() (line, error) {
	searched := f.start
	for {
		if i := bytes.IndexByte(f.buf[searched:f.end], '\n'); i >= 0 {
			end := searched + i
			l := line{number: f.cursor.lines + 1, offset: f.cursor.bytes, bytes: f.buf[f.start:end]}
			f.cursor.consume(f.buf[f.start : end+1])
			f.start = end + 1
			return l, nil
		}
		searched = f.end
		if f.atEnd {
			if f.start == f.end {
				return line{}, io.EOF
			}
			l := line{number: f.cursor.lines + 1, offset: f.cursor.bytes, bytes: f.buf[f.start:f.end], isTail: true}
			f.cursor.tail = int64(len(l.bytes))
			f.start = f.end
			return l, nil
		}
		searched -= f.makeRoom()
		n, err := f.r.Read(f.buf[f.end:])
		f.end += n
		f.read += int64(n)
		if err == io.EOF {
			f.atEnd = true
		} else if err != nil {
			return line{}, err
		}
	}
}

// makeRoom moves what is not framed to the front, grows a full buffer, shrinks a large one,
// and returns by how much the bytes moved.
func (f *framer) makeRoom() int {
	moved, pending := f.start, f.end-f.start
	switch {
	case pending == len(f.buf):
		grown := make([]byte, 2*len(f.buf))
		copy(grown, f.buf[f.start:f.end])
		f.buf = grown
	case len(f.buf) > keepBuffer && pending < readSize/2:
		small := make([]byte, readSize)
		copy(small, f.buf[f.start:f.end])
		f.buf = small
	case moved > 0:
		copy(f.buf, f.buf[f.start:f.end])
	}
	f.start, f.end = 0, pending
	return moved
}

// cursor says how much of a file is consumed and what those bytes were. The hash of the whole
// prefix can be continued by an append; the window (the first and the last 4 KiB of the prefix)
// can be checked against a grown file with two small reads.
type cursor struct {
	bytes int64
	lines int64
	tail  int64 // bytes behind the last "\n"
	hash  *xxhash.Digest
	head  []byte
	last  []byte
}

func newCursor() *cursor { return &cursor{hash: xxhash.New()} }

func (c *cursor) consume(b []byte) {
	c.bytes += int64(len(b))
	c.lines++
	c.hash.Write(b)
	if room := windowSize - len(c.head); room > 0 {
		c.head = append(c.head, b[:min(room, len(b))]...)
	}
	if len(b) >= windowSize {
		c.last = append(c.last[:0], b[len(b)-windowSize:]...)
	} else {
		if over := len(c.last) + len(b) - windowSize; over > 0 {
			c.last = c.last[:copy(c.last, c.last[over:])]
		}
		c.last = append(c.last, b...)
	}
}

func (c *cursor) prefixHash() string { return formatHash(c.hash.Sum64()) }

func (c *cursor) windowHash() string { return windowHash(c.head, c.last) }

func windowHash(head, last []byte) string {
	h := xxhash.New()
	h.Write(head)
	h.Write(last)
	return formatHash(h.Sum64())
}

func formatHash(sum uint64) string { return fmt.Sprintf("%016x", sum) }

func (c *cursor) state() []byte {
	b, err := encoding.BinaryMarshaler(c.hash).MarshalBinary()
	if err != nil {
		panic(err) // cannot happen: the digest always marshals
	}
	return b
}

// resume returns the cursor a catalogue row describes, or ok = false where r no longer begins
// with the bytes that were consumed, judged by the window alone.
func resume(r io.ReaderAt, known indexedFile) (c *cursor, ok bool, err error) {
	c = newCursor()
	if known.consumedBytes == 0 {
		return c, true, nil
	}
	if err := c.hash.UnmarshalBinary(known.hashState); err != nil {
		return nil, false, nil // another version's state: read the file again
	}
	n := min(known.consumedBytes, windowSize)
	c.head, c.last = make([]byte, n), make([]byte, n)
	if _, err := r.ReadAt(c.head, 0); err != nil {
		return nil, false, notEOF(err)
	}
	if _, err := r.ReadAt(c.last, known.consumedBytes-n); err != nil {
		return nil, false, notEOF(err)
	}
	c.bytes, c.lines = known.consumedBytes, known.consumedLines
	return c, c.windowHash() == known.windowHash, nil
}

// samePrefix reads the consumed bytes of r whole and compares their hash.
func samePrefix(r io.ReaderAt, known indexedFile) (bool, error) {
	h := xxhash.New()
	n, err := io.Copy(h, io.NewSectionReader(r, 0, known.consumedBytes))
	if err != nil {
		return false, err
	}
	return n == known.consumedBytes && formatHash(h.Sum64()) == known.prefixHash, nil
}

func notEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

// describe shows a byte of a broken line in an error message.
func describe(b byte) string {
	if b < 0x20 || b >= 0x7f {
		return "0x" + hex.EncodeToString([]byte{b})
	}
	return strconv.QuoteRune(rune(b))
}
