package warehouse

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"warehouse/schema"
	"warehouse/warehouse/source/claude"
)

// The central promise: refreshing step by step gives what building from nothing gives.
//
// A run is a random sequence of changes to a tree, to the definitions and to the warehouse's own
// folder, with a refresh after each step. After some of them a second warehouse is built from
// nothing and the tables of the two are compared, and at the end all that is in them. To look longer, or again at a seed that failed:
//
//	go test ./warehouse -run TestSameAnswer -steps 2000 -timeout 2h
//	go test ./warehouse -run TestSameAnswer -seed 7 -steps 100 -every 1 -v
//
// -v prints each step. A seed's steps depend on -steps in nothing but their number.
var (
	propertySteps = flag.Int("steps", 48, "steps of each random sequence")
	propertyEvery = flag.Int("every", 16, "compare with a rebuild after this many steps")
	propertySeed  = flag.Uint64("seed", 0, "run this seed alone")
)

func TestSameAnswer(t *testing.T) {
	t.Parallel()
	seeds := []uint64{1, 2, 3}
	if *propertySeed != 0 {
		seeds = []uint64{*propertySeed}
	}
	if *propertySteps > 1000 {
		// A long run is for what the fixed seeds never met.
		seeds = append(seeds, rand.Uint64N(1e6), rand.Uint64N(1e6))
	}
	steps := *propertySteps
	if testing.Short() {
		steps = min(steps, 25)
	}
	var mu sync.Mutex
	done := map[string]int{} // by name of an op
	t.Run("sequences", func(t *testing.T) {
		for _, seed := range seeds {
			t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
				t.Parallel()
				s := newSequence(t, seed)
				s.run(steps)
				mu.Lock()
				defer mu.Unlock()
				for _, o := range s.ops {
					done[o.name] += s.done[o.name]
				}
			})
		}
	})
	if t.Failed() || steps < 100 || *propertySeed != 0 {
		return
	}
	for name, n := range done {
		if n == 0 {
			t.Errorf("there was no %q", name)
		}
	}
}

// sequence is one run.
type sequence struct {
	*world
	t       *testing.T
	seed    uint64
	opt     RefreshOptions
	edition edition
	ops     []op
	deck    []int
	done    map[string]int
	old     string // a copy of a standby of some earlier refresh
	history []string
	last    Summary
	rules   []Rule // that were given and not lifted
	forgot  bool   // the last refresh had a new one
}

func newSequence(t *testing.T, seed uint64) *sequence {
	dir := t.TempDir()
	s := &sequence{t: t, seed: seed, world: newWorld(t, seed, filepath.Join(dir, "laptop"), filepath.Join(dir, "projects"))}
	s.opt = localRoot(t, filepath.Join(dir, "warehouse"), s.roots[1])
	s.opt.ConfigDir = filepath.Join(dir, "config")
	s.opt.Roots = append(s.opt.Roots, Root{"laptop", claude.Agent, s.roots[0]})
	s.old = filepath.Join(dir, "old.duckdb")
	s.ops, s.done = append(append([]op{}, treeOps...), s.ownOps()...), map[string]int{}
	return s
}

func (s *sequence) run(steps int) {
	t := s.t
	defer func() {
		if t.Failed() {
			t.Logf("seed %d; the steps:\n%s", s.seed, strings.Join(s.history, "\n"))
		}
	}()
	for step := 1; step <= steps && !t.Failed(); step++ {
		var names []string
		for range 1 + s.rng.IntN(3) {
			o := s.draw()
			if o.run(s.world) {
				s.done[o.name]++
				names = append(names, o.name)
			}
		}
		s.history = append(s.history, fmt.Sprintf("%4d  %s", step, strings.Join(names, ", ")))
		if testing.Verbose() {
			t.Log(s.history[step-1])
		}
		s.refresh()
		if step%*propertyEvery == 0 || step == steps {
			checkRestored(t, s.opt.Layout, s.files())
			fresh := s.opt
			fresh.Forget = s.rules
			if step == steps {
				compareAllWithFresh(t, fresh)
			} else {
				compareWithFresh(t, fresh)
			}
		}
	}
}

// draw takes an op as a card from a deck that holds each as often as it weighs, so that the rare
// ones come too.
func (s *sequence) draw() op {
	if len(s.deck) == 0 {
		for i, o := range s.ops {
			s.deck = append(s.deck, slices.Repeat([]int{i}, o.weight)...)
		}
		s.rng.Shuffle(len(s.deck), func(i, j int) { s.deck[i], s.deck[j] = s.deck[j], s.deck[i] })
	}
	i := s.deck[0]
	s.deck = s.deck[1:]
	return s.ops[i]
}

