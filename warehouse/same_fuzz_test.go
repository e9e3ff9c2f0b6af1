package warehouse

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"warehouse/schema"
)

// The promise of property_test.go with the sequence written out: an input is a list of steps, so
// that the fuzzer can take one out, put one in or change one and keep the others, which the seed of
// a random sequence does not let it do.
//
// The rules are:
//
//   - A step is a letter and the byte behind it. The letter says what happens, the byte is the seed
//     of all that the step draws. So an input can be read, and written by hand.
//   - The inputs that are always run are the files in testdata/fuzz/FuzzSameAnswer.
//   - Behind "w" and its byte come as many bytes as that says, which are appended as they stand.
//   - Views that no table is made from are left out: they take half the time of a first refresh, and
//     say nothing that tables do not. Definitions that change are for the random sequences.
//
// To look longer:
//
//	go test ./warehouse -run '^$' -fuzz FuzzSameAnswer -fuzztime 10m -parallel 1 -fuzzminimizetime 10x
var steps = []struct {
	letter byte
	op     string
}{
	{'n', "new session"}, {'a', "append"}, {'o', "append other records"}, {'b', "append broken lines"}, {'w', "append these bytes"},
	{'H', "append a huge line"}, {'h', "append half a line"}, {'c', "complete the line"}, {'t', "append without a newline"},
	{'l', "append a newline"}, {'y', "copy lines within a file"}, {'r', "rewrite"}, {'s', "rewrite in the same size"},
	{'1', "change one byte"}, {'2', "replace by rename, one byte changed and grown"}, {'3', "replace by rename, grown"},
	{'4', "replace by rename, other content"}, {'T', "truncate"}, {'g', "truncate to a line end and grow again"}, {'e', "empty"},
	{'d', "delete"}, {'m', "rename"}, {'M', "rename over another"}, {'C', "resume by copying"}, {'A', "replay in a sub-agent"},
	{'L', "hard link"}, {'.', "touch"}, {'<', "go back in time"}, {'D', "a folder where a transcript was"},
	{'F', "a transcript where a folder was"}, {'x', "not transcripts"}, {'R', "refresh"}, {'V', "verify"},
	{'S', "standby deleted"}, {'X', "standby overwritten"}, {'k', "keep the standby"}, {'K', "old standby back"},
}

// Bounds of an input, so that one takes seconds.
const (
	maxSteps     = 40
	maxRefreshes = 5
	hugeLine     = readSize + readSize/16
)

// byLetter are the operations of a sequence whose input is read on by "w".
func byLetter(s *sequence, input *[]byte) map[byte]op {
	named := map[string]op{
		"refresh": {run: func(*world) bool { s.refresh(); return true }},
		"append these bytes": {run: func(w *world) bool {
			n := min(int((*input)[0]), len(*input)-1)
			w.add(w.some(), string((*input)[1:1+n]))
			*input = (*input)[n:]
			return true
		}},
		"append a huge line": {run: func(w *world) bool {
			path := w.some()
			o, text := w.envelope(path, "user"), w.words()+"\n"
			o["message"] = object{"role": "user", "content": strings.Repeat(text, hugeLine/len(text))}
			w.add(path, encoded(o)+pick(w, "\n", "\r\n", ""))
			return true
		}},
	}
	for _, o := range s.ops {
		named[o.name] = o
	}
	out := map[byte]op{}
	for _, step := range steps {
		o, ok := named[step.op]
		if !ok {
			s.t.Fatalf("nothing is called %q", step.op)
		}
		out[step.letter] = op{name: step.op, run: o.run}
		delete(named, step.op)
	}
	for _, o := range treeOps {
		if _, ok := named[o.name]; ok {
			s.t.Fatalf("%q has no letter", o.name)
		}
	}
	return out
}

// runSteps runs an input, then the last refresh.
func (s *sequence) runSteps(input []byte) {
	ops := byLetter(s, &input)
	refreshes := 0
	for n := 0; n < maxSteps && len(input) > 1 && !s.t.Failed(); n++ {
		letter := input[0]
		if _, ok := ops[letter]; !ok {
			letter = steps[int(letter)%len(steps)].letter
		}
		input = input[1:]
		isRefresh := letter == 'R' || letter == 'V'
		if isRefresh {
			refreshes++
		}
		if !isRefresh || refreshes < maxRefreshes {
			s.rng = rand.New(rand.NewPCG(uint64(input[0]), uint64(letter)))
			s.history = append(s.history, fmt.Sprintf("%c%q %s", letter, input[0], ops[letter].name))
			if !ops[letter].run(s.world) {
				s.history[len(s.history)-1] += ": cannot be"
			}
		}
		input = input[1:]
	}
	s.refresh()
}

func FuzzSameAnswer(f *testing.F) {
	set, err := schema.Embedded()
	if err != nil {
		f.Fatal(err)
	}
	set = tablesOnly(set)
	f.Fuzz(func(t *testing.T, input []byte) {
		s := newSequence(t, 1)
		s.opt.Schema = set
		defer func() {
			if t.Failed() {
				t.Logf("the steps:\n%s", strings.Join(s.history, "\n"))
			}
		}()
		s.runSteps(input)
		checkRestored(t, s.opt.Layout, s.files())
		compareWithFresh(t, s.opt)
	})
}

var word = regexp.MustCompile(`[a-z][a-z0-9_]*`)

// tablesOnly leaves out the objects that no table is made from.
func tablesOnly(set schema.Set) schema.Set {
	need := map[string]bool{}
	var out schema.Set
	for _, o := range slices.Backward(set) {
		if o.Kind != schema.Table && o.Layer > 0 && !need[o.Name] && !slices.ContainsFunc(o.Parts, func(part string) bool { return need[part] }) {
			continue
		}
		out = append(out, o)
		for _, statement := range append(o.Create[:len(o.Create):len(o.Create)], o.Fill) {
			for _, w := range word.FindAllString(statement, -1) {
				need[w] = true
			}
		}
	}
	slices.Reverse(out)
	return out
}
