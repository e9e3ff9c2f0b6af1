package warehouse

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"warehouse/migrations"
)

// write makes the standby the next state of the warehouse.
func (r *refresh) write(ctx context.Context, start time.Time) (err error) {
	generation := r.pub.meta.Generation + 1
	w, err := r.openStandby(ctx)
	if err != nil {
		return err
	}
	defer func() {
		if w != nil {
			err = errors.Join(err, w.close())
		}
	}()
	set := r.set
	if !r.viewsFresh && !r.viewsSame() {
		set = nil
	}
	if err := w.judging(ctx, r.rules); err != nil {
		return err
	}
	rows, err := w.withStager(ctx, set, func(ctx context.Context, s *stager) error { return r.produce(ctx, s, generation) })
	if err != nil {
		return err
	}
	r.sum.RowsWritten = rows
	if err := r.countLeftOut(ctx, w); err != nil {
		return err
	}
	changed, gone, dead := r.settle(generation, start)
	if _, err := w.remove(ctx, set, dead); err != nil {
		return err
	}
	if err := w.writeCatalogue(ctx, changed, gone); err != nil {
		return err
	}
	if set == nil {
		r.sum.ViewsRebuilt = true
		if err := w.rebuild(ctx, r.set); err != nil {
			return err
		}
	}
	if err := r.deriveRest(ctx, w); err != nil {
		return err
	}
	if err := r.writeSmall(ctx, w, generation, start); err != nil {
		return err
	}
	for _, path := range gone {
		delete(r.pub.files, path)
	}
	for _, f := range changed {
		r.pub.files[f.path] = f
	}
	r.total(r.pub.files)
	r.sum.Generation = generation
	if err := w.exec(ctx, "CHECKPOINT w"); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	sparse, err := w.mostlyFree(ctx)
	if err != nil {
		return err
	}
	err = w.close()
	w = nil
	if err != nil {
		return err
	}
	if exists(r.Layout.Standby + ".wal") {
		return errors.New("checkpoint: a log is left beside the standby")
	}
	if sparse {
		// The state is whole without it; a disk with no room for a third copy is no reason to fail.
		if err := r.compact(ctx, generation, start); err != nil {
			if ctx.Err() != nil {
				return err
			}
			r.sum.Warnings = append(r.sum.Warnings, fmt.Sprintf("the file is mostly free blocks and could not be made smaller: %v", err))
			if err := r.Layout.tidy(); err != nil {
				return err
			}
		}
	}
	return os.RemoveAll(r.Layout.spill())
}

// compact writes the standby anew, without its free blocks.
func (r *refresh) compact(ctx context.Context, generation int64, start time.Time) error {
	w, err := r.freshFile(ctx, r.Layout.copying(), r.Layout.Standby)
	if err != nil {
		return err
	}
	err = r.deriveRest(ctx, w)
	if err == nil {
		err = r.writeSmall(ctx, w, generation, start)
	}
	if err == nil {
		err = w.exec(ctx, "CHECKPOINT w")
	}
	if err := errors.Join(err, w.close()); err != nil {
		return err
	}
	r.sum.Compacted = true
	return os.Rename(r.Layout.copying(), r.Layout.Standby)
}

// produce reads the candidates one after the other and stages their lines. One reader is enough:
// framing is an order of magnitude faster than what DuckDB does with the lines meanwhile.
func (r *refresh) produce(ctx context.Context, s *stager, generation int64) error {
	var total, done int64
	for _, c := range r.plan.candidates {
		total += c.found.size
	}
	var buf []byte
	for i := range r.plan.candidates {
		c := &r.plan.candidates[i]
		o, err := readFile(ctx, *c, generation, &buf, func(l line) error {
			return s.add(ctx, stage(&c.found, generation, l))
		})
		if err != nil {
			return err
		}
		r.outcomes = append(r.outcomes, o)
		done += c.found.size
		if r.Progress != nil {
			r.Progress(done, total)
		}
	}
	return nil
}

