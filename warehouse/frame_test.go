package warehouse

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/cespare/xxhash/v2"
)

// The rules are:
//
//   - Framing is judged by the bytes alone: lines joined with "\n", and the tail behind them, are
//     the input, whatever pieces the reader hands out.
//   - A file read in two goes gives what one go gives, wherever the first one stopped.

// framed is a line that outlives the call that returned it.
type framed struct {
	number, offset int64
	text           string
	isTail         bool
}

func frameAll(r io.Reader, c *cursor, buf []byte) ([]framed, *framer, error) {
	f := newFramer(r, c, buf)
	var out []framed
	for {
		l, err := f.next()
		if err == io.EOF {
			return out, f, nil
		}
		if err != nil {
			return out, f, err
		}
		out = append(out, framed{l.number, l.offset, string(l.bytes), l.isTail})
	}
}

// checkFraming compares what framing data from its start gave with the data itself.
func checkFraming(t *testing.T, data []byte, lines []framed, c *cursor) {
	t.Helper()
	var joined strings.Builder
	for i, l := range lines {
		if l.number != int64(i)+1 || l.offset != int64(joined.Len()) {
			t.Fatalf("line %d: got number %d, offset %d, want offset %d", i+1, l.number, l.offset, joined.Len())
		}
		if strings.Contains(l.text, "\n") {
			t.Fatalf("line %d holds a line end: %q", i+1, l.text)
		}
		joined.WriteString(l.text)
		if l.isTail != (i == len(lines)-1 && !bytes.HasSuffix(data, []byte("\n"))) {
			t.Fatalf("line %d of %d: got isTail %v", i+1, len(lines), l.isTail)
		}
		if !l.isTail {
			joined.WriteByte('\n')
		}
	}
	if joined.String() != string(data) {
		t.Fatalf("joined lines differ from the input: got %d bytes, want %d", joined.Len(), len(data))
	}
	consumed := bytes.LastIndexByte(data, '\n') + 1
	if c.bytes != int64(consumed) || c.tail != int64(len(data)-consumed) || c.lines != int64(bytes.Count(data, []byte("\n"))) {
		t.Fatalf("cursor: got %d bytes, %d lines, %d tail; want %d, %d, %d",
			c.bytes, c.lines, c.tail, consumed, bytes.Count(data, []byte("\n")), len(data)-consumed)
	}
	prefix := data[:consumed]
	if got, want := c.prefixHash(), formatHash(xxhash.Sum64(prefix)); got != want {
		t.Fatalf("prefix hash: got %s, want %s", got, want)
	}
	n := min(len(prefix), windowSize)
	if got, want := c.windowHash(), windowHash(prefix[:n], prefix[len(prefix)-n:]); got != want {
		t.Fatalf("window hash: got %s, want %s", got, want)
	}
}

// catalogued is the row that reading data leaves.
func catalogued(t *testing.T, data []byte) indexedFile {
	t.Helper()
	c := newCursor()
	if _, _, err := frameAll(bytes.NewReader(data), c, nil); err != nil {
		t.Fatal(err)
	}
	return indexedFile{
		size: int64(len(data)), consumedBytes: c.bytes, consumedLines: c.lines, tailBytes: c.tail,
		prefixHash: c.prefixHash(), windowHash: c.windowHash(), hashState: c.state(), firstGeneration: 1,
	}
}

