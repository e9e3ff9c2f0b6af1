package warehouse

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Transcripts of unusual size and shape, and little memory.

// refreshes runs a refresh of what is there, which must do and lose nothing, and notes its memory.
func (r *trial) refreshes(home string, w *world, args ...string) Summary {
	r.t.Helper()
	cmd := refreshCommand(r.t, home, w.roots[0], args...)
	peak, err := runWatched(cmd)
	sum, err := summaryOf(cmd, err)
	if err != nil {
		r.t.Fatal(err)
	}
	r.happened("taken whole")
	r.peak = max(r.peak, peak)
	r.lose(lostLines(r.t, home, w.roots[0], w.files()), "after a refresh")
	return sum
}

func TestTortureLongLine(t *testing.T) {
	mb := rounds(40, 300)
	r := try(t, "a line of %d MB", mb)
	home, projects := newHome(t)
	w := newWorld(t, 101, projects)
	path := w.newSession()
	long := w.envelope(path, "user")
	long["message"] = object{"role": "user", "content": strings.Repeat("one long line ", mb<<20/14)}
	w.put(path, w.lines(path, 2)+encoded(long)+"\n"+w.lines(path, 2))
	r.refreshes(home, w)
	w.add(path, w.lines(path, 1))
	if sum := r.refreshes(home, w); sum.Appended != 1 || sum.BytesRead > 1<<20 {
		t.Errorf("after a line more: got %+v", sum)
	}
}

// Pictures and long outputs: a batch has few lines, and needs much more memory than one of many.
func TestTortureLongLines(t *testing.T) {
	mb := rounds(150, 2000)
	r := try(t, "%d MB in lines of up to 10 MB", mb)
	home, projects := newHome(t)
	w := newWorld(t, 106, projects)
	random := make([]byte, 10<<20)
	rand.NewChaCha8([32]byte{}).Read(random)
	picture := base64.StdEncoding.EncodeToString(random)
	for size, n := 0, 0; size < mb<<20; {
		path := w.newSession()
		text := w.lines(path, 20)
		for range 8 {
			n++
			length := []int{2_000, 500_000, 1_500_000, 3_000_000, 6_000_000, 10_000_000}[n%6]
			part := picture[n%1000 : n%1000+length]
			long := w.envelope(path, "user")
			result := object{"type": "tool_result", "tool_use_id": w.id("toolu_"), "content": part}
			if n%2 == 0 {
				result["content"] = []any{object{"type": "image", "source": object{"type": "base64", "media_type": "image/png", "data": part}}}
			}
			long["message"] = object{"role": "user", "content": []any{result}}
			long["toolUseResult"] = object{"stdout": part}
			text += encoded(long) + "\n"
		}
		w.put(path, text)
		size += len(text)
	}
	r.refreshes(home, w)
}

func TestTortureManyFiles(t *testing.T) {
	n := rounds(400, 20_000)
	r := try(t, "%d tiny files", n)
	home, projects := newHome(t)
	w := newWorld(t, 102, projects)
	var paths []string
	for i := range n {
		path := filepath.Join(projects, fmt.Sprintf("-home-dev-%d", i%100), w.id("5e550000-")+".jsonl")
		w.put(path, w.other(path))
		paths = append(paths, path)
	}
	if sum := r.refreshes(home, w); sum.Added != n+1 {
		t.Errorf("got %+v", sum)
	}
	for i := 0; i < n; i += 100 {
		w.add(paths[i], w.other(paths[i]))
	}
	if sum := r.refreshes(home, w); sum.Appended != n/100 || sum.FilesOpened != n/100 {
		t.Errorf("after %d appended: got %+v", n/100, sum)
	}
}

func TestTortureManyLines(t *testing.T) {
	n := rounds(20_000, 1_000_000)
	r := try(t, "a file of %d lines", n)
	home, projects := newHome(t)
	w := newWorld(t, 103, projects)
	path := w.newSession()
	some := w.lines(path, 1000)
	many := strings.Repeat(some, 1+n/strings.Count(some, "\n"))
	w.put(path, many)
	r.refreshes(home, w)
	w.put(path, many[:len(many)/3]+w.lines(path, 1)) // most of it goes
	r.refreshes(home, w)
}

