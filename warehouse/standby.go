package warehouse

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"warehouse/migrations"
	"warehouse/schema"
)

// The standby: the file a refresh writes.
//
// It is the file that was published before the last refresh, so it lacks what that one did. Only
// raw, the catalogue, hosts, settings and rules are durable, and each of their rows carries the
// generation that wrote it, so catching up is: drop what newer generations replaced, copy their
// rows, derive from those. The same copy from generation 0 into a new file is how a changed
// projection is applied (each line is projected again) and how a file that is mostly free blocks
// is made small (DuckDB never gives space back).

// published is what the refresh knows of the published file before it writes.
type published struct {
	exists   bool
	meta     Meta
	files    map[string]indexedFile
	settings map[string]string
	rules    []Rule
}

// inspect reads the published file, looks at the sources meanwhile, compares and closes it again.
func (r *refresh) inspect(ctx context.Context, now time.Time) (err error) {
	var t tree
	scanned := make(chan error, 1)
	go func() {
		var err error
		t, err = scan(ctx, r.Roots)
		scanned <- err
	}()
	r.pub = published{files: map[string]indexedFile{}, settings: map[string]string{}}
	if exists(r.Layout.Published) {
		open := func() (*Reader, error) {
			return OpenReadOnly(ctx, r.Layout.Published, ReadOptions{AllowStale: true, allowIncomplete: true})
		}
		reader, err := open()
		if !errors.Is(err, ErrLocked) && exists(r.Layout.Published+".wal") {
			// What somebody wrote into the published file shows through its log, or spoils it. They
			// have gone, or the file would be locked.
			if err == nil {
				reader.Close()
			}
			if err := r.dropLog(); err != nil {
				return err
			}
			reader, err = open()
		}
		if err != nil {
			return err
		}
		defer reader.Close()
		r.sum.DatabaseOpens++
		r.pub.exists, r.pub.meta = true, reader.Meta
		if r.pub.files, err = readCatalogue(ctx, reader.conn); err != nil {
			return err
		}
		if r.pub.settings, err = readSettings(ctx, reader.conn); err != nil {
			return err
		}
		if r.pub.rules, err = readRules(ctx, reader.conn, reader.Meta); err != nil {
			return err
		}
		if err := r.changeRules(r.pub.rules, now); err != nil {
			return err
		}
		if err := r.judge(ctx, reader); err != nil {
			return err
		}
		defer func() {
			if err == nil && !r.plan.empty() {
				err = r.plan.addHashes(ctx, reader.conn)
			}
			if err == nil && r.Verify {
				r.verify()
			}
		}()
	}
	r.settings = map[string]string{}
	for name := range settingValues {
		r.settings[name] = setting(r.pub.settings, name)
		if asked, ok := r.asked()[name]; ok {
			r.settingsChange = r.settingsChange || asked != r.settings[name]
			r.settings[name] = asked
		}
	}
	if err := r.readOwn(r.pub.settings); err != nil {
		return err
	}
	for name, value := range r.own {
		r.settingsChange = r.settingsChange || value != r.pub.settings[name]
		r.settings[name] = value
	}
	if !r.pub.exists {
		if err := r.changeRules(nil, now); err != nil {
			return err
		}
	}
	if err := <-scanned; err != nil {
		return err
	}
	keep := r.settings["retention"] == "keep"
	r.read = r.heedRules(&t)
	r.plan = compare(t, r.read, r.pub.files, planOptions{keep: keep, verify: r.Verify, rules: r.rules, lifted: len(r.Lift) > 0})
	r.sum.Scanned, r.sum.Unchanged = r.plan.scanned, r.plan.unchanged
	r.sum.Vanished, r.sum.Kept = r.plan.vanished, keep
	r.sum.Warnings = append(r.sum.Warnings, r.plan.warnings...)
	return nil
}

