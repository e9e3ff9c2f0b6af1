package warehouse

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"
	"unique"

	"warehouse/warehouse/text"
)

// Texts for the word index: read from the derived tables in spans of files, cut into passages, and
// handed to the builder, each step on a goroutine of its own.

//go:embed sql/index_texts.sql
var indexTextsSQL string

//go:embed sql/index_spans.sql
var indexSpansSQL string

// indexedText is a row of index_texts.sql.
type indexedText struct {
	kind                                string
	host, agent                         string
	session, agentID, project           *string
	at                                  *time.Time
	file                                string
	line, item, generation              int64
	role                                string
	isSubagent, isInjected, isAutomated bool
	text                                *string
	passages                            []string
}

// indexTexts reads texts on a connection of its own and cuts them and counts their words on a
// goroutine of its own.
func (w *writer) indexTexts(ctx context.Context, from int64, b *indexBuilder) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	texts, cutTexts := make(chan []indexedText, 4), make(chan []indexedText, 4)
	go func() {
		defer close(texts)
		if err := w.readTexts(ctx, from, texts); err != nil {
			cancel(err)
		}
	}()
	go func() {
		defer close(cutTexts)
		for batch := range texts {
			for i := range batch {
				batch[i].cut()
			}
			select {
			case cutTexts <- batch:
			case <-ctx.Done():
			}
		}
	}()
	var err error
	for batch := range cutTexts {
		for i := range batch {
			if err == nil {
				err = b.add(ctx, &batch[i])
			}
		}
		if err != nil {
			cancel(err)
		}
	}
	if cause := context.Cause(ctx); cause != nil && err == nil {
		err = cause
	}
	return engineError(errors.Join(err, b.flush(ctx)))
}

// indexBatch is how many texts go from one step to the next at once.
const indexBatch = 256

// readTexts sends the texts of lines written behind a generation.
func (w *writer) readTexts(ctx context.Context, from int64, out chan<- []indexedText) error {
	r, err := w.beside(ctx)
	if err != nil {
		return err
	}
	defer r.conn.Close()
	if err := r.exec(ctx, fmt.Sprintf("SET VARIABLE from_generation = %d", from), fmt.Sprintf("SET VARIABLE span_bytes = %d", w.room.spanBytes())); err != nil {
		return err
	}
	spans, err := r.strings(ctx, indexSpansSQL)
	if err != nil {
		return err
	}
	behind := ""
	for _, last := range spans {
		if err := r.exec(ctx, "SET VARIABLE behind_file = "+quote(behind), "SET VARIABLE last_file = "+quote(last)); err != nil {
			return err
		}
		if err := r.sendTexts(ctx, out); err != nil {
			return err
		}
		behind = last
	}
	return nil
}

// sendTexts sends the texts of a span.
func (w *writer) sendTexts(ctx context.Context, out chan<- []indexedText) error {
	rows, err := w.query(ctx, indexTextsSQL)
	if err != nil {
		return err
	}
	defer rows.Close()
	batch := make([]indexedText, 0, indexBatch)
	send := func() error {
		select {
		case out <- batch:
			batch = make([]indexedText, 0, indexBatch)
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for rows.Next() {
		var t indexedText
		if err := rows.Scan(&t.kind, &t.host, &t.agent, &t.session, &t.agentID, &t.project, &t.at, &t.file, &t.line, &t.item, &t.generation,
			&t.role, &t.isSubagent, &t.isInjected, &t.isAutomated, &t.text); err != nil {
			return err
		}
		t.share()
		if batch = append(batch, t); len(batch) == indexBatch {
			if err := send(); err != nil {
				return err
			}
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	return send()
}

// share keeps one copy of what many texts have in common: a row of a driver has copies of its own.
func (t *indexedText) share() {
	for _, s := range []*string{&t.host, &t.agent, t.session, t.agentID, t.project, &t.file, &t.role} {
		if s != nil {
			*s = unique.Make(*s).Value()
		}
	}
}

// cut cuts a text into passages.
func (t *indexedText) cut() {
	if t.text == nil {
		return
	}
	whole := *t.text
	if t.kind == "tool-input" {
		whole = jsonStrings(whole)
	}
	if t.kind == "prose" && t.role == "user" && text.Injected(whole) {
		t.isInjected = true
	}
	t.passages, t.text = text.Passages(whole), nil
}

// jsonStrings returns the strings in a JSON value, keys left out, one a line.
func jsonStrings(value string) string {
	var b strings.Builder
	dec := json.NewDecoder(strings.NewReader(value))
	// In an object every other token is a key.
	type level struct{ isObject, key bool }
	var levels []level
	for {
		token, err := dec.Token()
		if err != nil {
			return b.String()
		}
		inner := func() *level {
			if len(levels) == 0 {
				return &level{}
			}
			return &levels[len(levels)-1]
		}()
		switch v := token.(type) {
		case json.Delim:
			switch v {
			case '{', '[':
				inner.key = inner.isObject
				levels = append(levels, level{isObject: v == '{', key: v == '{'})
			default:
				levels = levels[:len(levels)-1]
			}
			continue
		case string:
			if !inner.isObject || !inner.key {
				b.WriteString(v)
				b.WriteByte('\n')
			}
		}
		if inner.isObject {
			inner.key = !inner.key
		}
	}
}
