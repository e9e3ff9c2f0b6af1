package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// Tests of the real program: each file of testdata/script is a script, run in a fresh directory
// $WORK with the transcripts it brings along.
//
// The rules are:
//
//   - warehouse is this test binary started again, so it is a process of its own with the exit
//     code, the standard streams and the locks of one.
//   - Nothing of the person who runs the tests is read or written: WAREHOUSE_HOME and HOME lie in
//     $WORK, no variable that names transcripts is set. TZ is UTC, dates are absolute.
//   - What the program says of itself (files_opened, "unchanged") is held against what can be
//     seen from outside where there is a way: inode and time, a file that may not be opened,
//     the driver without this program's code (duckdb-ro).
//   - What needs rights or a program that a machine may lack is a condition of its own, and the
//     script says what it leaves out.
//
// Run one with: go test ./cmd/warehouse -run TestScripts/refresh-append
// Keep what it made, to look at in duckdb: … -v -dump, which prints WORK=…

var (
	dump   = flag.Bool("dump", false, "keep the directories of script tests and print where they are")
	update = flag.Bool("update", false, "write golden outputs anew")
)

func TestMain(m *testing.M) {
	testscript.Main(cleaningUp{m}, map[string]func(){
		"warehouse":     main,
		"duckdb-ro":     func() { plainDuckDB("read_only", os.Args[2:]) },
		"duckdb-rw":     func() { plainDuckDB("read_write", os.Args[2:]) },
		"duckdb-script": func() { plainDuckDB("read_only", statementsIn(os.Args[2])) },
		"hold-database": holdDatabase,
		"hold-lock":     holdLock,
	})
}

func TestScripts(t *testing.T) {
	testdata, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	made := madeOnce(t)
	testscript.Run(t, testscript.Params{
		Dir:                filepath.Join(testdata, "script"),
		TestWork:           *dump,
		UpdateScripts:      *update,
		RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			if err := startMade(env.WorkDir, made); err != nil {
				return err
			}
			env.Setenv("WAREHOUSE_HOME", filepath.Join(env.WorkDir, "w"))
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("TZ", "UTC")
			env.Setenv("NO_COLOR", "1")
			env.Setenv("TESTDATA", testdata)
			env.Values[snapshotKey{}] = map[string]os.FileInfo{}
			return nil
		},
		Condition: condition,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"append":     cmdAppend,
			"await":      cmdAwait,
			"exits":      cmdExits,
			"fifo":       cmdFIFO,
			"flip":       cmdFlip,
			"hardlink":   cmdHardlink,
			"holds":      cmdHolds,
			"json":       cmdJSON,
			"mode":       cmdMode,
			"refuses":    cmdRefuses,
			"restores":   cmdRestores,
			"snapshot":   cmdSnapshot,
			"tmpfs":      cmdTmpfs,
			"touchdate":  cmdTouchdate,
			"truncate":   cmdTruncate,
			"unchanged":  cmdUnchanged,
			"unreadable": cmdUnreadable,
			"write":      cmdWrite,
		},
	})
}

// onReports are beginnings of the names of scripts that are about what a warehouse tells or forgets, not
// about how one comes to be. They start with one of no transcripts, which saves making some 80 views each.
var onReports = []string{
	"egress", "forget", "formats", "hook", "pinned", "query", "read", "redact", "retention", "sandbox", "search", "session",
	"skills", "stop", "time", "tool", "usage-",
}

// withoutAny are those of them that tell what is said where there is no warehouse.
var withoutAny = []string{"query-list", "read-names"}

// madeOnce makes a warehouse of no transcripts and returns its folder.
func madeOnce(t *testing.T) string {
	dir := programFolder(t)
	cmd := exec.Command(filepath.Join(dir, "warehouse"), "refresh", "--quiet")
	cmd.Env = append(os.Environ(), "HOME="+dir, "WAREHOUSE_HOME="+filepath.Join(dir, "w"), "CLAUDE_PROJECTS_DIR="+filepath.Join(dir, "none"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return filepath.Join(dir, "w")
}

// startMade gives a script that warehouse, if it is on reports.
func startMade(workDir, made string) error {
	name := strings.TrimPrefix(filepath.Base(workDir), "script-")
	if slices.Contains(withoutAny, name) || !slices.ContainsFunc(onReports, func(p string) bool { return strings.HasPrefix(name, p) }) {
		return nil
	}
	file, err := os.ReadFile(filepath.Join(made, "warehouse.duckdb"))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(workDir, "w"), 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(workDir, "w", "warehouse.duckdb"), file, 0o600)
}

// condition knows [root] and [mount], and [unreadable]: whether a process can be started that
// file permissions hold for.
func condition(name string) (bool, error) {
	root := os.Geteuid() == 0
	switch name {
	case "root":
		return root, nil
	case "unreadable":
		return !root || exec.Command("setpriv", dropRights, "true").Run() == nil, nil
	case "mount":
		dir, err := os.MkdirTemp("", "warehouse-mount")
		if err != nil {
			return false, err
		}
		defer os.Remove(dir)
		if !root || exec.Command("mount", "-t", "tmpfs", "none", dir).Run() != nil {
			return false, nil
		}
		return true, exec.Command("umount", dir).Run()
	}
	return false, fmt.Errorf("no condition %q", name)
}

// dropRights takes from a process of root, by setpriv, that it may read and write everything.
const dropRights = "--bounding-set=-dac_override,-dac_read_search"
