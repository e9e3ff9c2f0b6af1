package warehouse

import (
	"bytes"
	"io"
	"reflect"
	"testing"
)

// pieces hands out data in pieces as long as sizes say, over and over; a size of 0 is a read that
// gives nothing. The end comes with the last bytes where the first size is odd.
type pieces struct {
	data  []byte
	sizes []byte
	n     int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.data) == 0 {
		return 0, io.EOF
	}
	size := len(p.data)
	if len(p.sizes) > 0 {
		size = int(p.sizes[p.n%len(p.sizes)])
		if p.n++; size == 0 && p.n%len(p.sizes) == 0 {
			size = 1
		}
	}
	n := copy(b, p.data[:min(size, len(p.data))])
	p.data = p.data[n:]
	if len(p.data) == 0 && len(p.sizes) > 0 && p.sizes[0]%2 == 1 {
		return n, io.EOF
	}
	return n, nil
}

// FuzzFramer reads a file in pieces, then as it grows: each time from where the time before left
// off, by the row that left in the catalogue. Inputs that are always run are in testdata/fuzz.
func FuzzFramer(f *testing.F) {
	f.Fuzz(func(t *testing.T, data, sizes []byte, buffer, changed uint16) {
		end := newCursor()
		whole, fr, err := frameAll(&pieces{data: data, sizes: sizes}, end, make([]byte, 1+int(buffer)))
		if err != nil {
			t.Fatal(err)
		}
		if fr.read != int64(len(data)) {
			t.Fatalf("read %d bytes of %d", fr.read, len(data))
		}
		checkFraming(t, data, whole, end)
		known := catalogued(t, nil)
		at := 0
		for i := 0; at < len(data); i++ {
			if len(sizes) == 0 || i > 50 {
				at = len(data)
			} else {
				at = min(at+1+int(sizes[i%len(sizes)]), len(data))
			}
			known = grow(t, data[:at], known, whole)
		}
		if n := known.consumedBytes; n > 0 {
			checkChanged(t, data, int64(changed)%n, known)
		}
	})
}

// grow reads what is new in data and returns the row that leaves, which must be that of one reading.
func grow(t *testing.T, data []byte, known indexedFile, whole []framed) indexedFile {
	t.Helper()
	if same, err := samePrefix(bytes.NewReader(data), known); err != nil || !same {
		t.Fatalf("grown to %d: the prefix is not the same: %v, %v", len(data), same, err)
	}
	c, ok, err := resume(bytes.NewReader(data), known)
	if err != nil || !ok {
		t.Fatalf("grown to %d: %v, %v", len(data), ok, err)
	}
	lines, _, err := frameAll(bytes.NewReader(data[known.consumedBytes:]), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range lines {
		want := whole[known.consumedLines+int64(i)]
		if l.isTail {
			// The line is not all there yet.
			want.text, want.isTail = want.text[:min(len(l.text), len(want.text))], true
		}
		if !reflect.DeepEqual(l, want) {
			t.Fatalf("grown to %d: got %+v, want %+v", len(data), l, want)
		}
	}
	now := indexedFile{
		size: int64(len(data)), consumedBytes: c.bytes, consumedLines: c.lines, tailBytes: c.tail,
		prefixHash: c.prefixHash(), windowHash: c.windowHash(), hashState: c.state(), firstGeneration: 1,
	}
	want := catalogued(t, data)
	// The state holds bytes that are no longer part of it.
	now.hashState, want.hashState = nil, nil
	if !reflect.DeepEqual(now, want) {
		t.Fatalf("grown to %d: got %+v, want %+v", len(data), now, want)
	}
	now.hashState = c.state()
	return now
}

// checkChanged asserts that another byte in the consumed prefix is seen: by the hash of the whole
// anywhere, by the window at its two ends.
func checkChanged(t *testing.T, data []byte, at int64, known indexedFile) {
	t.Helper()
	other := bytes.Clone(data)
	other[at] ^= 0x20
	if same, err := samePrefix(bytes.NewReader(other), known); err != nil || same {
		t.Fatalf("byte %d is another, and the prefix the same: %v", at, err)
	}
	_, ok, err := resume(bytes.NewReader(other), known)
	if between := at >= windowSize && at < known.consumedBytes-windowSize; err != nil || ok != between {
		t.Fatalf("byte %d of %d is another: the window says %v, %v", at, known.consumedBytes, ok, err)
	}
}
