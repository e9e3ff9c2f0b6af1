package warehouse

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"warehouse/warehouse/source/claude"
)

// op is one thing that can happen to a tree. run returns false where it cannot happen now.
type op struct {
	name   string
	weight int
	run    func(w *world) bool
}

// changeByte changes one letter, mostly where only a comparison of the whole sees it.
func changeByte(w *world, content string) (string, bool) {
	if len(content) == 0 {
		return content, false
	}
	b := []byte(content)
	for i := len(b)/2 + w.rng.IntN(len(b)/2+1); i < len(b); i++ {
		if b[i] >= 'a' && b[i] < 'z' {
			b[i]++
			return string(b), true
		}
	}
	return content, false
}

// treeOps is what programs and people do to transcripts.
var treeOps = []op{
	{"new session", 3, func(w *world) bool {
		// The long ones have a middle that no window looks at.
		path := w.newSession()
		w.put(path, w.lines(path, pick(w, 1, 2, 3, 15)))
		return true
	}},
	{"append", 8, func(w *world) bool {
		path := w.some()
		w.add(path, w.lines(path, 1+w.rng.IntN(2)))
		return true
	}},
	{"append other records", 4, func(w *world) bool {
		path := w.some()
		w.add(path, w.other(path)+w.result(path))
		return true
	}},
	{"append half a line", 4, func(w *world) bool {
		path := w.some()
		line := strings.TrimSuffix(w.lines(path, 1), "\n")
		line = line[strings.LastIndex(line, "\n")+1:]
		at := w.rng.IntN(len(line))
		w.add(path, line[:at])
		w.rest[path] = line[at:] + "\n"
		return true
	}},
	{"complete the line", 4, func(w *world) bool {
		for _, path := range slices.Sorted(maps.Keys(w.rest)) {
			rest := w.rest[path]
			delete(w.rest, path)
			if exists(path) {
				w.add(path, rest)
				return true
			}
		}
		return false
	}},
	{"append without a newline", 3, func(w *world) bool {
		path := w.some()
		w.add(path, strings.TrimSuffix(w.lines(path, 1), "\n"))
		return true
	}},
	{"append a newline", 2, func(w *world) bool { w.add(w.some(), "\n"); return true }},
	{"append broken lines", 4, func(w *world) bool {
		path := w.some()
		w.add(path, w.broken(path)+w.lines(path, 1)+w.broken(path))
		return true
	}},
	{"rewrite", 3, func(w *world) bool {
		path := w.some()
		w.put(path, w.lines(path, 1+w.rng.IntN(3)))
		return true
	}},
	{"rewrite in the same size", 3, func(w *world) bool {
		path := w.some()
		old := w.read(path)
		changed := strings.NewReplacer("Bash", "Read", "Read", "Bash", `"output_tokens":4`, `"output_tokens":9`, "test", "toast"[:4], "main", "side").Replace(old)
		w.put(path, changed)
		return changed != old
	}},
	{"change one byte", 3, func(w *world) bool {
		path := w.some()
		b, changed := changeByte(w, w.read(path))
		w.put(path, b)
		return changed
	}},
	{"replace by rename, one byte changed and grown", 2, func(w *world) bool {
		path := w.some()
		b, changed := changeByte(w, w.read(path))
		w.put(path+".tmp", b+w.lines(path, 1))
		return os.Rename(path+".tmp", path) == nil && changed
	}},
	{"replace by rename, grown", 3, func(w *world) bool {
		path := w.some()
		w.put(path+".tmp", w.read(path)+w.lines(path, 1))
		return os.Rename(path+".tmp", path) == nil
	}},
	{"replace by rename, other content", 2, func(w *world) bool {
		path := w.some()
		w.put(path+".tmp", w.lines(path, 2))
		delete(w.rest, path)
		return os.Rename(path+".tmp", path) == nil
	}},
	{"truncate", 3, func(w *world) bool {
		path := w.some()
		old := w.read(path)
		if len(old) == 0 {
			return false
		}
		w.put(path, old[:w.rng.IntN(len(old))])
		return true
	}},
	{"truncate to a line end and grow again", 4, func(w *world) bool {
		path := w.some()
		old := w.read(path)
		kept := w.cut(old)
		for grown := kept; ; {
			if grown += w.lines(path, 1); len(grown) > len(old) || w.rng.IntN(3) == 0 {
				w.put(path, grown)
				return true
			}
		}
	}},
	{"empty", 1, func(w *world) bool { w.put(w.some(), ""); return true }},
	{"delete", 3, func(w *world) bool {
		path := w.removable()
		return path != "" && os.Remove(path) == nil
	}},
	{"rename", 3, func(w *world) bool {
		path, to := w.removable(), w.newSession()
		if path == "" {
			return false
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			w.t.Fatal(err)
		}
		return os.Rename(path, to) == nil
	}},
	{"rename over another", 1, func(w *world) bool {
		from, to := w.removable(), w.some()
		return from != "" && from != to && os.Rename(from, to) == nil
	}},
	{"resume by copying", 5, func(w *world) bool {
		from, to := w.some(), w.newSession()
		old, _ := claude.Identity(from)
		session, _ := claude.Identity(to)
		copied := w.cut(w.read(from))
		if old != "" {
			copied = strings.ReplaceAll(copied, `"sessionId":"`+old+`"`, `"sessionId":"`+session+`"`)
		}
		if w.rng.IntN(2) == 0 {
			copied = timestamps.ReplaceAllStringFunc(copied, func(string) string { return `"timestamp":"` + w.now() + `"` })
		}
		w.put(to, copied+w.lines(to, w.rng.IntN(2)))
		return copied != ""
	}},
	{"replay in a sub-agent", 5, func(w *world) bool {
		from := w.some()
		session, agentID := claude.Identity(from)
		lines := w.assistantLines(w.read(from))
		if lines == nil || session == "" || agentID != "" {
			return false
		}
		to := filepath.Join(strings.TrimSuffix(from, ".jsonl"), "subagents", w.id("agent-a")+".jsonl")
		_, agentID = claude.Identity(to)
		request := w.id("req_")
		var out strings.Builder
		for _, l := range lines {
			l = requestIDs.ReplaceAllString(l, `"requestId":"`+request+`"`)
			if w.rng.IntN(2) == 0 {
				l = uuids.ReplaceAllString(l, `"uuid":"`+w.id("uuid-")+`"`)
			}
			l = strings.Replace(l, `"isSidechain":false`, `"isSidechain":true,"agentId":"`+agentID+`"`, 1)
			out.WriteString(l + "\n")
		}
		w.put(to, out.String()+w.lines(to, w.rng.IntN(2)))
		return true
	}},
	{"copy lines within a file", 2, func(w *world) bool {
		path := w.some()
		lines := w.assistantLines(w.read(path))
		if lines == nil {
			return false
		}
		w.add(path, "\n"+strings.Join(lines, "\n")+"\n")
		return true
	}},
	{"hard link", 3, func(w *world) bool {
		from := w.some()
		to := filepath.Join(filepath.Dir(from), w.id(pick(w, "0-", "z-"))+".jsonl")
		return os.Link(from, to) == nil
	}},
	{"touch", 3, func(w *world) bool { w.settle(w.some()); return true }},
	{"go back in time", 1, func(w *world) bool {
		path := w.some()
		past := w.clock.AddDate(0, -1, 0)
		w.add(path, w.lines(path, 1))
		return os.Chtimes(path, past, past) == nil
	}},
	{"a folder where a transcript was", 1, func(w *world) bool {
		path := w.removable()
		if path == "" || os.Remove(path) != nil {
			return false
		}
		delete(w.rest, path)
		return os.Mkdir(path, 0o700) == nil
	}},
	{"a transcript where a folder was", 2, func(w *world) bool {
		for _, root := range w.roots {
			folders, err := filepath.Glob(filepath.Join(root, "*", "*.jsonl"))
			if err != nil {
				w.t.Fatal(err)
			}
			for _, path := range folders {
				// Not empty, or a file: stays.
				if info, err := os.Stat(path); err == nil && info.IsDir() && os.Remove(path) == nil {
					w.put(path, w.lines(path, 1))
					return true
				}
			}
		}
		return false
	}},
	{"not transcripts", 1, func(w *world) bool {
		dir := filepath.Join(w.roots[0], "-home-dev-app")
		writeFile(w.t, filepath.Join(dir, "tool-results", "t.jsonl"), w.lines("t.jsonl", 1))
		writeFile(w.t, filepath.Join(dir, "memory", "m.jsonl"), w.lines("m.jsonl", 1))
		if err := os.Mkdir(filepath.Join(dir, w.id("folder-")+".jsonl"), 0o700); err != nil {
			w.t.Fatal(err)
		}
		link := filepath.Join(dir, "dangling.jsonl")
		if os.Remove(link) != nil {
			return os.Symlink("nowhere", link) == nil
		}
		return true
	}},
}
