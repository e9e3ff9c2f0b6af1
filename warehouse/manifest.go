package warehouse

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// What is known of an imported tree besides the tree: a small JSON file beside it, imports/<label>.json.
//
// The rules are:
//
//   - It lies beside the tree, not in it, so that a program that mirrors the tree leaves it alone; and
//     not in the database, so that what a person chose holds at once, in copies that are open too.
//   - Egress says whether the text of the host may leave: through search, read and reports that export
//     text. Only "allowed" allows it. No manifest, or one that cannot be read: blocked. Text of this
//     machine is never kept back.

// The values of Manifest.Egress.
const (
	EgressBlocked = "blocked"
	EgressAllowed = "allowed"
)

// Manifest describes an imported tree.
type Manifest struct {
	Host       string    `json:"host"`
	Agent      string    `json:"agent"`
	Source     string    `json:"source"`               // folder it is copied from, or user@host:folder; empty where others put it there
	IsCopied   bool      `json:"is_copied"`            // import copies it; else another program does
	StartedAt  time.Time `json:"started_at"`           // when the last import began
	ImportedAt time.Time `json:"imported_at,omitzero"` // when the last one that came to its end began
	Files      int64     `json:"files"`                // transcripts in the tree
	Bytes      int64     `json:"bytes"`
	KeptFiles  int64     `json:"kept_files"` // of these, those that are not at the source any more
	Egress     string    `json:"egress"`
}

// Interrupted tells whether the last import did not come to its end.
func (m Manifest) Interrupted() bool { return m.StartedAt.After(m.ImportedAt) }

// CheckLabel refuses what cannot name another machine.
func CheckLabel(label string) error {
	switch {
	case label == "":
		return errors.New("host label is empty")
	case label == LocalHost:
		return WithHint(fmt.Errorf("host label %q is this machine", label), "its transcripts are read without an import: warehouse refresh")
	}
	for _, r := range label {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_') {
			return fmt.Errorf("host label %q is not letters, digits, - and _ alone", label)
		}
	}
	return nil
}

// tree is where the transcripts of a host lie.
func (l Layout) tree(label string) string { return filepath.Join(l.Imports, label) }

func (l Layout) manifest(label string) string { return l.tree(label) + ".json" }

// ReadManifest returns ErrNotFound where the host has none.
func (l Layout) ReadManifest(label string) (Manifest, error) {
	path := l.manifest(label)
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Manifest{}, fmt.Errorf("%w: no manifest of host %q", ErrNotFound, label)
	}
	if err != nil {
		return Manifest{}, err
	}
	m := Manifest{}
	dec := json.NewDecoder(bytes.NewReader(b))
	if err := dec.Decode(&m); err != nil {
		return Manifest{}, WithHint(fmt.Errorf("manifest %q: %w", path, err), "move it away and register the tree again: warehouse import --host "+label)
	}
	if m.Host != label {
		return Manifest{}, fmt.Errorf("manifest %q: host is %q, want %q", path, m.Host, label)
	}
	return m, nil
}

func (l Layout) writeManifest(m Manifest) error {
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	path := l.manifest(m.Host)
	tmp := filepath.Join(l.Imports, "."+m.Host+".json.tmp")
	if err := os.WriteFile(tmp, append(b, '\n'), 0o600); err != nil {
		return fmt.Errorf("manifest: %w", err)
	}
	if err := os.Rename(tmp, path); err != nil {
		return fmt.Errorf("manifest: %w", err)
	}
	return nil
}

// Labels lists the hosts that have a tree or a manifest under imports, in order.
func (l Layout) Labels() ([]string, error) {
	entries, err := os.ReadDir(l.Imports)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var labels []string
	for _, e := range entries {
		label := e.Name()
		if !e.IsDir() {
			var isManifest bool
			if label, isManifest = strings.CutSuffix(label, ".json"); !isManifest {
				continue
			}
		}
		if CheckLabel(label) == nil {
			labels = append(labels, label)
		}
	}
	slices.Sort(labels)
	return slices.Compact(labels), nil
}

// EgressHosts lists the hosts whose text may leave: this one, and those that are allowed.
func (l Layout) EgressHosts() ([]string, error) {
	labels, err := l.Labels()
	if err != nil {
		return nil, err
	}
	hosts := []string{LocalHost}
	for _, label := range labels {
		if m, err := l.ReadManifest(label); err == nil && m.Egress == EgressAllowed {
			hosts = append(hosts, label)
		}
	}
	return hosts, nil
}

// SetEgress stores whether the text of a host may leave. It returns ErrNotFound for a host that has
// no tree; one that other programs brought gets its manifest here.
func (l Layout) SetEgress(label, egress string) error {
	if err := CheckLabel(label); err != nil {
		return err
	}
	if egress != EgressAllowed && egress != EgressBlocked {
		return fmt.Errorf("egress is %s or %s, not %q", EgressAllowed, EgressBlocked, egress)
	}
	unlock, err := l.lockImports()
	if err != nil {
		return err
	}
	defer unlock()
	m, err := l.ReadManifest(label)
	if errors.Is(err, ErrNotFound) && isFolder(l.tree(label)) {
		m, err = l.registered(label, "")
	}
	if err != nil {
		return WithHint(err, "list them: warehouse hosts")
	}
	m.Egress = egress
	return l.writeManifest(m)
}

func isFolder(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}