// verify takes files that are what they were off the plan, so that finding that changes nothing.
// Those with a tail stay: the tail is read again.
func (r *refresh) verify() {
	var left []candidate
	for _, c := range r.plan.candidates {
		if !c.unchangedBytes(&r.sum) {
			left = append(left, c)
		} else {
			r.plan.unchanged++
		}
	}
	r.plan.candidates = left
	r.sum.Unchanged = r.plan.unchanged
}

// dropLog removes a log beside the published name. It belongs to the file it was written for and
// must be read neither now nor into the next file.
func (r *refresh) dropLog() error {
	wal := r.Layout.Published + ".wal"
	if !exists(wal) {
		return nil
	}
	r.sum.Warnings = append(r.sum.Warnings, fmt.Sprintf("removed %s: somebody opened the published file for writing, and what they wrote is gone", wal))
	return removeIfThere(wal)
}

// openStandby returns a writer on a standby that holds everything the published file does, or
// nothing where there is none. Its index_meta says that it is not complete.
func (r *refresh) openStandby(ctx context.Context) (*writer, error) {
	if !r.pub.exists || r.pub.meta.ImportHash != r.set.ImportHash() || !r.pub.meta.Complete || len(r.newRules) > 0 {
		return r.freshFile(ctx, r.Layout.Standby, r.Layout.Published)
	}
	w, meta, err := r.reuseStandby(ctx)
	if err != nil {
		return nil, err
	}
	if w == nil {
		if err := r.Layout.copyPublished(); err != nil {
			return nil, err
		}
		if w, err = r.open(ctx, r.Layout.Standby); err != nil {
			return nil, err
		}
		meta = r.pub.meta
	}
	w.indexed, r.standbyFrom = r.indexSame(), meta.Generation
	err = w.begin(ctx)
	if err == nil && meta.Version != migrations.Version {
		err = w.migrate(ctx)
	}
	if err == nil {
		err = w.vacuumNow(ctx, r.pub.meta.Generation+1)
	}
	if err == nil {
		r.inStandby, err = readSettings(ctx, w.conn)
	}
	if err == nil && meta.Generation < r.pub.meta.Generation {
		err = r.catchUp(ctx, w, meta.Generation)
	}
	if err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

// reuseStandby opens the standby where it can be brought up to date, else it returns nil.
func (r *refresh) reuseStandby(ctx context.Context) (*writer, Meta, error) {
	path := r.Layout.Standby
	if !exists(path) || exists(path+".wal") || heldOpen(path) {
		return nil, Meta{}, nil
	}
	w, err := r.open(ctx, path)
	if err != nil {
		if ctx.Err() != nil {
			return nil, Meta{}, ctx.Err()
		}
		return nil, Meta{}, nil // damaged, or still locked by a reader
	}
	meta, err := readMeta(ctx, w.conn, "w")
	if err != nil || meta.ID != r.pub.meta.ID || meta.Version != migrations.Version || !meta.Complete ||
		meta.ImportHash != r.pub.meta.ImportHash || meta.ViewsHash != r.pub.meta.ViewsHash || meta.IndexHash != r.pub.meta.IndexHash ||
		meta.Generation > r.pub.meta.Generation {
		return nil, Meta{}, w.close()
	}
	return w, meta, nil
}

func (r *refresh) open(ctx context.Context, path string) (*writer, error) {
	r.sum.DatabaseOpens++
	return openWriter(ctx, path, r.Layout.spill(), r.MemoryLimit)
}

// begin says that the file is not complete, before anything else is written.
func (w *writer) begin(ctx context.Context) error {
	return w.exec(ctx, "UPDATE w.main.index_meta SET is_complete = false")
}

// vacuumEvery is how many refreshes the small row groups that appends leave wait to be merged.
const vacuumEvery = 16

const allowVacuum = "RESET max_vacuum_tasks"

// vacuumNow lets some checkpoints merge row groups: two in a row, since the two files change places.
func (w *writer) vacuumNow(ctx context.Context, generation int64) error {
	if generation%vacuumEvery >= 2 {
		return nil
	}
	return w.exec(ctx, allowVacuum)
}

// freshFile makes a new file at path, filled from source where that exists.
func (r *refresh) freshFile(ctx context.Context, path, source string) (_ *writer, err error) {
	if err := errors.Join(removeIfThere(path), removeIfThere(path+".wal")); err != nil {
		return nil, err
	}
	w, err := r.open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			w.close()
		}
	}()
	if err := w.migrate(ctx); err != nil {
		return nil, err
	}
	if err := w.project(ctx, r.set); err != nil {
		return nil, err
	}
	if err := w.rebuild(ctx, r.set); err != nil {
		return nil, err
	}
	r.viewsFresh = true
	id := "uuid()::VARCHAR"
	if r.pub.exists && len(r.newRules) == 0 {
		// After a forget no copy of before, wherever it comes from, is taken for the standby.
		id = quote(r.pub.meta.ID)
	}
	if err := w.exec(ctx, fmt.Sprintf("INSERT INTO w.main.index_meta VALUES (%s, %d, 0, NULL, '', '', '', false)", id, migrations.Version)); err != nil {
		return nil, err
	}
	if !exists(source) {
		return w, nil
	}
	if err := w.attachSource(ctx, source); err != nil {
		return nil, err
	}
	stay, files, hosts := "p.main.raw", "p.main.indexed_files", "p.main.hosts"
	if len(r.newRules) > 0 && source == r.Layout.Published {
		if err := w.doom(ctx, "SELECT * FROM p.main.raw", r.newRules); err != nil {
			return nil, err
		}
		stay += " ANTI JOIN s.main.doomed_lines USING (source_file, source_line)"
		// Nor is there a place for the last bytes of a file that loses lines.
		files = fmt.Sprintf("(SELECT * REPLACE (CASE WHEN source_file NOT IN (SELECT source_file FROM s.main.doomed_lines) THEN hash_state END AS hash_state) FROM %s WHERE %s)",
			files, r.rules.staying())
		hosts = fmt.Sprintf("(FROM %s WHERE %s)", hosts, r.rules.staying())
	}
	if err := w.copySmall(ctx, 0, source == r.Layout.Published && r.pub.meta.Version < 2, files, hosts); err != nil {
		return nil, err
	}
	if err := w.reproject(ctx, r.set, stay); err != nil {
		return nil, err
	}
	return w, w.exec(ctx, "DETACH p")
}