// checkResume reads data up to at, then the whole of it from where that left off.
func checkResume(t *testing.T, data []byte, at int, whole []framed, end *cursor) {
	t.Helper()
	known := catalogued(t, data[:at])
	if same, err := samePrefix(bytes.NewReader(data), known); err != nil || !same {
		t.Fatalf("at %d: the prefix is not the same: %v %v", at, same, err)
	}
	c, ok, err := resume(bytes.NewReader(data), known)
	if err != nil || !ok {
		t.Fatalf("resume at %d: %v %v", at, ok, err)
	}
	rest, f, err := frameAll(bytes.NewReader(data[known.consumedBytes:]), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := whole[known.consumedLines:]; len(rest)+len(want) > 0 && !reflect.DeepEqual(rest, want) {
		t.Fatalf("resumed at %d: got %d lines, want %d, or they differ", at, len(rest), len(want))
	}
	if f.read != int64(len(data))-known.consumedBytes {
		t.Fatalf("resumed at %d: read %d bytes, want %d", at, f.read, int64(len(data))-known.consumedBytes)
	}
	if c.bytes != end.bytes || c.lines != end.lines || c.tail != end.tail || c.prefixHash() != end.prefixHash() || c.windowHash() != end.windowHash() {
		t.Fatalf("resumed at %d: the cursor differs from that of one reading", at)
	}
}

var chunkings = []struct {
	name string
	of   func(io.Reader) io.Reader
}{
	{"whole", func(r io.Reader) io.Reader { return r }},
	{"one byte", iotest.OneByteReader},
	{"half", iotest.HalfReader},
	{"data with EOF", iotest.DataErrReader},
}

func TestFramer(t *testing.T) {
	long := strings.Repeat("x", windowSize)
	for _, tt := range []struct {
		name  string
		input string
		want  []string // the tail, if there is one, last
	}{
		{"empty", "", nil},
		{"no line end", "a", []string{"a"}},
		{"one line", "a\n", []string{"a"}},
		{"tail", "a\nb", []string{"a", "b"}},
		{"blank lines", "\n\n\n", []string{"", "", ""}},
		{"carriage returns stay", "a\r\n\r\nb\rc\n\r", []string{"a\r", "\r", "b\rc", "\r"}},
		{"only LF ends a line", "a\u2028b\u0085c\vd\fe\x00f\n", []string{"a\u2028b\u0085c\vd\fe\x00f"}},
		{"window", long + "\n" + long + "\n" + "b\n", []string{long, long, "b"}},
		{"window less one", long[1:] + "\n", []string{long[1:]}},
		{"many short lines", strings.Repeat("ab\n", 4000), strings.Split(strings.Repeat("ab\n", 3999)+"ab", "\n")},
	} {
		for _, chunks := range chunkings {
			for _, size := range []int{1, 7, 0} {
				t.Run(fmt.Sprintf("%s/%s/%d", tt.name, chunks.name, size), func(t *testing.T) {
					var buf []byte
					if size > 0 {
						buf = make([]byte, size)
					}
					c := newCursor()
					lines, _, err := frameAll(chunks.of(strings.NewReader(tt.input)), c, buf)
					if err != nil {
						t.Fatal(err)
					}
					var got []string
					for _, l := range lines {
						got = append(got, l.text)
					}
					if !reflect.DeepEqual(got, tt.want) {
						t.Fatalf("got %.200q, want %.200q", got, tt.want)
					}
					checkFraming(t, []byte(tt.input), lines, c)
				})
			}
		}
	}
}

// Lines around the size of the buffer and of one read, where an off-by-one would sit.
func TestFramerAtBufferBorders(t *testing.T) {
	for _, n := range []int{readSize - 2, readSize - 1, readSize, readSize + 1, 2*readSize - 1, 2 * readSize, keepBuffer + 1} {
		data := []byte(strings.Repeat("a", n) + "\n" + strings.Repeat("b", n) + "\nc\n" + strings.Repeat("d", 100))
		for _, chunks := range chunkings {
			if chunks.name == "one byte" && n > readSize {
				continue
			}
			c := newCursor()
			lines, _, err := frameAll(chunks.of(bytes.NewReader(data)), c, nil)
			if err != nil {
				t.Fatal(err)
			}
			checkFraming(t, data, lines, c)
		}
	}
}

// A long line may take memory while it is read, not longer.
func TestFramerGivesMemoryBack(t *testing.T) {
	data := strings.Repeat("x", 3*keepBuffer) + "\n" + strings.Repeat(strings.Repeat("y", 1000)+"\n", 20_000)
	c := newCursor()
	lines, f, err := frameAll(strings.NewReader(data), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	checkFraming(t, []byte(data), lines, c)
	if len(f.buf) > readSize {
		t.Errorf("after a line of %d bytes the buffer is still %d", 3*keepBuffer, len(f.buf))
	}
}

func TestFramerPassesErrorsOn(t *testing.T) {
	broken := errors.New("broken disk")
	r := io.MultiReader(strings.NewReader("a\nb\nhalf"), iotest.ErrReader(broken))
	lines, _, err := frameAll(r, newCursor(), nil)
	if !errors.Is(err, broken) {
		t.Fatalf("got error %v, want %v", err, broken)
	}
	if len(lines) != 2 || lines[1].text != "b" {
		t.Errorf("got lines %v before the error, want a and b", lines)
	}
}

func TestResumeRefuses(t *testing.T) {
	big := bytes.Repeat([]byte("0123456789abcde\n"), 1000)
	known := catalogued(t, big)
	flip := func(at int) []byte {
		b := bytes.Clone(big)
		b[at] ^= 1
		return append(b, "more\n"...)
	}
	for _, tt := range []struct {
		name         string
		data         []byte
		state        []byte
		window, hash bool // accepted by the window, by the whole hash
	}{
		{"the same", big, known.hashState, true, true},
		{"grown", append(bytes.Clone(big), "x\n"...), known.hashState, true, true},
		{"first byte", flip(0), known.hashState, false, false},
		{"last byte of the head", flip(windowSize - 1), known.hashState, false, false},
		{"first byte of the end window", flip(len(big) - windowSize), known.hashState, false, false},
		{"last byte", flip(len(big) - 1), known.hashState, false, false},
		{"in between", flip(len(big) / 2), known.hashState, true, false},
		{"shorter", big[:len(big)-1], known.hashState, false, false},
		{"empty", nil, known.hashState, false, false},
		{"state of another version", big, []byte("other"), false, true},
		{"no state", big, nil, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := known
			k.hashState = tt.state
			_, ok, err := resume(bytes.NewReader(tt.data), k)
			if ok != tt.window || err != nil {
				t.Errorf("resume: got %v, %v; want %v", ok, err, tt.window)
			}
			same, err := samePrefix(bytes.NewReader(tt.data), k)
			if same != tt.hash || err != nil {
				t.Errorf("samePrefix: got %v, %v; want %v", same, err, tt.hash)
			}
		})
	}
}

// Every place of a random file at which a first reading can have stopped.
func TestResumeAnywhere(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		var data []byte
		for range rng.IntN(12) {
			data = append(data, bytes.Repeat([]byte{byte('a' + rng.IntN(26))}, rng.IntN(3000)>>rng.IntN(12))...)
			data = append(data, '\n')
		}
		if rng.IntN(2) == 0 {
			data = append(data, "tail"...)
		}
		c := newCursor()
		lines, _, err := frameAll(bytes.NewReader(data), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		for at := 0; at <= len(data); at += 1 + rng.IntN(200) {
			checkResume(t, data, at, lines, c)
		}
	}
}
