package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// Commands of scripts. Each says its form in the comment above it.

// unreadable CODE COMMAND…: like exits, with file permissions that hold for root too.
func cmdUnreadable(ts *testscript.TestScript, neg bool, args []string) {
	if os.Geteuid() == 0 && len(args) > 1 {
		args = append([]string{args[0], "setpriv", dropRights}, args[1:]...)
	}
	cmdExits(ts, neg, args)
}

// exits CODE COMMAND…: the command ends with this code.
func cmdExits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code command…")
	}
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got := strconv.Itoa(code); got != args[0] {
		ts.Fatalf("exit code %s, want %s", got, args[0])
	}
}

// refuses CODE ARGS…: warehouse ends with this code, prints nothing, and says why as a person
// should see it: one line, then hints.
func cmdRefuses(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: refuses code args…")
	}
	cmdExits(ts, false, append([]string{args[0], "warehouse"}, args[1:]...))
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("got %q on standard output", out)
	}
	lines := strings.Split(strings.TrimSuffix(ts.ReadFile("stderr"), "\n"), "\n")
	if !strings.HasPrefix(lines[0], "warehouse: ") {
		ts.Fatalf("first line is %q, want one with warehouse:", lines[0])
	}
	for _, l := range lines[1:] {
		if !strings.HasPrefix(l, "hint: ") {
			ts.Fatalf("line %q is neither the error nor a hint", l)
		}
	}
}

// json FILE PATH=WANT…: the value at each path of a JSON document; keys and positions are
// separated by dots, what is not there is absent.
func cmdJSON(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: json file path=want…")
	}
	var doc any
	dec := json.NewDecoder(strings.NewReader(ts.ReadFile(args[0])))
	dec.UseNumber()
	ts.Check(dec.Decode(&doc))
	for _, arg := range args[1:] {
		path, want, ok := strings.Cut(arg, "=")
		if !ok {
			ts.Fatalf("%q is not path=want", arg)
		}
		if got := jsonAt(doc, strings.Split(path, ".")); got != want {
			ts.Fatalf("%s is %s, want %s", path, got, want)
		}
	}
}

func jsonAt(v any, path []string) string {
	for _, key := range path {
		switch at := v.(type) {
		case map[string]any:
			next, ok := at[key]
			if !ok {
				return "absent"
			}
			v = next
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(at) {
				return "absent"
			}
			v = at[i]
		default:
			return "absent"
		}
	}
	if s, ok := v.(string); ok {
		return s
	}
	b, _ := json.Marshal(v)
	return string(b)
}

// write FILE TEXT and append FILE TEXT: the text's \n, \r, \t and \xNN are those bytes.
func cmdWrite(ts *testscript.TestScript, neg bool, args []string) {
	put(ts, args, os.O_TRUNC)
}

func cmdAppend(ts *testscript.TestScript, neg bool, args []string) {
	put(ts, args, os.O_APPEND)
}

func put(ts *testscript.TestScript, args []string, how int) {
	if len(args) != 2 {
		ts.Fatalf("usage: write|append file text")
	}
	var text []byte
	for rest := args[1]; rest != ""; {
		r, wide, tail, err := strconv.UnquoteChar(rest, 0)
		ts.Check(err)
		if rest = tail; wide {
			text = append(text, string(r)...)
		} else {
			text = append(text, byte(r))
		}
	}
	path := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(filepath.Dir(path), 0o700))
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|how, 0o600)
	ts.Check(err)
	_, err = f.Write(text)
	ts.Check(errors.Join(err, f.Close()))
}

// flip FILE OFFSET: another byte at this place, the size as it was.
func cmdFlip(ts *testscript.TestScript, neg bool, args []string) {
	path, at := ts.MkAbs(args[0]), number(ts, args[1])
	b, err := os.ReadFile(path)
	ts.Check(err)
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	ts.Check(err)
	_, err = f.WriteAt([]byte{b[at] ^ 1}, at)
	ts.Check(errors.Join(err, f.Close()))
}

// truncate FILE SIZE.
func cmdTruncate(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(os.Truncate(ts.MkAbs(args[0]), number(ts, args[1])))
}

