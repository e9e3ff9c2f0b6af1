-- Words of the index in passages, one row per passage and term that occurs in it.
--
-- Columns:
--   term        word of the index: lower case, without accents, English stemmed
--   kind        kind of the passage
--   passage_id  passage
--   impact      weight of the term in it, thousandths; see posting_lists
CREATE OR REPLACE VIEW postings AS
SELECT
    term,
    kind,
    unnest(passage_ids) AS passage_id,
    unnest(impacts) AS impact
FROM posting_lists;
