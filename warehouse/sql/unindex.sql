-- Takes passages away whose lines go (s.main.doomed).
CREATE OR REPLACE TEMP TABLE gone AS
SELECT passage_id
FROM w.main.passages AS passage
JOIN s.main.doomed AS doomed ON passage.source_file = doomed.source_file
WHERE passage.source_line >= doomed.from_line
    AND passage.generation BETWEEN doomed.from_generation AND doomed.up_to_generation;

-- Lists they are in, and those lists without them.
CREATE OR REPLACE TEMP TABLE touched_lists AS
SELECT DISTINCT list_id
FROM (
    SELECT
        rowid AS list_id,
        unnest(passage_ids) AS passage_id
    FROM w.main.posting_lists
    WHERE passage_ids[1] <= (SELECT max(passage_id) FROM temp.gone)
        AND passage_ids[-1] >= (SELECT min(passage_id) FROM temp.gone)
)
SEMI JOIN temp.gone USING (passage_id);

CREATE OR REPLACE TEMP TABLE left_over AS
SELECT
    any_value(term) AS term,
    any_value(kind) AS kind,
    list(passage_id ORDER BY passage_id) AS passage_ids,
    list(impact ORDER BY passage_id) AS impacts
FROM (
    SELECT
        rowid AS list_id,
        term,
        kind,
        unnest(passage_ids) AS passage_id,
        unnest(impacts) AS impact
    FROM w.main.posting_lists
    WHERE rowid IN (SELECT list_id FROM temp.touched_lists)
)
ANTI JOIN temp.gone USING (passage_id)
GROUP BY list_id;

DELETE FROM w.main.posting_lists WHERE rowid IN (SELECT list_id FROM temp.touched_lists);

INSERT INTO w.main.posting_lists
SELECT
    term,
    kind,
    passage_ids,
    impacts
FROM temp.left_over
ORDER BY term, kind;

DELETE FROM w.main.passages WHERE passage_id IN (FROM temp.gone);

DROP TABLE temp.gone;

DROP TABLE temp.touched_lists;

DROP TABLE temp.left_over;
