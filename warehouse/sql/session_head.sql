-- What can be said of a session as its files hold it, one row:
--
--   SET VARIABLE host = 'local';
--   SET VARIABLE session = '1b7e0c52-3f6a-4d18-9a41-c2f0d95e7b33';
--
-- The view sessions counts a copied record for the session it first stood in, and looks at the
-- whole warehouse to know. Here a fork's copies count, since they are part of what is read.
--
-- resume_path is where the program was started: it looks for the transcript in the folder of that.
WITH found AS (
    SELECT source_file FROM indexed_files WHERE host = getvariable('host') AND file_session_id = getvariable('session')
    UNION
    SELECT source_file FROM raw WHERE host = getvariable('host') AND session_id = getvariable('session')
),
lines AS (
    SELECT
        project_path,
        timestamp,
        source_file,
        source_line,
        file_session_id,
        file_agent_id
    FROM raw
    SEMI JOIN found USING (source_file)
    WHERE (file_session_id = getvariable('session') OR session_id = getvariable('session')) AND parse_status <> 'torn'
),
files AS (
    SELECT
        source_file,
        any_value(file_agent_id) AS agent_id,
        max(source_line) AS lines,
        any_value(consumed_lines) AS file_lines
    FROM lines
    LEFT JOIN (SELECT source_file, consumed_lines FROM indexed_files) USING (source_file)
    GROUP BY source_file
)
SELECT
    mode(project_path ORDER BY project_path) AS project_path,
    arg_min(
        project_path,
        {'a': file_agent_id IS NOT NULL, 'b': file_session_id IS DISTINCT FROM getvariable('session'), 'c': source_file, 'd': source_line}
    ) FILTER (WHERE project_path IS NOT NULL) AS resume_path,
    min(timestamp) AS started_at,
    max(timestamp) AS ended_at,
    (
        SELECT count(DISTINCT response_key)
        FROM usage_lines
        SEMI JOIN found USING (source_file)
        SEMI JOIN lines USING (source_file, source_line)
        WHERE left_out IS NULL
    ) AS responses,
    (
        SELECT coalesce(to_json(list({'path': source_file, 'agent_id': agent_id, 'lines': greatest(lines, file_lines)} ORDER BY source_file)), '[]')::VARCHAR
        FROM files
    ) AS files
FROM lines;