func (w *writer) attachSource(ctx context.Context, source string) error {
	return w.exec(ctx, "ATTACH "+quote(source)+" AS p (READ_ONLY, ROW_GROUP_SIZE 2048)")
}

// reproject loads the lines of the source that stay again, in batches bounded by bytes.
func (w *writer) reproject(ctx context.Context, set schema.Set, stay string) error {
	// The lengths below are of the same lines: all of them.
	if err := w.makeRoom(ctx, -1); err != nil {
		return fmt.Errorf("reproject: %w", err)
	}
	spans, err := w.strings(ctx, fmt.Sprintf(`
		SELECT 'raw.rowid BETWEEN ' || min(id) || ' AND ' || max(id)
		FROM (
			SELECT id, sum(length_bytes) OVER (ORDER BY id) // %d AS batch
			FROM (%s)
		)
		GROUP BY batch
		ORDER BY batch`, w.room.batchBytes(), lineLengthsSQL))
	if err != nil {
		return fmt.Errorf("reproject: %w", err)
	}
	for _, span := range spans {
		if err := w.projectLines(ctx, "s.main.projected", `SELECT host, agent, source_file, source_line, byte_offset, generation,
			file_session_id, file_agent_id, data::VARCHAR AS text, bytes, parse_reason AS reason, parse_status = 'torn' AS is_tail
			FROM `+stay+" WHERE "+span); err != nil {
			return fmt.Errorf("reproject: %w", err)
		}
		if _, err := w.load(ctx, set, "s.main.projected"); err != nil {
			return fmt.Errorf("reproject: %w", err)
		}
	}
	return nil
}

