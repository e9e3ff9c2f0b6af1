package warehouse

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"
)

// The fault harness: tests that do harm to the real program and measure what was lost.
//
// The rules are:
//
//   - Harm is real: processes are killed, disks are full, files change under the reader's hands.
//   - Lost are lines, and they are counted: those of the transcripts on disk that the program does
//     not give back byte for byte, and all of a published file that is neither what it was nor what
//     it was to become. A row's 0 is what counting came to.
//   - Each test is short by itself and long with -torture, which changes how often and how much,
//     not what is done. The table is printed at the end of a long run:
//
//	make torture
//	go -C warehouse test -run TestKilledRefresh -torture
//
// Seeds are fixed; moments of kills follow how long refreshes take, and so differ each time.

var torture = flag.Bool("torture", false, "do harm for long and print a table of what came of it; see make torture")

// rounds is how often, or how much: few by default, many with -torture.
func rounds(few, many int) int {
	switch {
	case *torture:
		return many
	case testing.Short():
		return max(1, few/4)
	}
	return few
}

// trial is a row of the table.
type trial struct {
	t       *testing.T
	what    string
	began   time.Time
	took    time.Duration
	mu      sync.Mutex
	tried   int
	came    []string // what happened, in the order in which it first did
	times   map[string]int
	notes   []string
	skipped string
	peak    int64 // the most memory that the program had resident, where it was watched
	lost    int64
}

var trials struct {
	sync.Mutex
	all []*trial
}

// try begins a row.
func try(t *testing.T, format string, args ...any) *trial {
	t.Helper()
	r := &trial{t: t, what: fmt.Sprintf(format, args...), began: time.Now(), times: map[string]int{}}
	trials.Lock()
	trials.all = append(trials.all, r)
	trials.Unlock()
	t.Cleanup(func() {
		r.took = time.Since(r.began)
		t.Logf("%s: tried %d times: %s; %d lines lost", r.what, r.tried, r.outcome(), r.lost)
	})
	return r
}

// happened counts one try by what came of it.
func (r *trial) happened(what string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tried++
	if r.times[what] == 0 {
		r.came = append(r.came, what)
	}
	r.times[what]++
}

// note is a figure that is worth a look.
func (r *trial) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// lose counts lines that are lost, if any; the rest says where.
func (r *trial) lose(lines int64, format string, args ...any) {
	r.t.Helper()
	if lines == 0 {
		return
	}
	r.mu.Lock()
	r.lost += lines
	r.mu.Unlock()
	r.t.Errorf("%d lines lost: %s", lines, fmt.Sprintf(format, args...))
}

func (r *trial) skip(why string) {
	r.t.Helper()
	r.skipped = why
	r.t.Skip(why)
}

func (r *trial) outcome() string {
	if r.skipped != "" {
		return "skipped: " + r.skipped
	}
	var parts []string
	for _, what := range r.came {
		parts = append(parts, fmt.Sprintf("%d %s", r.times[what], what))
	}
	parts = append(parts, r.notes...)
	if r.peak > 0 {
		parts = append(parts, fmt.Sprintf("at most %d MB resident", r.peak>>20))
	}
	if r.t.Failed() {
		parts = append(parts, "FAILED, see above")
	}
	return strings.Join(parts, ", ")
}

// printTrials writes the table.
func printTrials(out io.Writer) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "what was tried\ttimes\twhat happened\tlines lost\tseconds")
	var lost int64
	for _, r := range trials.all {
		fmt.Fprintf(w, "%s\t%d\t%s\t%d\t%.0f\n", r.what, r.tried, r.outcome(), r.lost, r.took.Seconds())
		lost += r.lost
	}
	w.Flush()
	fmt.Fprintf(out, "%d lines lost in all\n", lost)
}

// programCommand is the real program on a warehouse in home and the transcripts in projects.
func programCommand(t testing.TB, home, projects string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := builtBinary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), "WAREHOUSE_HOME="+home, "CLAUDE_PROJECTS_DIR="+projects, "HOME="+home)
	return cmd
}

// restored is everything the program gives back: the content of each file, by its path below the
// folder of projects.
func restored(t testing.TB, home, projects string) map[string][]byte {
	t.Helper()
	dir, err := os.MkdirTemp("", "warehouse-restored")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	cmd := programCommand(t, home, projects, "restore", "--all", "-o", dir)
	// It ends with 3 where something was forgotten.
	if out, err := cmd.CombinedOutput(); err != nil && cmd.ProcessState.ExitCode() != 3 {
		// What it wrote until then is there; the rest is lost.
		t.Errorf("restore: %v\n%s", err, out)
	}
	files := map[string][]byte{}
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		files[strings.TrimPrefix(path, dir+"/")], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// lostLines counts the lines of the transcripts that the program does not give back as they are,
// and those that it gives back though no transcript has them.
func lostLines(t testing.TB, home, projects string, paths []string) (lost int64) {
	t.Helper()
	got := restored(t, home, projects)
	for _, path := range paths {
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(path, projects+"/")
		if n := differingLines(got[name], want); n > 0 {
			t.Errorf("%s: %d lines differ", name, n)
			lost += n
		} else if got[name] == nil {
			t.Errorf("%s: not given back", name)
		}
		delete(got, name)
	}
	for name, content := range got {
		if len(content) > 0 {
			t.Errorf("%s: given back, and not there", name)
			lost += differingLines(content, nil)
		}
	}
	return lost
}

// differingLines compares line by line.
func differingLines(got, want []byte) (n int64) {
	if bytes.Equal(got, want) {
		return 0
	}
	a, b := bytes.SplitAfter(got, []byte("\n")), bytes.SplitAfter(want, []byte("\n"))
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || !bytes.Equal(a[i], b[i]) {
			n++
		}
	}
	return n
}

// digest of a file's bytes.
func digest(t testing.TB, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		t.Fatal(err)
	}
	return string(h.Sum(nil))
}

// refusal is what the program said when it did not do what it was told: one line, then hints.
func refusal(t testing.TB, cmd *exec.Cmd, err error) string {
	t.Helper()
	said := cmd.Stderr.(*bytes.Buffer).String()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || cmd.Stdout.(*bytes.Buffer).Len() > 0 {
		t.Errorf("ended with %v, printed %q and said %q; want exit code 1 and nothing printed", err, cmd.Stdout, said)
	}
	first, rest, _ := strings.Cut(said, "\n")
	if !strings.HasPrefix(first, "warehouse: ") {
		t.Errorf("said %q, want one line that begins with warehouse:", said)
	}
	for _, line := range strings.Split(strings.TrimSuffix(rest, "\n"), "\n") {
		if line != "" && !strings.HasPrefix(line, "hint: ") {
			t.Errorf("said %q, want one line and hints", said)
		}
	}
	return first
}

// runWatched runs a command and returns the most memory that it had resident, in bytes, or 0 where
// the system has no /proc. (What wait returns is no good: it includes the parent's before exec.)
func runWatched(cmd *exec.Cmd) (peak int64, err error) {
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	ended := make(chan struct{})
	var watching sync.WaitGroup
	watching.Go(func() {
		for {
			status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", cmd.Process.Pid))
			if _, rest, ok := strings.Cut(string(status), "VmHWM:"); ok {
				kb, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
				peak = max(peak, kb<<10)
			}
			select {
			case <-ended:
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	})
	err = cmd.Wait()
	close(ended)
	watching.Wait()
	return peak, err
}