// settle turns what happened into catalogue changes and rows to remove.
func (r *refresh) settle(generation int64, now time.Time) (changed []indexedFile, gone []string, dead []doomed) {
	before := generation - 1
	for i, o := range r.outcomes {
		c := r.plan.candidates[i]
		if o.opened {
			r.sum.FilesOpened++
		}
		r.sum.BytesRead += o.bytes
		r.sum.BytesChecked += o.checked
		if o.row.path == "" {
			continue
		}
		changed = append(changed, o.row)
		switch o.change {
		case added:
			r.sum.Added++
		case replaced:
			r.sum.Replaced++
			dead = append(dead, doomed{path: o.row.path, upTo: before})
		case failed:
			dead = append(dead, doomed{path: o.row.path, from: generation, upTo: generation})
		case appended, touched:
			if o.change == appended {
				r.sum.Appended++
			} else {
				r.sum.Unchanged++
			}
			if c.known.tailBytes > 0 {
				dead = append(dead, doomed{path: o.row.path, fromLine: c.known.consumedLines + 1, upTo: before})
			}
		}
	}
	for _, f := range r.plan.records {
		f.generation = generation
		if f.vanishedAt.Valid && f.vanishedAt.Time.IsZero() {
			f.vanishedAt.Time = now.UTC().Truncate(time.Microsecond)
			r.sum.VanishedLines += f.storedLines()
		}
		changed = append(changed, f)
	}
	for _, f := range r.plan.gone {
		gone = append(gone, f.path)
		if f.hasLines() {
			r.sum.VanishedLines += f.storedLines()
			dead = append(dead, doomed{path: f.path, upTo: before})
		}
	}
	for _, f := range r.plan.forgotten {
		gone = append(gone, f.path)
		if f.hasLines() {
			dead = append(dead, doomed{path: f.path, upTo: before})
		}
	}
	return changed, gone, dead
}

// deriveRest fills the seeded tables, then the keyed ones, which read them, and the word index.
func (r *refresh) deriveRest(ctx context.Context, w *writer) error {
	if r.seedStale() {
		// One after the other, since each may need all the memory there is.
		if err := w.seed(ctx, r.set, r.settings); err != nil {
			return err
		}
		if err := r.deriveKeyed(ctx, w, true); err != nil {
			return err
		}
		return r.index(ctx, w, r.standbyFrom)
	}
	second, err := w.beside(ctx)
	if err != nil {
		return err
	}
	defer second.conn.Close()
	derived := make(chan error, 1)
	go func() { derived <- r.deriveKeyed(ctx, second, false) }()
	err = r.index(ctx, w, r.standbyFrom)
	if keyed := <-derived; err == nil {
		err = keyed
	}
	return err
}

// writeSmall stores hosts and settings and says that the file is complete.
func (r *refresh) writeSmall(ctx context.Context, w *writer, generation int64, now time.Time) error {
	var statements []string
	for _, root := range r.read {
		statements = append(statements, fmt.Sprintf(`INSERT INTO w.main.hosts SELECT %[1]s, %[2]s, %[3]d
			WHERE NOT EXISTS (FROM w.main.hosts WHERE host = %[1]s AND root = %[2]s)`, quote(root.Host), quote(root.Path), generation))
	}
	var settings []string
	for _, name := range slices.Sorted(maps.Keys(r.settings)) {
		settings = append(settings, "("+quote(name)+", "+quote(r.settings[name])+")")
	}
	asked := "(VALUES " + strings.Join(settings, ", ") + ") AS now(name, value)"
	statements = append(statements,
		"DELETE FROM w.main.settings AS old USING "+asked+" WHERE old.name = now.name AND old.value <> now.value",
		fmt.Sprintf("INSERT INTO w.main.settings SELECT name, value, %d FROM %s WHERE value <> '' AND name NOT IN (SELECT name FROM w.main.settings)", generation, asked))
	statements = append(statements, r.storeRules(generation)...)
	statements = append(statements,
		fmt.Sprintf(`UPDATE w.main.index_meta SET version = %d, generation = %d, refreshed_at = %s::TIMESTAMPTZ,
			import_hash = %s, views_hash = %s, index_hash = %s, is_complete = true`, migrations.Version, generation,
			quote(now.UTC().Format("2006-01-02 15:04:05.000000+00")), quote(r.set.ImportHash()), quote(r.set.ViewsHash()), quote(indexHash(r.set))))
	if err := w.whole(ctx, statements...); err != nil {
		return fmt.Errorf("state: %w", err)
	}
	return nil
}