// catchUp brings a standby of an earlier generation to the published one's state.
func (r *refresh) catchUp(ctx context.Context, w *writer, from int64) error {
	if err := w.attachSource(ctx, r.Layout.Published); err != nil {
		return fmt.Errorf("catch up: %w", err)
	}
	var lost []doomed
	rows, err := w.query(ctx, `
		SELECT old.source_file,
			CASE WHEN new.first_generation IS DISTINCT FROM old.first_generation THEN 0 ELSE old.consumed_lines + 1 END
		FROM w.main.indexed_files AS old
		LEFT JOIN p.main.indexed_files AS new ON new.source_file = old.source_file
		-- Gone, read anew, or no transcript any more.
		WHERE new.first_generation IS DISTINCT FROM old.first_generation
			-- The tail was read again, or is gone.
			OR (new.generation > ? AND old.tail_bytes > 0 AND (new.tail_bytes = 0
				OR new.source_file IN (SELECT source_file FROM p.main.raw WHERE generation > ?)))`, from, from)
	if err != nil {
		return fmt.Errorf("catch up: %w", err)
	}
	for rows.Next() {
		d := doomed{upTo: from}
		if err := rows.Scan(&d.path, &d.fromLine); err != nil {
			rows.Close()
			return err
		}
		lost = append(lost, d)
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("catch up: %w", engineError(err))
	}
	set := r.set
	if !r.viewsSame() {
		set = nil // rebuilt as a whole further on
	}
	if _, err := w.remove(ctx, set, lost); err != nil {
		return fmt.Errorf("catch up: %w", err)
	}
	if err := w.makeRoom(ctx, from); err != nil {
		return fmt.Errorf("catch up: %w", err)
	}
	// In memory once: reading a row of raw means decompressing the row group it is in.
	const missed = "s.main.projected"
	n, err := w.count(ctx, fmt.Sprintf("CREATE OR REPLACE TABLE %s AS SELECT * FROM p.main.raw WHERE generation > %d", missed, from))
	if err != nil {
		return fmt.Errorf("catch up: %w", err)
	}
	if n <= 1000 {
		w.waiting = missed // planning the statements takes longer than so few rows
	} else if _, err := w.load(ctx, set, missed); err != nil {
		return fmt.Errorf("catch up: %w", err)
	}
	if err := w.copySmall(ctx, from, false, "p.main.indexed_files", "p.main.hosts"); err != nil {
		return fmt.Errorf("catch up: %w", err)
	}
	return w.exec(ctx, "DETACH p")
}

// copySmall takes over catalogue, hosts, settings and rules, of which layout 1 has none. files and
// hosts are the relations of the first two.
func (w *writer) copySmall(ctx context.Context, from int64, layout1 bool, files, hosts string) error {
	rules := []string{"DELETE FROM w.main.forgotten", "INSERT INTO w.main.forgotten BY NAME FROM p.main.forgotten"}
	if layout1 {
		rules = nil
	}
	return w.whole(ctx, slices.Concat([]string{
		fmt.Sprintf(`DELETE FROM w.main.indexed_files WHERE source_file NOT IN (SELECT source_file FROM p.main.indexed_files)
			OR source_file IN (SELECT source_file FROM p.main.indexed_files WHERE generation > %d)`, from),
		fmt.Sprintf("INSERT INTO w.main.indexed_files BY NAME FROM %s WHERE generation > %d", files, from),
		"DELETE FROM w.main.hosts",
		"INSERT INTO w.main.hosts BY NAME FROM " + hosts,
		"DELETE FROM w.main.settings",
		"INSERT INTO w.main.settings BY NAME FROM p.main.settings",
	}, rules)...)
}

// mostlyFree reports whether more than half of the file is free blocks. Small files are left.
func (w *writer) mostlyFree(ctx context.Context) (bool, error) {
	var total, free, block int64
	err := w.conn.QueryRowContext(ctx, "SELECT total_blocks, free_blocks, block_size FROM pragma_database_size() WHERE database_name = 'w'").Scan(&total, &free, &block)
	if err != nil {
		return false, engineError(err)
	}
	return free > total/2 && total*block > 16<<20, nil
}
