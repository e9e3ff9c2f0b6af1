package warehouse

import (
	"context"
	"database/sql"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Forgetting: lines leave the warehouse for good, and stay out though their files are still there.
//
// The rules are:
//
//   - What is forgotten is a rule: a host, a session, a file, or a time before which lines go. It is
//     stored (table forgotten) and holds for all that is read later, until it is lifted.
//   - The file is written anew from the lines that stay, and published without a second copy: in
//     the next moment no file of the warehouse holds the others. Deleting rows would leave their
//     bytes in free blocks.
//   - A file that a rule names by host, path or session is not opened again: the scan finds it and
//     the catalogue says ignored. Of other files each line is judged when it is read, in memory,
//     before it reaches the database (leaveOut).
//   - A session is all that reading it shows: its own lines, and all of the files named for it.
//   - A file some of whose lines are kept out is a file with gaps: restore says so.
//   - hash_state holds the last bytes of what was read of a file; where they are of a line that is
//     kept out it is not stored, and the file is read from its start when it grows.
//   - Lifting a rule reads again what it kept out, where the files are still there. What it took
//     out of the warehouse itself does not come back.
//   - Transcripts are not touched, but for the imported tree of a host that is forgotten.
//
// Deliberately not done: what a filesystem keeps of a deleted file, and what a reader still has
// open, is out of reach.

//go:embed sql/forget_lines.sql
var forgetLinesSQL string

//go:embed sql/forget_files.sql
var forgetFilesSQL string

// RuleKind says what a Rule names.
type RuleKind string

// The kinds of rules.
const (
	ForgetHost    RuleKind = "host"
	ForgetSession RuleKind = "session"
	ForgetFile    RuleKind = "file"
	ForgetBefore  RuleKind = "before"
)

// Rule keeps lines out of the warehouse.
type Rule struct {
	Kind  RuleKind  `json:"kind"`
	Value string    `json:"value"` // label, session id, path, or time in RuleTime's form
	Host  *string   `json:"host"`  // of a time: only lines of this host; nil for all
	At    time.Time `json:"-"`     // when it was asked for
	Files int64     `json:"-"`     // files that lost lines then
	Lines int64     `json:"-"`     // lines that went then
}

// RuleTime is a time as the Value of a ForgetBefore.
func RuleTime(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05.999999+00") }

// Same tells whether two rules keep out the same lines.
func (r Rule) Same(o Rule) bool {
	return r.Kind == o.Kind && r.Value == o.Value && orZero(r.Host) == orZero(o.Host)
}

// String says what the rule names.
func (r Rule) String() string {
	text := string(r.Kind) + " " + r.Value
	if r.Kind == ForgetBefore {
		text = "lines before " + r.Value
	}
	if r.Host != nil {
		text += " of host " + *r.Host
	}
	return text
}

// rules are those in force.
type rules []Rule

func (rs rules) has(kind RuleKind, value string) bool {
	return slices.ContainsFunc(rs, func(r Rule) bool { return r.Kind == kind && r.Value == value })
}

// host tells whether all of a host is kept out.
func (rs rules) host(label string) bool { return rs.has(ForgetHost, label) }

// path tells whether a file is kept out by what its path says.
func (rs rules) path(path, sessionID string) bool {
	return rs.has(ForgetFile, path) || sessionID != "" && rs.has(ForgetSession, sessionID)
}

// Forgotten lists the rules, the latest first.
func (r *Reader) Forgotten(ctx context.Context) ([]Rule, error) {
	return readRules(ctx, r.conn, r.Meta)
}

func readRules(ctx context.Context, c *sql.Conn, m Meta) ([]Rule, error) {
	if m.Version < 2 {
		return nil, nil // there is no such table
	}
	rows, err := c.QueryContext(ctx, `SELECT kind, value, host, forgotten_at, forgotten_files, forgotten_lines FROM main.forgotten
		ORDER BY forgotten_at DESC, kind, value, host`)
	if err != nil {
		return nil, fmt.Errorf("forgotten: %w", engineError(err))
	}
	defer rows.Close()
	var out []Rule
	for rows.Next() {
		var r Rule
		if err := rows.Scan(&r.Kind, &r.Value, &r.Host, &r.At, &r.Files, &r.Lines); err != nil {
			return nil, fmt.Errorf("forgotten: %w", err)
		}
		out = append(out, r)
	}
	return out, rows.Err()
}

// changeRules puts the rules together that hold from this refresh on.
func (r *refresh) changeRules(stored []Rule, now time.Time) error {
	r.rules, r.newRules = slices.Clone(stored), nil
	for _, rule := range r.Forget {
		if !slices.ContainsFunc(r.rules, rule.Same) {
			rule.At = now.UTC().Truncate(time.Microsecond)
			r.newRules = append(r.newRules, rule)
		}
	}
	for _, rule := range r.Lift {
		n := len(r.rules)
		if r.rules = slices.DeleteFunc(r.rules, rule.Same); len(r.rules) == n {
			return WithHint(fmt.Errorf("%w: nothing is kept out by %s", ErrNotFound, rule), "list what is: warehouse forget --list")
		}
	}
	r.rules = append(r.rules, r.newRules...)
	r.rulesChange = len(r.newRules)+len(r.Lift) > 0
	return nil
}

// heedRules marks what the scan found of files that are kept out, and leaves hosts that are out of
// it. It returns the roots that are read.
func (r *refresh) heedRules(t *tree) (roots []Root) {
	for _, root := range r.Roots {
		if !r.rules.host(root.Host) {
			roots = append(roots, root)
		} else if exists(root.Path) && len(r.newRules) == 0 {
			r.warn(fmt.Sprintf("%s is not read: host %s was forgotten; undo it with: warehouse forget --undo --host %[2]s", root.Path, root.Host))
		}
	}
	if len(r.rules) == 0 {
		return roots
	}
	t.files = slices.DeleteFunc(t.files, func(f found) bool { return r.rules.host(f.root.Host) })
	for i := range t.files {
		f := &t.files[i]
		if f.status == statusOK && r.rules.path(f.path, f.sessionID) {
			f.status, f.reason = statusIgnored, "forgotten"
		}
	}
	return roots
}

// gaps is what rules take of a file.
type gaps struct {
	path  string
	lines int64 // with a line end
	bytes int64 // of these
	tail  bool  // what is behind the last line end
	end   bool  // hash_state would hold bytes of it
}

func (f *indexedFile) add(g gaps) {
	f.ignoredLines += g.lines
	f.ignoredBytes += g.bytes
	f.ignoredTail = f.ignoredTail || g.tail
	f.endIgnored = g.end
}

// judge finds the lines that new rules take, before anything is written, and notes it in the
// catalogue that was read.
func (r *refresh) judge(ctx context.Context, reader *Reader) error {
	if len(r.newRules) == 0 {
		return nil
	}
	for i := range r.newRules {
		rule := &r.newRules[i]
		plan, err := reader.gapsOf(ctx, []Rule{*rule})
		if err != nil {
			return err
		}
		rule.Files, rule.Lines = 0, 0
		for _, g := range plan {
			rule.Files++
			rule.Lines += g.lines
			if g.tail {
				rule.Lines++
			}
		}
	}
	copy(r.rules[len(r.rules)-len(r.newRules):], r.newRules)
	all, err := reader.gapsOf(ctx, r.newRules)
	if err != nil {
		return err
	}
	for _, g := range all {
		f := r.pub.files[g.path]
		before := f.storedLines()
		f.add(g)
		f.isJudged = true
		r.pub.files[g.path] = f
		r.sum.Forgotten += before - f.storedLines()
	}
	return nil
}

// gapsOf says what rules take of each file. Lines that are out already are not counted.
func (r *Reader) gapsOf(ctx context.Context, rules []Rule) ([]gaps, error) {
	if err := r.doom(ctx, rules); err != nil {
		return nil, err
	}
	var out []gaps
	err := r.each(ctx, forgetFilesSQL, func(scan func(...any) error) error {
		var g gaps
		if err := scan(&g.path, &g.lines, &g.bytes, &g.tail, &g.end); err != nil {
			return err
		}
		out = append(out, g)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("forget: %w", err)
	}
	return out, nil
}

// doom makes the temporary table doomed_lines of the lines that rules take.
func (r *Reader) doom(ctx context.Context, rules []Rule) error {
	err := r.set(ctx, "rules", jsonText(rules))
	if err == nil {
		_, err = r.conn.ExecContext(ctx, "CREATE OR REPLACE TEMP TABLE doomed_lines AS "+forgetLinesSQL)
	}
	if err != nil {
		return fmt.Errorf("forget: %w", engineError(err))
	}
	return nil
}

// Forget makes the rules hold, writes the warehouse without the lines they name, and reads what is
// new on the way, as a refresh does. It returns ErrLocked where another one runs for too long.
func Forget(ctx context.Context, opt RefreshOptions, rules []Rule) (Summary, error) {
	opt.Forget = rules
	sum, err := Refresh(ctx, opt)
	if err != nil {
		return sum, err
	}
	for _, rule := range rules {
		if rule.Kind == ForgetHost {
			err = errors.Join(err, opt.Layout.removeImport(rule.Value))
		}
	}
	if err != nil {
		return sum, WithHint(fmt.Errorf("the warehouse has forgotten it, but the imported tree is not gone: %w", err),
			"remove it by hand, or try again: warehouse forget --host "+rules[0].Value)
	}
	return sum, nil
}

// Moment reads a time: 90d and the like before now, a date or a time in a zone, or one that names
// its own.
func Moment(text string, loc *time.Location, now time.Time) (time.Time, error) {
	if relative.MatchString(text) {
		return time.Parse("2006-01-02 15:04:05.999999-07", moment(text, false, now))
	}
	for _, form := range []string{time.DateOnly, "2006-01-02 15:04", time.DateTime, "2006-01-02T15:04", "2006-01-02T15:04:05"} {
		if at, err := time.ParseInLocation(form, text, loc); err == nil {
			return at, nil
		}
	}
	for _, form := range []string{time.RFC3339Nano, "2006-01-02 15:04:05.999999-07"} {
		if at, err := time.Parse(form, text); err == nil {
			return at, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time", text)
}
