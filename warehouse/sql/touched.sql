-- Files that gained lines (the temporary view batch; raw has them too), with the first line whose keys
-- are to be derived again: the first new one, or 0, which is all, where the file may have changed its
-- place in the order of files.
INSERT INTO s.main.touched
WITH new AS MATERIALIZED (
    SELECT
        source_file,
        min(source_line) AS first_line,
        min(timestamp) FILTER (parse_status <> 'torn') AS started_at,
        bool_or(forked_from IS NOT NULL) AS is_fork
    FROM temp.batch
    GROUP BY source_file
),
old AS (
    SELECT
        source_file,
        min(timestamp) AS started_at,
        bool_or(forked_from IS NOT NULL) AS is_fork
    FROM w.main.raw
    JOIN (SELECT source_file, first_line FROM new) USING (source_file)
    WHERE source_line < first_line AND parse_status <> 'torn'
    GROUP BY source_file
)
SELECT
    source_file,
    CASE
        WHEN old.started_at IS NULL OR new.started_at < old.started_at OR new.is_fork AND NOT old.is_fork THEN 0
        ELSE first_line
    END AS from_line
FROM new
LEFT JOIN old USING (source_file)
