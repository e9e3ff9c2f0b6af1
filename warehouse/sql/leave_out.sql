-- A batch of lines as forget_lines.sql judges them, with what went before. Of a file that goes on, that
-- is the last time of the batch before, or, where it was read in an earlier refresh, a line that stayed.
SELECT
    host,
    source_file,
    source_line,
    timestamp,
    session_id,
    file_session_id
FROM temp.batch
UNION ALL
SELECT
    NULL,
    source_file,
    first_line - 1,
    coalesce(last_time, 'infinity'),
    NULL,
    NULL
FROM (
    SELECT
        source_file,
        min(source_line) AS first_line
    FROM temp.batch
    GROUP BY source_file
    HAVING first_line > 1
)
LEFT JOIN (
    SELECT
        source_file,
        arg_max(timestamp, source_line) AS last_time
    FROM s.main.last_times
    GROUP BY source_file
) USING (source_file)
