package warehouse

import (
	"context"
	"math/rand/v2"
	"os"
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
	binary, err := builtBinary()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	projects := filepath.Join(dir, "projects")
	w := newWorld(t, 51, projects)
	for range 10 {
		path := w.newSession()
		w.put(path, w.lines(path, 40))
	}
	plant(t, projects)
	home := filepath.Join(dir, "home")
	l := layoutIn(t, home)
	command := func(args ...string) *exec.Cmd {
		cmd := exec.CommandContext(context.Background(), binary, args...)
		cmd.Env = append(os.Environ(), "WAREHOUSE_HOME="+home, "CLAUDE_PROJECTS_DIR="+projects, "HOME="+home)
		return cmd
	}
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
	died := 0
	kills := 16
	if testing.Short() {
		kills = 5
	}
	for kill := range kills {
		mustRun("forget", "--undo", "--session", "s1")
		runRefresh(t, home, projects)
		before := peek(t, l.Published)
		if before.lines != all.lines {
			t.Fatalf("kill %d: %d lines are there again, want %d", kill, before.lines, all.lines)
		}
		cmd := command("forget", "--session", "s1", "--yes")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(rng.Int64N(int64(took*11/10) + 1)))
		cmd.Process.Kill()
		if cmd.Wait() == nil {
			took = took * 9 / 10
		} else {
			died++
			took = took * 21 / 20
		}
		after := peek(t, l.Published)
		switch {
		case after == before:
			mustRun("forget", "--session", "s1", "--yes")
		case after.lines == all.lines-11:
			// Published: of the old file nothing is left, whatever else was to come.
		default:
			t.Fatalf("kill %d: neither all nor nothing: %+v, before %+v", kill, after, before)
		}
		if found := secretsIn(t, home); len(found) > 0 {
			t.Fatalf("kill %d: the secret is in %q", kill, found)
		}
		runRefresh(t, home, projects)
		checkTidy(t, l)
		if found := secretsIn(t, home); len(found) > 0 {
			t.Fatalf("kill %d: after a refresh the secret is in %q", kill, found)
		}
	}
	t.Logf("%d of %d died", died, kills)
	if died < kills/4 {
		t.Errorf("only %d were killed", died)
	}
}
