package warehouse

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sort"
	"strings"
	"time"

	"warehouse/migrations"
	"warehouse/schema"
)

// The refresh, step by step; each step's essay is in its own file.
//
//	stamp     a young one with the same definitions and roots: done, nothing opened
//	lock      one refresh at a time; who waits too long uses the file there is
//	scan      stat everything, open nothing                        scan.go
//	rules     what was forgotten is kept out                       forget.go
//	compare   with the published catalogue; nothing to do: stamp   read.go
//	standby   reuse, catch up, copy or make                        standby.go
//	load      new lines to raw and the derived tables              stage.go, load.go
//	views     rebuilt when their fingerprint changed               derive.go
//	keyed     tables whose rows depend on lines of many files      keyed.go
//	index     words of new lines                                   index.go
//	publish   checkpoint, swap names, stamp                        publish.go

// RefreshOptions are the choices of a refresh.
type RefreshOptions struct {
	Layout      Layout
	Roots       []Root
	MaxAge      time.Duration // a stamp younger than this is enough; 0 always looks
	Wait        time.Duration // how long to wait for another refresh
	Verify      bool          // compare every file's consumed bytes whole
	Retention   string        // mirror or keep; empty leaves what is stored
	Standby     string        // on or off; empty leaves what is stored
	Redact      string        // on or off; empty leaves what is stored
	MemoryLimit string        // memory to keep to, such as 1GB; empty takes the default
	ConfigDir   string        // folder of a person's own CSV files; empty has none
	Prices      *string       // absolute path of a person's prices, empty for the one in ConfigDir; nil leaves what is stored
	Forget      []Rule        // new rules that keep lines out; see Forget
	Lift        []Rule        // rules that no longer hold
	Warnings    []string      // about the roots
	Schema      schema.Set    // nil is the embedded one
	// Progress is told how many of the bytes that may have to be read are done; may be nil.
	Progress func(done, total int64)
}

// Failure is a source that could not be read.
type Failure struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// Summary says what a refresh did. Counts of files are of this run; bytes are bytes.
type Summary struct {
	Database      string    `json:"database"`
	Status        string    `json:"status"` // refreshed, unchanged, fresh (the stamp was young) or busy (another refresh runs)
	Generation    int64     `json:"generation"`
	Scanned       int       `json:"scanned"`
	Unchanged     int       `json:"unchanged"`
	Added         int       `json:"added"`
	Appended      int       `json:"appended"`
	Replaced      int       `json:"replaced"`
	Vanished      int       `json:"vanished"`
	VanishedLines int64     `json:"vanished_lines"`
	Kept          bool      `json:"kept"`            // vanished lines stay (retention keep)
	Failed        int       `json:"failed"`          // could not be read
	Skipped       int       `json:"skipped"`         // pipes, folders and links to nowhere with a transcript's name
	Ignored       int       `json:"ignored"`         // files there that were forgotten
	Forgotten     int64     `json:"forgotten_lines"` // lines that went because they were to be forgotten
	LeftOut       int64     `json:"left_out_lines"`  // lines of files read now that were forgotten before
	Lines         int64     `json:"lines"`           // in the warehouse after the run
	Bytes         int64     `json:"bytes"`           // of transcripts in the warehouse after the run
	FilesOpened   int       `json:"files_opened"`
	BytesRead     int64     `json:"bytes_read"`    // framed
	BytesChecked  int64     `json:"bytes_checked"` // read to compare with what was consumed before
	RowsWritten   int64     `json:"rows_written"`  // rows of raw
	DatabaseOpens int       `json:"database_opens"`
	ViewsRebuilt  bool      `json:"views_rebuilt"`
	Compacted     bool      `json:"compacted"`
	OwnRows       int       `json:"own_rows"` // rows of a person's own CSV files
	Seconds       float64   `json:"seconds"`
	Warnings      []string  `json:"warnings,omitempty"`
	Failures      []Failure `json:"failures,omitempty"`
}