// Links that lead in circles, of which each file is taken once.
func TestTortureLinks(t *testing.T) {
	r := try(t, "links in circles")
	home, projects := newHome(t)
	w := newWorld(t, 104, projects)
	w.fill(5, 2)
	in := func(name string) string { return filepath.Join(projects, "-home-dev-keep", name) }
	want := w.files()
	for round := range rounds(1, 20) {
		name := fmt.Sprint(round)
		link(t, os.Symlink, projects, in("up"+name))                        // a folder above
		link(t, os.Symlink, ".", in("here"+name))                           // itself
		link(t, os.Symlink, "two"+name, in("one"+name))                     // one to another
		link(t, os.Symlink, "one"+name, in("two"+name))                     // and back
		link(t, os.Symlink, "self"+name+".jsonl", in("self"+name+".jsonl")) // named like a transcript
		link(t, os.Symlink, want[round%len(want)], in("also"+name+".jsonl"))
		for i := range 50 { // more than the system follows
			link(t, os.Symlink, fmt.Sprintf("chain%s-%d", name, i+1), in(fmt.Sprintf("chain%s-%d", name, i)))
		}
		link(t, os.Symlink, projects, in(fmt.Sprintf("chain%s-50", name)))
		sum := runRefresh(t, home, projects)
		r.happened("walked to an end")
		if sum.Scanned != len(want) || sum.Skipped != round+1 || sum.Failed != 0 {
			t.Errorf("round %d: got %d files, %d skipped, %d failed; want %d, %d, 0: %v", round, sum.Scanned, sum.Skipped, sum.Failed, len(want), round+1, sum.Failures)
		}
		r.lose(lostLines(t, home, projects, want), "round %d", round)
	}
}

// Little memory: a refresh does, or says in one line that it cannot and leaves what is published.
func TestTortureLittleMemory(t *testing.T) {
	for limit, mb := range map[string]int{"256MB": rounds(6, 400), "64MB": rounds(6, 60)} {
		t.Run(limit, func(t *testing.T) {
			r := try(t, "refreshes of %d MB with a memory limit of %s", mb, limit)
			home, projects := newHome(t)
			w := newWorld(t, 105, projects)
			l := layoutIn(t, home)
			for size := 0; size < mb<<20; {
				path := w.newSession()
				text := w.lines(path, 200)
				w.put(path, text)
				size += len(text)
			}
			for _, what := range []string{"a first build", "a quarter of it anew", "a line more"} {
				was := ""
				var before seen
				if exists(l.Published) {
					was, before = digest(t, l.Published), peek(t, l.Published)
					files := w.files()
					for _, path := range files[:1+len(files)/4*b2i(what != "a line more")] {
						w.put(path, w.read(path)[1:]+w.lines(path, 1))
					}
				}
				cmd := refreshCommand(t, home, projects, "--memory-limit", limit)
				peak, err := runWatched(cmd)
				r.peak = max(r.peak, peak)
				if err == nil {
					r.happened("done")
					r.lose(lostLines(t, home, projects, w.files()), "%s", what)
					continue
				}
				r.happened("refused")
				if said := refusal(t, cmd, err); !strings.Contains(said, "the memory is used up") {
					t.Errorf("%s: said %q", what, said)
				}
				if was != "" && (!exists(l.Published) || digest(t, l.Published) != was) {
					r.lose(before.lines, "%s: refused, and the published file is not what it was", what)
				} else if was == "" && exists(l.Published) {
					t.Errorf("%s: refused, and published", what)
				}
				// With what memory there is by default it goes on.
				runRefresh(t, home, projects)
				checkTidy(t, l)
				r.lose(lostLines(t, home, projects, w.files()), "%s, with more memory", what)
			}
		})
	}
}
