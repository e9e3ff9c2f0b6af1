package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// What tests share, since making it takes longer than most of them: warehouses of trees that none
// of them changes, and the unpacked corpus. Tests that change either make their own.

var shared struct {
	dir    string            // made when it is first needed, removed when all tests are done
	homes  map[string]string // home with the warehouse of a tree
	corpus string            // the unpacked corpus
}

// cleaningUp removes what was shared when all tests are done.
type cleaningUp struct{ m *testing.M }

func (c cleaningUp) Run() int {
	code := c.m.Run()
	if shared.dir != "" {
		os.RemoveAll(shared.dir)
	}
	return code
}

func sharedDir(t *testing.T) string {
	t.Helper()
	if shared.dir == "" {
		dir, err := os.MkdirTemp("", "warehouse-test")
		if err != nil {
			t.Fatal(err)
		}
		shared.dir, shared.homes = dir, map[string]string{}
	}
	return shared.dir
}

// builtFrom makes a warehouse of a folder of transcripts, which the commands that follow read, and
// returns its path.
func builtFrom(t *testing.T, projects string) string {
	t.Helper()
	testdata, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	home, built := shared.homes[projects]
	switch {
	case built:
	case projects == shared.corpus || strings.HasPrefix(projects, testdata+string(filepath.Separator)):
		home = filepath.Join(sharedDir(t), fmt.Sprint("home", len(shared.homes)))
		shared.homes[projects] = home
	default:
		home = t.TempDir()
	}
	t.Setenv("HOME", home)
	t.Setenv("WAREHOUSE_HOME", filepath.Join(home, "w"))
	t.Setenv("CLAUDE_PROJECTS_DIR", projects)
	if built {
		return filepath.Join(home, "w", "warehouse.duckdb")
	}
	return strings.TrimSpace(succeed(t, "refresh", "--quiet"))
}

// corpus unpacks transcripts that lie beside the repository and are too big to be in it.
func corpus(t *testing.T) string {
	t.Helper()
	if shared.corpus != "" {
		return shared.corpus
	}
	const archive = "../../../shared/corpus/claude.tar.xz"
	if _, err := os.Stat(archive); err != nil {
		t.Skip("no corpus: ../shared/corpus/claude.tar.xz is not beside the repository")
	}
	dir := filepath.Join(sharedDir(t), "corpus")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("tar", "-xJf", archive, "-C", dir).CombinedOutput(); err != nil {
		t.Skipf("no corpus: tar -xJf: %v: %s", err, out)
	}
	shared.corpus = filepath.Join(dir, "projects")
	return shared.corpus
}
