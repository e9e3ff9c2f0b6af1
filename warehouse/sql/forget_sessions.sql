-- Sessions that lose the lines in doomed_lines, one row per host and session.
SELECT
    host,
    agent,
    session_id,
    coalesce(label, '') AS label,
    started_at,
    lines
FROM (
    SELECT
        host,
        agent,
        session_id,
        min(timestamp) AS started_at,
        count(*) AS lines
    FROM raw
    SEMI JOIN doomed_lines USING (source_file, source_line)
    WHERE session_id IS NOT NULL
    GROUP BY host, agent, session_id
)
LEFT JOIN session_labels USING (host, agent, session_id)
ORDER BY started_at DESC NULLS LAST, session_id, host, agent
