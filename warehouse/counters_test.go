package warehouse

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A refresh costs what changed, counted by the summary: files opened, bytes read, rows written,
// databases opened.

type cost struct {
	opened                 int
	read, checked, written int64
	databases              int
	added, appended, rest  int // rest: replaced + vanished
	unchanged              int
	status                 string
}

func costOf(s Summary) cost {
	return cost{s.FilesOpened, s.BytesRead, s.BytesChecked, s.RowsWritten, s.DatabaseOpens, s.Added, s.Appended, s.Replaced + s.Vanished, s.Unchanged, s.Status}
}

func TestCostOfARefresh(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	projects := filepath.Join(dir, "projects")
	opt := localRoot(t, filepath.Join(dir, "warehouse"), projects)
	const files, perFile = 500, 4
	at := time.Date(2026, 10, 20, 9, 0, 0, 0, time.UTC)
	name := func(i int) string { return filepath.Join(projects, fmt.Sprintf("-home-dev-%d/s%d.jsonl", i%7, i)) }
	line := func(i, n int) string {
		return fmt.Sprintf(`{"type":"user","uuid":"%d-%d","sessionId":"s%d","timestamp":"2026-10-20T09:00:00.000Z","message":{"role":"user","content":"hello"}}`+"\n", i, n, i)
	}
	settle := func(path string) {
		at = at.Add(time.Second)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	var total int64
	for i := range files {
		content := ""
		for n := range perFile {
			content += line(i, n)
		}
		writeFile(t, name(i), content)
		total += int64(len(content))
	}
	check := func(what string, want cost) {
		t.Helper()
		sum := mustRefresh(t, opt)
		if got := costOf(sum); got != want {
			t.Errorf("%s: got %+v, want %+v", what, got, want)
		}
		if sum.Scanned != sum.Unchanged+sum.Added+sum.Appended+sum.Replaced {
			t.Errorf("%s: %d files do not add up: %+v", what, sum.Scanned, sum)
		}
	}
	check("first", cost{opened: files, read: total, written: files * perFile, databases: 1, added: files, status: "refreshed"})
	check("nothing", cost{databases: 1, unchanged: files, status: "unchanged"})
	size := func(i int) int64 {
		info, err := os.Stat(name(i))
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	// The windows at the start and at the end of what was consumed, which meet in a small file.
	windows := func(size int64) int64 { return 2 * min(size, windowSize) }
	for round := range 4 {
		i := 100 + round
		more, before := line(i, perFile), size(i)
		appendFile(t, name(i), more)
		settle(name(i))
		check(fmt.Sprint("one line, ", round), cost{opened: 1, read: int64(len(more)), checked: windows(before), written: 1, databases: 2,
			appended: 1, unchanged: files - 1, status: "refreshed"})
	}
	settle(name(7))
	check("touched", cost{opened: 1, checked: size(7), databases: 2, unchanged: files, status: "refreshed"})
	before := size(7)
	half := line(7, perFile)[:50]
	appendFile(t, name(7), half)
	settle(name(7))
	check("half a line", cost{opened: 1, read: 50, checked: windows(before), written: 1, databases: 2, appended: 1, unchanged: files - 1, status: "refreshed"})
	rest := line(7, perFile)[50:]
	appendFile(t, name(7), rest)
	settle(name(7))
	check("the other half", cost{opened: 1, read: int64(50 + len(rest)), checked: windows(before), written: 1, databases: 2, appended: 1, unchanged: files - 1, status: "refreshed"})
	if err := os.Remove(name(8)); err != nil {
		t.Fatal(err)
	}
	check("one gone", cost{databases: 2, rest: 1, unchanged: files - 1, status: "refreshed"})
	writeFile(t, name(9), line(9, 77))
	settle(name(9))
	check("one rewritten", cost{opened: 1, read: int64(len(line(9, 77))), written: 1, databases: 2, rest: 1, unchanged: files - 2, status: "refreshed"})
	check("nothing again", cost{databases: 1, unchanged: files - 1, status: "unchanged"})

	// A young stamp is enough: no database is opened at all.
	opt.MaxAge = time.Hour
	check("fresh", cost{unchanged: files - 1, status: "fresh"})
	opt.MaxAge = 0
	compareWithFresh(t, opt)
}