func number(ts *testscript.TestScript, s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	ts.Check(err)
	return n
}

// touchdate FILE TIME: modification time, as 2026-10-20T12:00:00Z.
func cmdTouchdate(ts *testscript.TestScript, neg bool, args []string) {
	at, err := time.Parse(time.RFC3339Nano, args[1])
	ts.Check(err)
	ts.Check(os.Chtimes(ts.MkAbs(args[0]), at, at))
}

// fifo FILE.
func cmdFIFO(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(syscall.Mkfifo(ts.MkAbs(args[0]), 0o600))
}

// hardlink NEW OLD.
func cmdHardlink(ts *testscript.TestScript, neg bool, args []string) {
	ts.Check(os.Link(ts.MkAbs(args[1]), ts.MkAbs(args[0])))
}

// holds FILE TEXT: the bytes are in the file, or in one below the folder, as strings(1) finds them.
func cmdHolds(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: holds file text")
	}
	held := ""
	ts.Check(filepath.WalkDir(ts.MkAbs(args[0]), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte(args[1])) {
			held = path
		}
		return err
	}))
	if (held != "") == neg {
		ts.Fatalf("%q in %s: %v %s", args[1], args[0], held != "", held)
	}
}

// mode PERM FILE…: these are its permissions.
func cmdMode(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args[1:] {
		info, err := os.Stat(ts.MkAbs(name))
		ts.Check(err)
		if got := fmt.Sprintf("%o", info.Mode().Perm()); got != args[0] {
			ts.Fatalf("%s has mode %s, want %s", name, got, args[0])
		}
	}
}

// snapshot FILE… remembers what unchanged FILE… compares with: that a file is the same one and
// was not written since.
func cmdSnapshot(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args {
		info, err := os.Stat(ts.MkAbs(name))
		ts.Check(err)
		ts.Value(snapshotKey{}).(map[string]os.FileInfo)[name] = info
	}
}

func cmdUnchanged(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args {
		was, ok := ts.Value(snapshotKey{}).(map[string]os.FileInfo)[name]
		if !ok {
			ts.Fatalf("no snapshot of %s", name)
		}
		now, err := os.Stat(ts.MkAbs(name))
		ts.Check(err)
		if same := os.SameFile(was, now) && was.Size() == now.Size() && was.ModTime().Equal(now.ModTime()); same == neg {
			ts.Fatalf("%s: same file, size and time is %v", name, same)
		}
	}
}

type snapshotKey struct{}

// tmpfs DIR SIZE: a disk of this size, such as 8m, until the script ends.
func cmdTmpfs(ts *testscript.TestScript, neg bool, args []string) {
	dir := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(dir, 0o700))
	out, err := exec.Command("mount", "-t", "tmpfs", "-o", "mode=0700,size="+args[1], "none", dir).CombinedOutput()
	if err != nil {
		ts.Fatalf("mount: %v: %s", err, out)
	}
	ts.Defer(func() { exec.Command("umount", "-l", dir).Run() })
}

// await FILE: waits for another process to make it.
func cmdAwait(ts *testscript.TestScript, neg bool, args []string) {
	if !waitFor(ts.MkAbs(args[0])) {
		ts.Fatalf("waited in vain")
	}
}

// restores DIR: each transcript below DIR comes back from warehouse restore as it is. The number
// of files goes to standard output.
func cmdRestores(ts *testscript.TestScript, neg bool, args []string) {
	n := 0
	err := filepath.WalkDir(ts.MkAbs(args[0]), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		switch name := d.Name(); {
		case d.IsDir() && (name == "tool-results" || name == "memory"):
			return fs.SkipDir
		case d.IsDir() || filepath.Ext(name) != ".jsonl" || name == "journal.jsonl":
			return nil
		}
		want, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := ts.Exec("warehouse", "restore", path); err != nil {
			return fmt.Errorf("restore %s: %w", path, err)
		}
		if got := []byte(ts.ReadFile("stdout")); !bytes.Equal(got, want) {
			return fmt.Errorf("restore %s: got %d bytes, want %d, or they differ", path, len(got), len(want))
		}
		n++
		return nil
	})
	ts.Check(err)
	fmt.Fprintln(ts.Stdout(), n)
}
