-- The word index, up to 128 passages a row: one row per term, kind of passage and stretch of passages.
--
-- Rows of one refresh are sorted by term, so a query reads the row groups of its words. An impact is
-- what BM25 makes of how often the term is in the passage and how long the passage is (k1 0.9, b 0.2,
-- 120 words are of middle length), in thousandths: 1,000 for once in a passage of middle length, at
-- most 1,900. The other factor of a score is how rare the term is, and that is how many passages a
-- query finds.
--
-- Index: content_items
--
-- Columns:
--   term         word of the index: lower case, without accents, English stemmed
--   kind         kind of the passages
--   passage_ids  passages that hold the term, ascending
--   impacts      weight of the term in each of them
CREATE TABLE posting_lists (
    term VARCHAR,
    kind VARCHAR,
    -- Lists rather than a row for each: 10 times faster to write, in the same space. Not longer
    -- ones, as DuckDB reads the lists of 2,048 rows at once.
    passage_ids INTEGER[],
    impacts SMALLINT[]
);
