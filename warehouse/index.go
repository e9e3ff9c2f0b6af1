package warehouse

import (
	"context"
	"database/sql/driver"
	_ "embed"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/cespare/xxhash/v2"

	"warehouse/schema"
	"warehouse/warehouse/text"
)

// The word index: which passages hold which terms, in ordinary tables that any DuckDB client can
// read (schema/2_passages.sql, 2_posting_lists.sql); the queries over them are macros in the file
// (schema/9_search.sql).
//
// The rules are:
//
//   - A refresh indexes the lines it loaded, those of a standby that caught up among them, as a run:
//     rows sorted by term, each with the list of passages that hold it.
//   - Passages of lines that go are taken off the lists they are on.
//   - Nothing counts over all passages, so nothing has to be kept up: how many passages hold a term
//     is how many a query finds.
//   - The fingerprint is that of the tables, of what they are made from, and of package text. Where
//     it differs the index is made anew, from the warehouse alone; and when most of it is in small
//     runs, each of which a query has to look through.
//   - What one line says is indexed as it stands, copies too: which copy is shown is a query's work.
//
// Deliberately not done: positions (a phrase is looked up in the few texts that have its words)
// and results of tools, which are most of the bytes and are scanned when asked for.

//go:embed sql/index_worn.sql
var indexWornSQL string

//go:embed sql/unindex.sql
var unindexSQL string

//go:embed sql/index_run.sql
var indexRunSQL string

// indexHash is the fingerprint of the word index.
func indexHash(set schema.Set) string { return set.IndexHash() + "." + text.Algorithm }

// indexSame tells whether the published index is this program's.
func (r *refresh) indexSame() bool {
	return r.pub.exists && r.pub.meta.IndexHash == indexHash(r.set)
}

// index adds the passages of lines written by refreshes behind a generation, or makes the index
// anew.
func (r *refresh) index(ctx context.Context, w *writer, from int64) error {
	whole := !w.indexed
	if !whole {
		var err error
		if whole, err = w.indexWorn(ctx); err != nil {
			return fmt.Errorf("index: %w", err)
		}
	}
	if whole {
		from = -1
		if err := w.transaction(ctx, func() error { return w.emptyIndex(ctx, r.set) }); err != nil {
			return fmt.Errorf("index: %w", err)
		}
	}
	if w.batches >= batchesKept {
		if err := w.relieve(ctx, indexing); err != nil {
			return fmt.Errorf("index: %w", err)
		}
	}
	b := indexBuilder{writer: w}
	if err := w.conn.QueryRowContext(ctx, "SELECT coalesce(max(last_passage_id), 0) FROM w.main.index_runs").Scan(&b.last); err != nil {
		return fmt.Errorf("index: %w", engineError(err))
	}
	if err := w.indexTexts(ctx, from, &b); err != nil {
		return fmt.Errorf("index: %w", err)
	}
	return nil
}

