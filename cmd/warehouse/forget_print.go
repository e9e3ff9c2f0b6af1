package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"warehouse/warehouse"
)

// forgetPrinter says what goes and what went.
type forgetPrinter struct {
	app *app
	loc *time.Location
	out io.Writer
}

// forgetMost is how many sessions and files are listed.
const forgetMost = 10

func (p forgetPrinter) line(format string, args ...any) {
	fmt.Fprintln(p.out, oneLineKept(p.app.redacted(fmt.Sprintf(format, args...))))
}

// oneLineKept is oneLine with the blanks it begins with.
func oneLineKept(s string) string {
	return s[:len(s)-len(strings.TrimLeft(s, " "))] + oneLine(s)
}

func (p forgetPrinter) plan(rule warehouse.Rule, plan warehouse.ForgetPlan) {
	what := rule.String()
	if rule.Kind == warehouse.ForgetBefore {
		what = "lines before " + p.at(rule.Value) + p.ofHost(rule)
	}
	p.line("forget %s: %s of %s, %s", what, count(plan.Lines, "line"), count(int64(len(plan.Files)), "file"), count(int64(len(plan.Sessions)), "session"))
	for i, s := range plan.Sessions {
		if i == forgetMost {
			p.line("  … and %s", count(int64(len(plan.Sessions)-i), "more session"))
			break
		}
		begun := "no time         "
		if !s.StartedAt.IsZero() {
			begun = s.StartedAt.In(p.loc).Format("2006-01-02 15:04")
		}
		host := ""
		if s.Host != warehouse.LocalHost {
			host = s.Host + ": "
		}
		p.line("  session  %s  %s  %s%s  %s", shortSession(s.ID), begun, host, count(s.Lines, "line"), s.Title)
	}
	onDisk := 0
	for i, f := range plan.Files {
		if f.OnDisk {
			onDisk++
		}
		if i < forgetMost {
			part := count(f.Lines, "line")
			if f.Lines < f.Of {
				part = thousands(f.Lines) + " of " + count(f.Of, "line")
			}
			p.line("  file     %s  %s", part, f.Path)
		}
	}
	if more := len(plan.Files) - forgetMost; more > 0 {
		p.line("  … and %s", count(int64(more), "more file"))
	}
	if plan.ImportedTree != "" {
		p.line("  and the imported tree %s, %s", plan.ImportedTree, count(plan.ImportedFiles, "transcript"))
	}
	if onDisk > 0 {
		p.line("%s on disk and will be ignored", stay(onDisk))
	}
	if plan.Copies > 0 {
		var ids []string
		for i, id := range plan.CopySessions {
			if i == 5 {
				ids = append(ids, fmt.Sprintf("%d more", len(plan.CopySessions)-i))
				break
			}
			ids = append(ids, shortSession(id))
		}
		p.line("copies of %s stay in other sessions: %s", count(plan.Copies, "record"), strings.Join(ids, ", "))
	}
}

func (p forgetPrinter) ofHost(rule warehouse.Rule) string {
	if rule.Host == nil {
		return ""
	}
	return " of host " + *rule.Host
}

// at is a rule's time as people read it.
func (p forgetPrinter) at(value string) string {
	t, err := time.Parse("2006-01-02 15:04:05.999999-07", value)
	if err != nil {
		return value
	}
	return t.In(p.loc).Format(time.DateTime) + " " + fmtZone(p.loc, "/etc/localtime")
}

func stay(files int) string {
	if files == 1 {
		return "1 file stays"
	}
	return thousands(int64(files)) + " files stay"
}

func (p forgetPrinter) done(rule warehouse.Rule, plan warehouse.ForgetPlan, sum warehouse.Summary) {
	w := p.app.stderr
	fmt.Fprintf(w, "forgot %s; the database was written anew in %.2f s and holds %s of %s\n",
		count(sum.Forgotten, "line"), sum.Seconds, count(sum.Lines, "line"), size(sum.Bytes))
	if plan.ImportedTree != "" {
		fmt.Fprintf(w, "removed %s\n", oneLine(plan.ImportedTree))
	}
	for _, warning := range sum.Warnings {
		fmt.Fprintln(w, "warning: "+oneLine(warning))
	}
	fmt.Fprintln(w, oneLine("undo, where the files are still there: warehouse forget --undo "+p.app.redacted(undoFlags(rule))))
}

// undoFlags name a rule on a command line.
func undoFlags(rule warehouse.Rule) string {
	flags := "--" + string(rule.Kind) + " " + shellQuote(rule.Value)
	if rule.Host != nil {
		flags += " --host " + shellQuote(*rule.Host)
	}
	return flags
}

// listForgotten prints the rules.
func (a *app) listForgotten(stored []warehouse.Rule, o forgetOptions) error {
	rows := &listedRows{columns: []columnInfo{
		{"kind", "VARCHAR"}, {"value", "VARCHAR"}, {"host", "VARCHAR"}, {"forgotten_at", "TIMESTAMP WITH TIME ZONE"},
		{"files", "BIGINT"}, {"lines", "BIGINT"},
	}}
	var notes []string
	for i, r := range stored {
		var host any
		if r.Host != nil {
			host = *r.Host
		}
		rows.add(string(r.Kind), r.Value, host, r.At, r.Files, r.Lines)
		if i == 0 {
			notes = append(notes, "undo one, where its files are still there: warehouse forget --undo "+undoFlags(r))
		}
	}
	return a.printSource(rows, o.outputOptions, printOptions{Notes: func() ([]string, error) { return notes, nil }})
}

// storedRule finds the rule that the flags name among those that hold.
func (o forgetOptions) storedRule(stored []warehouse.Rule, loc *time.Location) (warehouse.Rule, error) {
	var fits []warehouse.Rule
	for _, r := range stored {
		exact, begins := false, false
		switch {
		case o.session != "" && r.Kind == warehouse.ForgetSession:
			exact, begins = r.Value == o.session, strings.HasPrefix(r.Value, o.session)
		case o.file != "" && r.Kind == warehouse.ForgetFile:
			exact, begins = r.Value == o.file || sameAbs(r.Value, o.file), strings.HasSuffix(r.Value, "/"+o.file)
		case o.before != "" && r.Kind == warehouse.ForgetBefore:
			asked, err := o.beforeRule(loc)
			if err != nil {
				return asked, err
			}
			exact = r.Same(asked)
		case o.before == "" && o.host != "" && r.Kind == warehouse.ForgetHost:
			exact = r.Value == o.host
		}
		if exact {
			return r, nil
		}
		if begins {
			fits = append(fits, r)
		}
	}
	switch len(fits) {
	case 1:
		return fits[0], nil
	case 0:
		return warehouse.Rule{}, warehouse.WithHint(fmt.Errorf("%w: nothing of that name was forgotten", warehouse.ErrNotFound), "list what was: warehouse forget --list")
	}
	var hints []string
	for _, r := range fits {
		hints = append(hints, "warehouse forget --undo "+undoFlags(r))
	}
	return warehouse.Rule{}, warehouse.WithHint(usagef("forget: %d rules fit", len(fits)), hints...)
}

// sameAbs tells whether a name means a path from here.
func sameAbs(path, name string) bool {
	abs, err := filepath.Abs(name)
	return err == nil && abs == path
}