// refresh brings the warehouse up to date and checks what must hold after each refresh.
func (s *sequence) refresh() {
	t, l := s.t, s.opt.Layout
	t.Helper()
	before := s.last.Generation
	s.last = mustRefresh(t, s.opt)
	if s.forgot = len(s.opt.Forget) > 0; s.forgot && exists(l.Standby) {
		t.Error("there is a standby of before a forget")
	}
	s.opt.Forget, s.opt.Lift = nil, nil
	files := s.files()
	var lines, size int64
	for _, path := range files {
		content := s.read(path)
		size += int64(len(content))
		lines += int64(strings.Count(content, "\n"))
		if content != "" && !strings.HasSuffix(content, "\n") {
			lines++
		}
	}
	sum := s.last
	if len(s.rules) > 0 {
		// Which lines are out is compared with a rebuild, and with what is restored.
		lines, size = sum.Lines, sum.Bytes
	}
	if sum.Failed != 0 || sum.Scanned+sum.Ignored != len(files) || sum.Lines != lines || sum.Bytes != size {
		t.Errorf("got %d failed, %d scanned, %d lines, %d bytes; want 0, %d, %d, %d: %+v",
			sum.Failed, sum.Scanned, sum.Lines, sum.Bytes, len(files), lines, size, sum.Failures)
	}
	checkTidy(t, l)
	if s.rng.IntN(3) == 0 {
		checkRestored(t, l, files)
	}
	if sum.Status == "unchanged" {
		if sum.Generation != before {
			t.Errorf("nothing changed: got generation %d, want %d", sum.Generation, before)
		}
		return
	}
	if before == 0 || s.opt.Standby == "off" || s.forgot {
		if exists(l.Standby) {
			t.Error("there is a standby, though there should be none")
		}
		if got := generations(t, l.Published); got[0] != before+1 {
			t.Errorf("published: got generation %d, want %d", got[0], before+1)
		}
	} else if got := generations(t, l.Published, l.Standby); got[0] != before+1 || got[1] != before {
		t.Errorf("published and standby: got generations %d, want %d and %d", got, before+1, before)
	}
}

// edition is a changed copy of the definitions.
type edition struct {
	comment, view, table, projection, seed, index int
	without                                       bool
}

func (e edition) load(t *testing.T) schema.Set {
	t.Helper()
	fsys := fstest.MapFS{}
	paths, err := filepath.Glob("../schema/*.[sc]*[lv]")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no definitions: %v", err)
	}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		fsys[filepath.Base(path)] = &fstest.MapFile{Data: b}
	}
	replace := func(file, old, new string) {
		text := string(fsys[file].Data)
		if !strings.Contains(text, old) {
			t.Fatalf("%s has no %q to change", file, old)
		}
		fsys[file].Data = []byte(strings.Replace(text, old, new, 1))
	}
	replace("1_records.sql", "FROM raw\n", fmt.Sprintf("-- edition %d\nFROM raw\n", e.comment))
	replace("1_broken_lines.sql", "bytes[1:120]", fmt.Sprintf("bytes[1:%d]", 120-e.view))
	replace("1_content_items.sql", "whole[:500]", fmt.Sprintf("whole[:%d]", 500-e.table))
	if e.projection > 0 {
		replace("0_pinned_columns.sql", "'type': j.type,", fmt.Sprintf("'type': j.type, 'added_%d': j.cwd || '-%[1]d',", e.projection))
	}
	if e.seed > 0 {
		replace("model_prices.csv", "claude-opus-4-6,1970-01-01,5,", fmt.Sprintf("claude-opus-4-6,1970-01-01,%d,", 5+e.seed))
	}
	replace("2_posting_lists.sql", "up to 128", fmt.Sprintf("up to %d", 128+e.index))
	if e.without {
		delete(fsys, "4_permission_requests.sql")
	}
	set, err := schema.Load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// ownOps is what happens to the definitions and to the warehouse's own folder.
