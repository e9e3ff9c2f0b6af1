package main

import (
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// usage-ccusage held against what ccusage 20.0.24 printed, and against ccusage itself where there
// is one.
//
// testdata/ccusage holds its output, made by: CCUSAGE=/path/to/ccusage/src/cli.js go test
// ./cmd/warehouse -run TestCcusage -update. It runs under node.

// ccusageDays is its output.
type ccusageDays struct {
	Daily []struct {
		Date                string
		InputTokens         int64
		OutputTokens        int64
		CacheCreationTokens int64
		CacheReadTokens     int64
		TotalTokens         int64
		TotalCost           json.Number
	}
}

func ccusage(t *testing.T, script, projects string) []byte {
	t.Helper()
	cmd := exec.Command("node", script, "claude", "daily", "--offline", "--json")
	cmd.Env = append(os.Environ(), "CLAUDE_CONFIG_DIR="+filepath.Dir(projects), "HOME="+t.TempDir(), "TZ=UTC")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("ccusage: %v", err)
	}
	return out
}

// compareCcusage holds the report of the warehouse at hand against its output.
func compareCcusage(t *testing.T, output []byte) {
	t.Helper()
	var want ccusageDays
	if err := json.Unmarshal(output, &want); err != nil {
		t.Fatal(err)
	}
	rows := readCSV(t, "query", "usage-ccusage", "--format", "csv", "--tz", "UTC")[1:]
	if len(rows) == 0 || len(rows) != len(want.Daily) {
		t.Fatalf("got %d days, ccusage %d", len(rows), len(want.Daily))
	}
	for i, day := range want.Daily {
		row := rows[i]
		got := strings.Join([]string{row[0], row[2], row[3], row[4], row[5], row[6]}, " ")
		if want := fmt.Sprintf("%s %d %d %d %d %d", day.Date, day.InputTokens, day.OutputTokens, day.CacheCreationTokens, day.CacheReadTokens, day.TotalTokens); got != want {
			t.Errorf("got %s, ccusage %s", got, want)
		}
		cost, ok := new(big.Rat).SetString(row[7])
		its, ok2 := new(big.Rat).SetString(day.TotalCost.String())
		if !ok || !ok2 || new(big.Rat).Sub(cost, its).Cmp(big.NewRat(1, 10_000)) > 0 || new(big.Rat).Sub(its, cost).Cmp(big.NewRat(1, 10_000)) > 0 {
			t.Errorf("%s: got cost %s, ccusage %s", day.Date, row[7], day.TotalCost)
		}
	}
}

func TestCcusage(t *testing.T) {
	testdata, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	trees, _ := filepath.Glob(filepath.Join(testdata, "accounting/*/projects"))
	trees = append(trees, filepath.Join(testdata, "sample/projects"))
	script := os.Getenv("CCUSAGE")
	for _, projects := range trees {
		name := filepath.Base(filepath.Dir(projects))
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(testdata, "ccusage", name+".json")
			if *update && script != "" {
				if err := os.WriteFile(file, ccusage(t, script, projects), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			output, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			builtFrom(t, projects)
			compareCcusage(t, output)
		})
	}
	t.Run("generated", func(t *testing.T) {
		if script == "" {
			t.Skip("no ccusage: CCUSAGE does not name its cli.js")
		}
		for seed := 1; seed <= 3; seed++ {
			projects := generated(t, *generatedMB, seed)
			output := ccusage(t, script, projects)
			builtFrom(t, projects)
			compareCcusage(t, output)
		}
	})
}
