package text

import (
	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
)

// MaxStemmed is the length of the longest word that is stemmed.
const MaxStemmed = 40

// maxStems bounds what a Tokenizer remembers: about 10 MB.
const maxStems = 200_000

// stem returns the term of a run in lower case.
func (t *Tokenizer) stem(run []byte) string {
	if s, ok := t.stems[string(run)]; ok {
		return s
	}
	word := string(run)
	s := Stem(word)
	if t.stems == nil || len(t.stems) >= maxStems {
		t.stems = map[string]string{}
	}
	t.stems[word] = s
	return s
}

// Stem returns the stem of an English word of the letters a to z, and any other word as it is.
func Stem(word string) string {
	if len(word) > MaxStemmed {
		return word
	}
	for i := range len(word) {
		if word[i] < 'a' || word[i] > 'z' {
			return word
		}
	}
	env := snowballstem.NewEnv(word)
	english.Stem(env)
	return env.Current()
}
