-- Takes passages away whose lines go (s.main.doomed).
CREATE OR REPLACE TEMP TABLE gone AS
SELECT passage_id
FROM w.main.passages AS passage
JOIN s.main.doomed AS doomed ON passage.source_file = doomed.source_file
WHERE passage.source_line >= doomed.from_line
    AND passage.generation BETWEEN doomed.from_generation AND doomed.up_to_generation;

-- Lists they are in, without them.
CREATE OR REPLACE TEMP TABLE left_over AS
SELECT
    list.rowid AS list_id,
    term,
    kind,
    list_filter(list_zip(passage_ids, impacts), lambda posting: NOT list_contains(gone_ids, posting[1])) AS postings
FROM (SELECT *, rowid FROM w.main.posting_lists) AS list
JOIN (SELECT list(passage_id ORDER BY passage_id) AS gone_ids FROM temp.gone) ON list_has_any(passage_ids, gone_ids);

DELETE FROM w.main.posting_lists WHERE rowid IN (SELECT list_id FROM temp.left_over);

INSERT INTO w.main.posting_lists
SELECT
    term,
    kind,
    list_transform(postings, lambda posting: posting[1]),
    list_transform(postings, lambda posting: posting[2])
FROM temp.left_over
WHERE len(postings) > 0
ORDER BY term, kind;

DELETE FROM w.main.passages WHERE passage_id IN (FROM temp.gone);

DROP TABLE temp.gone;

DROP TABLE temp.left_over;
