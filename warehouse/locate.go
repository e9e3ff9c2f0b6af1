package warehouse

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"warehouse/warehouse/source/claude"
)

// LocalHost is the label of the machine the program runs on.
const LocalHost = "local"

// Layout names the files of one warehouse directory.
type Layout struct {
	Dir       string // 0700
	Published string // nobody ever writes it
	Standby   string // only the refresher opens it
	Lock      string // flock, held while a refresh runs
	Stamp     string // JSON of the last refresh
	Imports   string // other machines' trees, one folder a label
}

// Locate returns the layout: db names the published file itself, else it is warehouse.duckdb
// under $WAREHOUSE_HOME, $XDG_DATA_HOME/warehouse or ~/.local/share/warehouse.
func Locate(db string, getenv func(string) string, home string) (Layout, error) {
	if db == "" {
		dir := getenv("WAREHOUSE_HOME")
		if dir == "" {
			if data := getenv("XDG_DATA_HOME"); filepath.IsAbs(data) {
				dir = filepath.Join(data, "warehouse")
			} else if home != "" {
				dir = filepath.Join(home, ".local", "share", "warehouse")
			} else {
				return Layout{}, WithHint(errors.New("no home directory"), "set WAREHOUSE_HOME or use --db FILE")
			}
		}
		db = filepath.Join(dir, "warehouse.duckdb")
	}
	db, err := filepath.Abs(db)
	if err != nil {
		return Layout{}, err
	}
	if strings.ContainsAny(db, "?#%") {
		// It reads a file's name as a URL, and would lose "read-only" behind such a character.
		return Layout{}, WithHint(fmt.Errorf("database path %q holds one of ? # %%, which the database driver cannot take", db),
			"set WAREHOUSE_HOME or --db to another path")
	}
	dir, name := filepath.Split(db)
	prefix := ""
	if base := strings.TrimSuffix(name, filepath.Ext(name)); base != "warehouse" {
		prefix = base + "."
	}
	return Layout{
		Dir:       filepath.Clean(dir),
		Published: db,
		Standby:   filepath.Join(dir, prefix+"standby.duckdb"),
		Lock:      filepath.Join(dir, prefix+"refresh.lock"),
		Stamp:     filepath.Join(dir, prefix+"last-refresh"),
		Imports:   filepath.Join(dir, prefix+"imports"),
	}, nil
}

// spill is where DuckDB puts what does not fit into memory_limit; removed after a refresh.
func (l Layout) spill() string { return l.Standby + ".spill" }

// swap is the second name of the published file while two renames happen.
func (l Layout) swap() string { return l.Standby + ".swap" }

// Root is a folder of transcripts.
type Root struct {
	Host  string
	Agent string
	Path  string
}

// Sources returns the folders to read: this machine's, then those of imported hosts. What else lies
// among these is not read, and is in warnings.
func Sources(l Layout, getenv func(string) string, home string) (roots []Root, warnings []string, err error) {
	if roots, err = localRoots(getenv, home); err != nil {
		return nil, nil, err
	}
	entries, err := os.ReadDir(l.Imports)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].Name() < entries[j].Name() })
	for _, e := range entries {
		name, path := e.Name(), filepath.Join(l.Imports, e.Name())
		switch label, isJSON := strings.CutSuffix(name, ".json"); {
		case strings.HasPrefix(name, "."), isJSON && CheckLabel(label) == nil:
			// Ours, or a system's.
		case !e.IsDir():
			warnings = append(warnings, fmt.Sprintf("%s is not read: not a folder (%s)", path, entryKind(e)))
		case CheckLabel(name) != nil:
			warnings = append(warnings, fmt.Sprintf("%s is not read: %v", path, CheckLabel(name)))
		default:
			roots = append(roots, Root{name, claude.Agent, path})
		}
	}
	return roots, warnings, nil
}

// localRoots are the folders of this machine.
func localRoots(getenv func(string) string, home string) ([]Root, error) {
	var roots []Root
	for _, path := range claude.Roots(getenv, home) {
		path, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		roots = append(roots, Root{LocalHost, claude.Agent, path})
	}
	return roots, nil
}

func entryKind(e fs.DirEntry) string {
	switch {
	case e.Type()&fs.ModeSymlink != 0:
		return "a link"
	case e.Type().IsRegular():
		return "a file"
	}
	return kindOf(e.Type())
}
