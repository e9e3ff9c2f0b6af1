-- Records of the lines in doomed_lines that other lines hold too, one row: how many, and the sessions.
WITH doomed AS (
    SELECT DISTINCT uuid
    FROM raw
    SEMI JOIN doomed_lines USING (source_file, source_line)
    WHERE uuid IS NOT NULL
)
SELECT
    count(DISTINCT uuid) AS copies,
    coalesce(to_json(list(DISTINCT session_id ORDER BY session_id) FILTER (WHERE session_id IS NOT NULL)), '[]')::VARCHAR AS sessions
FROM raw
ANTI JOIN doomed_lines USING (source_file, source_line)
SEMI JOIN doomed USING (uuid)
