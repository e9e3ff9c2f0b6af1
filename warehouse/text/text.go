// Package text turns what people and models wrote into the words of the index. It knows no database.
//
// The rules are:
//
//   - A term is a run of letters and digits, in lower case and without accents. A run of the
//     letters a to z is stemmed (English, Porter2), any other is taken as it stands. So "E0277",
//     "2026" and "http2" are found, and "retries" finds "retry".
//   - Everything else separates: a path, a dotted name or snake_case is several runs. A query that
//     names such a thing whole asks for all its runs and then looks at the text, so nothing has to
//     be stored for it.
//   - A run in camelCase is a term as a whole, and its parts are terms too.
//   - Scripts without blanks (Chinese, Japanese, Korean, Thai, Lao, Khmer, Burmese) give each letter
//     and each pair of neighbours. Latin words glued to them are words of their own.
//   - A run longer than MaxRun counts by its beginning: it is data, not a word.
//
// The same rules stand in SQL, for the words of a query (schema/8_search_words.sql); a test holds
// both together over every letter there is. What is deliberately not done: no list of stop words
// (their weight is next to nothing anyway, and "it" may be part of a phrase), no spelling
// correction, and no stemming of other languages, since a text does not say what it is written in.
package text

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Algorithm counts changes of what Terms, Passages and Injected return for a text. It is part of
// the fingerprint of the index.
const Algorithm = "1"

// MaxRun is how many letters and digits of a run count.
const MaxRun = 128

// Fold returns s in lower case and without accents and other marks.
func Fold(s string) string {
	return strings.ToLower(stripMarks(s))
}

// stripMarks takes all combining marks away, as DuckDB's strip_accents does.
func stripMarks(s string) string {
	if isASCII(s) {
		return s
	}
	var b []byte
	var buf [utf8.UTFMax]byte
	for _, r := range norm.NFD.String(s) {
		if !unicode.Is(unicode.M, r) {
			b = append(b, buf[:utf8.EncodeRune(buf[:], r)]...)
		}
	}
	return norm.NFC.String(string(b))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// IsWord reports whether r is a letter or a digit.
func IsWord(r rune) bool {
	if r < utf8.RuneSelf {
		return asciiClass[r] != 0
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r)
}

// unspaced are the scripts that are written without blanks, and the mark that lengthens a vowel in
// Katakana, which belongs to no script.
var unspaced = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
	{R16: []unicode.Range16{{Lo: 0x30fc, Hi: 0x30fc, Stride: 1}}},
}

// IsUnspaced reports whether r is of a script that is written without blanks.
func IsUnspaced(r rune) bool { return r >= 0xe00 && unicode.In(r, unspaced...) }

const (
	lower = 1 + iota
	upper
	digit
)

var asciiClass = func() (class [utf8.RuneSelf]byte) {
	for c := range class {
		switch {
		case 'a' <= c && c <= 'z':
			class[c] = lower
		case 'A' <= c && c <= 'Z':
			class[c] = upper
		case '0' <= c && c <= '9':
			class[c] = digit
		}
	}
	return class
}()

// Tokenizer splits texts into terms. It remembers stems, so one should be kept for many texts; it
// is not for several goroutines at once.
type Tokenizer struct {
	stems map[string]string
	run   []byte
	ends  []int
}

// Terms calls emit with each term of s, in order and with repeats.
func (t *Tokenizer) Terms(s string, emit func(term string)) {
	if !isASCII(s) {
		s = stripMarks(s)
	}
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			if asciiClass[s[i]] == 0 {
				i++
				continue
			}
			// Most runs are ASCII to their end.
			j := i + 1
			for j < len(s) && s[j] < utf8.RuneSelf && asciiClass[s[j]] != 0 {
				j++
			}
			if j == len(s) || s[j] < utf8.RuneSelf {
				t.ascii(s[i:j], emit)
				i = j
				continue
			}
		}
		i = t.other(s, i, emit)
	}
}

// ascii emits the terms of a run of ASCII letters and digits.
func (t *Tokenizer) ascii(run string, emit func(string)) {
	if len(run) > MaxRun {
		run = run[:MaxRun]
	}
	t.run, t.ends = t.run[:0], t.ends[:0]
	for i := range len(run) {
		c := run[i]
		if asciiClass[c] == upper {
			if i > 0 && (asciiClass[run[i-1]] != upper || i+1 < len(run) && asciiClass[run[i+1]] == lower) {
				t.ends = append(t.ends, i)
			}
			c += 'a' - 'A'
		}
		t.run = append(t.run, c)
	}
	emit(t.stem(t.run))
	if len(t.ends) == 0 {
		return
	}
	start := 0
	for _, end := range append(t.ends, len(t.run)) {
		if end-start > 1 {
			emit(t.stem(t.run[start:end]))
		}
		start = end
	}
}

// other emits the terms of the run of any letters and digits that begins at i, and returns where
// it ends.
func (t *Tokenizer) other(s string, i int, emit func(string)) int {
	r, size := utf8.DecodeRuneInString(s[i:])
	if !IsWord(r) {
		return i + size
	}
	cjk := IsUnspaced(r)
	j := i + size
	before, n := i, 1
	cut := 0
	if cjk {
		emit(strings.ToLower(s[i:j]))
	}
	for j < len(s) {
		r, size = utf8.DecodeRuneInString(s[j:])
		if !IsWord(r) || IsUnspaced(r) != cjk {
			break
		}
		j += size
		n++
		if cjk {
			emit(strings.ToLower(s[j-size : j]))
			emit(strings.ToLower(s[before:j]))
			before = j - size
		} else if n == MaxRun {
			cut = j
		}
	}
	if cjk {
		return j
	}
	if cut == 0 {
		cut = j
	}
	// A word glued to a script without blanks is ASCII all the same.
	if isASCII(s[i:cut]) {
		t.ascii(s[i:cut], emit)
	} else {
		emit(strings.ToLower(s[i:cut]))
	}
	return j
}
