-- Runs of the word index, one row per refresh that added to it.
--
-- Index: content_items
--
-- Columns:
--   last_passage_id  number given last; none is given twice
--   list_count       rows it added to posting_lists
CREATE TABLE index_runs (
    last_passage_id INTEGER,
    list_count INTEGER
);
