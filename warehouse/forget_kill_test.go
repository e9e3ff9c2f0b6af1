package warehouse

import (
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A forget killed at any moment has forgotten all or nothing, the published file is whole, and
// when it is repeated nothing is left.
func TestKilledForget(t *testing.T) {
	t.Parallel()
	r := try(t, "forget killed at any moment")
	dir := t.TempDir()
	projects := filepath.Join(dir, "projects")
	w := newWorld(t, 51, projects)
	w.fill(10, 40)
	others := w.files() // none of which is to be forgotten
	plant(t, projects)
	others = append(others, filepath.Join(projects, "-home-dev-app", "s2.jsonl"))
	home := filepath.Join(dir, "home")
	l := layoutIn(t, home)
	command := func(args ...string) *exec.Cmd { return programCommand(t, home, projects, args...) }
	mustRun := func(args ...string) {
		t.Helper()
		if out, err := command(args...).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	runRefresh(t, home, projects)
	all := peek(t, l.Published)
	start := time.Now()
	mustRun("forget", "--session", "s1", "--yes")
	took := time.Since(start)
	rng := rand.New(rand.NewPCG(51, 1))
	kills := rounds(8, 40)
	for kill := range kills {
		mustRun("forget", "--undo", "--session", "s1")
		runRefresh(t, home, projects)
		before := peek(t, l.Published)
		if before.lines != all.lines {
			t.Fatalf("kill %d: %d lines are there again, want %d", kill, before.lines, all.lines)
		}
		lasted, survived := killWithin(t, command("forget", "--session", "s1", "--yes"), time.Duration(rng.Int64N(int64(took)+1)))
		after := peek(t, l.Published)
		switch {
		case survived:
			r.happened("came through")
			took = lasted
		case after == before:
			r.happened("killed with nothing forgotten")
			took = took * 21 / 20
		default:
			r.happened("killed with all forgotten")
		}
		switch {
		case after == before:
			mustRun("forget", "--session", "s1", "--yes")
		case after.lines == all.lines-11:
			// Published: of the old file nothing is left, whatever else was to come.
		default:
			r.lose(before.lines, "kill %d: neither all nor nothing: %+v, before %+v", kill, after, before)
			return
		}
		if found := secretsIn(t, home); len(found) > 0 {
			t.Fatalf("kill %d: the secret is in %q", kill, found)
		}
		runRefresh(t, home, projects)
		checkTidy(t, l)
		if found := secretsIn(t, home); len(found) > 0 {
			t.Fatalf("kill %d: after a refresh the secret is in %q", kill, found)
		}
		r.lose(lostLines(t, home, projects, others), "kill %d", kill)
	}
	if survived := r.times["came through"]; survived > kills*3/4 {
		t.Errorf("only %d were killed", kills-survived)
	}
}