func (s *sequence) ownOps() []op {
	edit := func(name string, weight int, change func(e *edition)) op {
		return op{name, weight, func(w *world) bool {
			change(&s.edition)
			s.opt.Schema = s.edition.load(s.t)
			return true
		}}
	}
	l := s.opt.Layout
	// away does something to the standby that a person or a crash might have done.
	away := func(name string, weight int, do func() error) op {
		return op{name, weight, func(w *world) bool {
			if !exists(l.Standby) {
				return false
			}
			if err := do(); err != nil {
				s.t.Fatal(err)
			}
			return true
		}}
	}
	return []op{
		edit("comment in a view", 1, func(e *edition) { e.comment++ }),
		edit("another view", 1, func(e *edition) { e.view++ }),
		edit("another derived table", 1, func(e *edition) { e.table++ }),
		edit("another projection", 2, func(e *edition) { e.projection++ }),
		edit("a view more or less", 1, func(e *edition) { e.without = !e.without }),
		edit("another word index", 1, func(e *edition) { e.index++ }),
		edit("other built-in prices", 1, func(e *edition) { e.seed++ }),
		{"own prices", 2, func(w *world) bool {
			path := filepath.Join(s.opt.ConfigDir, "prices.csv")
			if err := os.MkdirAll(s.opt.ConfigDir, 0o700); err != nil {
				s.t.Fatal(err)
			}
			text := fmt.Sprintf("model,output,input,valid_from\nglm-5,%d,1,2026-10-20\n", w.rng.IntN(100))
			if w.rng.IntN(4) > 0 {
				err := os.WriteFile(path, []byte(text), 0o600)
				if err != nil {
					s.t.Fatal(err)
				}
			} else if err := removeIfThere(path); err != nil {
				s.t.Fatal(err)
			}
			return true
		}},
		{"verify", 2, func(w *world) bool {
			s.opt.Verify = true
			s.refresh()
			s.opt.Verify = false
			return true
		}},
		{"nothing", 2, func(w *world) bool {
			s.refresh()
			before, err := os.Stat(l.Published)
			if err != nil {
				s.t.Fatal(err)
			}
			s.refresh()
			after, err := os.Stat(l.Published)
			if err != nil {
				s.t.Fatal(err)
			}
			sum := s.last
			if sum.Status != "unchanged" || sum.FilesOpened+int(sum.RowsWritten+sum.BytesRead+sum.BytesChecked) != 0 || sum.DatabaseOpens != 1 {
				s.t.Errorf("nothing changed, but %+v", sum)
			}
			if !os.SameFile(before, after) || !before.ModTime().Equal(after.ModTime()) {
				s.t.Error("nothing changed, but the published file did")
			}
			return true
		}},
		{"forget", 3, func(w *world) bool {
			path := w.some()
			rule := Rule{Kind: ForgetFile, Value: path}
			switch session, _ := claude.Identity(path); {
			case w.rng.IntN(3) == 0 && strings.Contains(path, "-keep"):
				return false
			case w.rng.IntN(3) == 0:
			// What one rule took decides which line a line without a time goes with (forget_lines.sql):
			// times and sessions are for different sequences.
			case s.seed%2 == 0:
				since := time.Date(2026, 10, 20, 9, 0, 0, 0, time.UTC)
				rule = Rule{Kind: ForgetBefore, Value: RuleTime(since.Add(w.clock.Sub(since) / 100 * time.Duration(w.rng.IntN(100))))}
				if w.rng.IntN(2) == 0 {
					host := pick(w, LocalHost, "laptop")
					rule.Host = &host
				}
			case session != "":
				rule = Rule{Kind: ForgetSession, Value: session}
			}
			if len(s.rules) >= 4 || slices.ContainsFunc(s.rules, rule.Same) {
				return false
			}
			s.rules = append(s.rules, rule)
			s.opt.Forget = []Rule{rule}
			s.refresh()
			return true
		}},
		{"lift a rule", 2, func(w *world) bool {
			if len(s.rules) == 0 {
				return false
			}
			i := w.rng.IntN(len(s.rules))
			s.opt.Lift = []Rule{s.rules[i]}
			s.rules = slices.Delete(s.rules, i, i+1)
			s.refresh()
			return true
		}},
		{"cancelled refresh", 3, func(w *world) bool {
			ctx, cancel := context.WithTimeout(context.Background(), time.Duration(w.rng.IntN(150))*time.Millisecond)
			defer cancel()
			if sum, err := Refresh(ctx, s.opt); err == nil {
				s.last = sum
			} else if ctx.Err() == nil {
				s.t.Errorf("refresh: %v", err)
			}
			return true
		}},
		{"standby off or on", 1, func(w *world) bool {
			if s.opt.Standby != "off" {
				s.opt.Standby = "off"
			} else {
				s.opt.Standby = "on"
			}
			return true
		}},
		away("standby deleted", 2, func() error { return os.Remove(l.Standby) }),
		away("standby cut off", 1, func() error { return os.Truncate(l.Standby, 12288+int64(s.rng.IntN(100_000))) }),
		away("standby overwritten", 1, func() error { return os.WriteFile(l.Standby, []byte("not a database"), 0o600) }),
		away("log beside the standby", 1, func() error { return os.WriteFile(l.Standby+".wal", []byte("left"), 0o600) }),
		away("swap left", 1, func() error { return os.Link(l.Published, l.swap()) }),
		away("killed between the renames", 1, func() error {
			return os.Rename(l.Standby, l.swap())
		}),
		away("copy left", 1, func() error { return os.WriteFile(l.copying(), []byte("half"), 0o600) }),
		away("keep the standby", 3, func() error { return copyOver(l.Standby, s.old) }),
		away("old standby back", 3, func() error {
			if !exists(s.old) {
				return nil
			}
			return copyOver(s.old, l.Standby)
		}),
	}
}

func copyOver(from, to string) error {
	if err := removeIfThere(to); err != nil {
		return err
	}
	return copyFile(from, to)
}