// emptyIndex makes the tables of the index anew, unless the views' rebuild just did.
func (w *writer) emptyIndex(ctx context.Context, set schema.Set) error {
	if w.newIndex {
		return nil
	}
	for _, o := range set.Index() {
		if err := w.exec(ctx, "DROP TABLE IF EXISTS w.main."+o.Name); err != nil {
			return err
		}
		if err := w.create(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// indexWorn tells whether most of the index is in small runs.
func (w *writer) indexWorn(ctx context.Context) (worn bool, err error) {
	err = w.conn.QueryRowContext(ctx, indexWornSQL).Scan(&worn)
	return worn, engineError(err)
}

// indexBuilder makes runs.
type indexBuilder struct {
	writer *writer
	last   int64 // passage number given last
	first  int64 // of the run
	size   int   // bytes of the run's passages
	tok    text.Tokenizer
	rows   []passageRow
	terms  map[string]int // number of a term in lists
	lists  []postingLists
}

// passageRow is a passage that waits to be stored.
type passageRow struct {
	of     *indexedText
	number int
	count  int // of terms
}

// postingLists are the passages that hold a term, for each kind.
type postingLists struct {
	term string
	of   [len(kinds)]postingList
}

type postingList struct{ ids, occurrences []int32 }

// impact is the part of a BM25 score that depends on the passage, in thousandths. Of the settings
// tried on the judged set those with b up to 0.3 found as much, and 0.75 a tenth less: answers are
// longer than questions.
func impact(occurrences, terms int) int {
	const k1, b, middle = 0.9, 0.2, 120
	n := float64(occurrences)
	return int(math.Round(1000 * n * (k1 + 1) / (n + k1*(1-b+b*float64(terms)/middle))))
}

// listLength is how many passages a row lists.
const listLength = 128

// kinds of passages, in the order of their names.
var kinds = [...]string{"prose", "summary", "thinking", "tool-input"}

// passageBytes is what a passage takes in memory besides its text.
const passageBytes = 512

func (b *indexBuilder) add(ctx context.Context, t *indexedText) error {
	kind := slices.Index(kinds[:], t.kind)
	if b.terms == nil {
		b.terms, b.first = map[string]int{}, b.last+1
	}
	for n, p := range t.passages {
		b.last++
		id, count := int32(b.last), 0
		b.tok.Terms(p, func(term string) {
			count++
			i, ok := b.terms[term]
			if !ok {
				i = len(b.lists)
				b.terms[term] = i
				b.lists = append(b.lists, postingLists{term: term})
			}
			l := &b.lists[i].of[kind]
			if end := len(l.ids) - 1; end >= 0 && l.ids[end] == id {
				l.occurrences[end]++
			} else {
				l.ids, l.occurrences = append(l.ids, id), append(l.occurrences, 1)
			}
		})
		b.rows = append(b.rows, passageRow{t, n, count})
		b.size += len(p) + passageBytes
	}
	if b.size < b.writer.room.runBytes() {
		return nil
	}
	if err := b.flush(ctx); err != nil {
		return err
	}
	return b.writer.relieve(ctx, indexing)
}

// flush stores the run.
func (b *indexBuilder) flush(ctx context.Context) error {
	if len(b.rows) == 0 {
		return nil
	}
	if err := b.writer.appendRows(ctx, "w", "passages", b.appendPassages); err != nil {
		return err
	}
	slices.SortFunc(b.lists, func(x, y postingLists) int { return strings.Compare(x.term, y.term) })
	if err := b.writer.appendTable(ctx, "run", "(term VARCHAR, kind VARCHAR, passage_ids VARCHAR, impacts VARCHAR)", b.appendLists); err != nil {
		return err
	}
	err := b.writer.exec(ctx, indexRunSQL,
		fmt.Sprintf("INSERT INTO w.main.index_runs SELECT %d, count(*) FROM s.main.run", b.last),
		"DROP TABLE s.main.run")
	b.rows, b.lists, b.terms, b.size = nil, nil, nil, 0
	return err
}

func (b *indexBuilder) appendPassages(add func(...driver.Value) error) error {
	opt := func(s *string) any {
		if s == nil {
			return nil
		}
		return *s
	}
	id := int32(b.first)
	for _, row := range b.rows {
		t := row.of
		var at any
		if t.at != nil {
			at = *t.at
		}
		p := t.passages[row.number]
		var short, packed any = p, nil
		if t.kind != "prose" && t.kind != "summary" {
			short, packed = nil, p
		}
		if err := add(id, t.kind, t.host, t.agent, opt(t.session), opt(t.agentID), opt(t.project), at, t.file, t.line, t.item, int64(row.number), t.generation,
			t.role, t.role == "user" && strings.ContainsAny(p, "?？"), t.isSubagent, t.isInjected, t.isAutomated, xxhash.Sum64String(p), placeKey(t, row.number), int32(row.count), short, packed); err != nil {
			return err
		}
		id++
	}
	return nil
}

// placeKey is a number of 62 bits for where a passage stands. Which of two copies is shown must not
// depend on where the folder of transcripts lies, so the whole path has the lowest bits alone.
func placeKey(t *indexedText, number int) int64 {
	folder, name := filepath.Split(t.file)
	in := fmt.Sprintf("%s\n%d\n%d\n%d", filepath.Join(filepath.Base(folder), name), t.line, t.item, number)
	return int64(xxhash.Sum64String(in)>>24<<22 | xxhash.Sum64String(t.file)>>42)
}

// appendLists appends the lists as text: a list of values passes the driver one boxed value at a
// time, and DuckDB reads numbers from text faster than that.
func (b *indexBuilder) appendLists(add func(...driver.Value) error) error {
	var ids, impacts []byte
	for _, lists := range b.lists {
		for kind, l := range lists.of {
			for start := 0; start < len(l.ids); start += listLength {
				ids, impacts = ids[:0], impacts[:0]
				for i := start; i < min(start+listLength, len(l.ids)); i++ {
					if i > start {
						ids, impacts = append(ids, ' '), append(impacts, ' ')
					}
					count := b.rows[int64(l.ids[i])-b.first].count
					ids = strconv.AppendInt(ids, int64(l.ids[i]), 10)
					impacts = strconv.AppendInt(impacts, int64(impact(int(l.occurrences[i]), count)), 10)
				}
				if err := add(lists.term, kinds[kind], string(ids), string(impacts)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// unindex takes the passages of doomed rows (s.main.doomed) away.
func (w *writer) unindex(ctx context.Context) error {
	if err := w.whole(ctx, unindexSQL); err != nil {
		return fmt.Errorf("index: %w", err)
	}
	return nil
}
