-- A run of the index from s.main.run, whose lists are numbers with blanks between them.
INSERT INTO w.main.posting_lists
SELECT
    term,
    kind,
    string_split(passage_ids, ' ')::INTEGER[],
    string_split(impacts, ' ')::SMALLINT[]
FROM s.main.run