type refresh struct {
	RefreshOptions
	set            schema.Set
	sum            Summary
	pub            published
	plan           plan
	settings       map[string]string
	settingsChange bool              // they differ from the stored ones
	own            map[string]string // settings that hold a person's own rows
	inStandby      map[string]string // settings of the standby before it caught up
	standbyFrom    int64             // generation of the standby before it caught up
	viewsFresh     bool              // the file's views are this program's already
	outcomes       []outcome
	rules          rules  // that hold from now on
	newRules       []Rule // those of them that are new
	rulesChange    bool   // there are new ones, or some were lifted
	read           []Root // roots but those of forgotten hosts
}

// Refresh brings the warehouse up to date with its sources and publishes it. The summary is
// valid where err is nil. Sources that could not be read are in Failed and Failures, not in err.
func Refresh(ctx context.Context, opt RefreshOptions) (Summary, error) {
	start := time.Now()
	r := &refresh{RefreshOptions: opt, set: opt.Schema}
	r.sum.Database, r.sum.Warnings = opt.Layout.Published, opt.Warnings
	if r.set == nil {
		set, err := schema.Embedded()
		if err != nil {
			return Summary{}, err
		}
		r.set = set
	}
	for name, value := range r.asked() {
		if err := checkSetting(name, value); err != nil {
			return Summary{}, err
		}
	}
	s := opt.Layout.readStamp()
	if err := r.readOwn(map[string]string{"prices_file": s.PricesFile}); err != nil {
		return Summary{}, err
	}
	if r.stampServes(s, start) {
		s.Summary.Status, s.Summary.Seconds = "fresh", time.Since(start).Seconds()
		s.Summary.FilesOpened, s.Summary.BytesRead, s.Summary.RowsWritten, s.Summary.DatabaseOpens = 0, 0, 0, 0
		return s.Summary, nil
	}
	unlock, ok, err := opt.Layout.lock(ctx, opt.Wait)
	if err != nil {
		return Summary{}, err
	}
	if !ok {
		if len(r.Forget)+len(r.Lift) > 0 {
			return Summary{}, WithHint(fmt.Errorf("nothing is forgotten or taken back: the warehouse is %w", ErrLocked), "try again when the refresh that runs has ended")
		}
		if r.Redact != "" {
			// Whoever chose this counts on it from here on.
			return Summary{}, WithHint(fmt.Errorf("redact is not stored: the warehouse is %w", ErrLocked), "try again: warehouse refresh --redact "+r.Redact)
		}
		r.sum.Status = "busy"
		return r.sum, nil
	}
	defer unlock()
	if err := r.run(ctx, start); err != nil {
		// What was written is of no use to anyone and may fill the disk.
		os.RemoveAll(opt.Layout.spill())
		if errors.Is(err, errUsable) {
			err = errors.Unwrap(err)
		} else {
			opt.Layout.discardStandby()
		}
		if isFull(err) {
			err = WithHint(fmt.Errorf("the disk is full; the published file is as it was (%w)", err), diskHint(opt.Layout.Dir))
		}
		if isOutOfMemory(err) {
			err = WithHint(fmt.Errorf("the memory is used up; the published file is as it was (%w)", err), "give it more memory, such as: warehouse refresh --memory-limit 4GB")
		}
		return Summary{}, err
	}
	return r.sum, nil
}

// errUsable marks errors before anything was written: the standby is as good as it was.
var errUsable = errors.New("standby untouched")

type untouched struct{ error }

func (u untouched) Unwrap() error      { return u.error }
func (untouched) Is(target error) bool { return target == errUsable }

func (r *refresh) asked() map[string]string {
	m := map[string]string{}
	if r.Retention != "" {
		m["retention"] = r.Retention
	}
	if r.RefreshOptions.Standby != "" {
		m["standby"] = r.RefreshOptions.Standby
	}
	if r.Redact != "" {
		m["redact"] = r.Redact
	}
	return m
}

