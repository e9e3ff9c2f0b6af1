-- Sessions whose id begins with a text, one row per host and id, the last begun first:
--
--   SET VARIABLE name = '1b7e';
--
-- An id counts that lines have, or the name of their file alone.
WITH lines AS (
    SELECT host, agent, session_id, timestamp FROM raw WHERE starts_with(session_id, getvariable('name'))
    UNION ALL
    SELECT host, agent, file_session_id, timestamp FROM raw WHERE starts_with(file_session_id, getvariable('name'))
),
ids AS (
    SELECT
        host,
        agent,
        session_id,
        min(timestamp) AS started_at
    FROM lines
    GROUP BY host, agent, session_id
)
SELECT
    host,
    agent,
    session_id,
    coalesce(label, '') AS label,
    started_at
FROM ids
LEFT JOIN session_labels USING (host, agent, session_id)
ORDER BY started_at DESC NULLS LAST, session_id, host, agent;