// fingerprint of everything but the sources' content that a stamp vouches for.
func (r *refresh) fingerprint() string {
	h := sha256.New()
	fmt.Fprintln(h, migrations.Version, r.set.ImportHash(), r.set.ViewsHash(), indexHash(r.set))
	for _, root := range r.Roots {
		fmt.Fprintln(h, root.Host, root.Agent, root.Path)
	}
	for _, name := range slices.Sorted(maps.Keys(r.own)) {
		fmt.Fprintf(h, "%s %q\n", name, r.own[name])
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

func (r *refresh) stampServes(s stamp, now time.Time) bool {
	age := now.Sub(s.At)
	return r.MaxAge > 0 && age >= 0 && age < r.MaxAge && !r.Verify && len(r.asked()) == 0 && r.Prices == nil && len(r.Forget)+len(r.Lift) == 0 &&
		s.Fingerprint == r.fingerprint() && s.Summary.Database == r.Layout.Published && s.Summary.Failed == 0 && exists(r.Layout.Published)
}

func (r *refresh) viewsSame() bool {
	return r.pub.exists && r.pub.meta.ViewsHash == r.set.ViewsHash()
}

func (r *refresh) run(ctx context.Context, start time.Time) error {
	if err := r.Layout.tidy(); err != nil {
		return untouched{fmt.Errorf("tidy: %w", err)}
	}
	if err := r.inspect(ctx, start); err != nil {
		return untouched{err}
	}
	if r.pub.exists && r.plan.empty() && !r.settingsChange && !r.rulesChange && r.viewsSame() && r.indexSame() && r.pub.meta.Complete &&
		r.pub.meta.ImportHash == r.set.ImportHash() && r.pub.meta.Version == migrations.Version {
		r.sum.Status, r.sum.Generation = "unchanged", r.pub.meta.Generation
		r.total(r.pub.files)
		r.finish(start)
		return nil
	}
	if err := r.write(ctx, start); err != nil {
		return err
	}
	if err := r.dropLog(); err != nil {
		return untouched{err}
	}
	// What was published holds what is to be forgotten: it stays nobody's second copy.
	if err := r.Layout.swapNames(r.settings["standby"] == "on" && len(r.newRules) == 0); err != nil {
		return untouched{err}
	}
	r.sum.Status = "refreshed"
	r.finish(start)
	return nil
}

// total counts what the warehouse holds and lists what failed.
func (r *refresh) total(files map[string]indexedFile) {
	for _, f := range files {
		if f.hasLines() {
			r.sum.Lines += f.storedLines()
			r.sum.Bytes += f.storedBytes()
		}
		switch f.status {
		case statusSkipped:
			r.sum.Skipped++
			r.sum.Failures = append(r.sum.Failures, Failure{f.path, f.reason})
		case statusIgnored:
			r.sum.Ignored++
		case statusFailed, statusUnreadable:
			r.sum.Failed++
			r.sum.Failures = append(r.sum.Failures, Failure{f.path, f.reason})
		}
	}
	sort.Slice(r.sum.Failures, func(i, j int) bool { return r.sum.Failures[i].Path < r.sum.Failures[j].Path })
}

// finish writes the stamp. What was published is so without it, on a disk that is full by now too:
// the next refresh looks again.
func (r *refresh) finish(start time.Time) {
	r.sum.Seconds = time.Since(start).Seconds()
	if err := r.Layout.writeStamp(stamp{At: start.UTC(), Fingerprint: r.fingerprint(), PricesFile: r.settings["prices_file"], Summary: r.sum}); err != nil {
		// An older one would tell of the state before.
		err = errors.Join(err, removeIfThere(r.Layout.Stamp+".tmp"), removeIfThere(r.Layout.Stamp))
		r.sum.Warnings = append(r.sum.Warnings, "published, but not stamped as fresh: "+strings.ReplaceAll(err.Error(), "\n", "; "))
	}
}
