-- What people asked, newest first, one row per human prompt.
--
-- A prompt typed while the agent worked may stand in the queue alone; it is here once. What the
-- program wrote in a person's place is not.
--
-- Columns:
--   timestamp     time of the prompt
--   prompt_kind   typed, or queued for one that only the queue holds
--   prompt        its first 200 characters on one line
--   chars         length of the whole, characters
--   session_id    session
--   title         name the session was given, by hand or by the agent
--   source_line   line with the whole of it, from 1
--   source_file   transcript it is in
--   project_path  working directory; of a queued one that of its session
--   host          machine the transcript comes from
--
-- Examples:
--   warehouse query prompts --since 7d
--   warehouse query prompts --session 11111111 --limit 100

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = coalesce(getvariable('limit'), '50')::INTEGER;                -- rows to show

WITH placed AS (
    SELECT
        p.* EXCLUDE (project_path),
        coalesce(p.project_path, s.project_path) AS project_path
    FROM prompts AS p
    -- Records of the queue name no folder.
    LEFT JOIN (
        SELECT host, agent, session_id, mode(project_path ORDER BY project_path) AS project_path
        FROM raw
        WHERE type = 'user' AND project_path IS NOT NULL AND parse_status <> 'torn'
        GROUP BY host, agent, session_id
    ) AS s USING (host, agent, session_id)
)
SELECT
    timestamp,
    prompt_kind,
    regexp_replace(trim(text[:1000], E' \n\t\r'), '\s+', ' ', 'g')[:200] AS prompt,
    length(text) AS chars,
    session_id,
    label AS title,
    source_line,
    source_file,
    project_path,
    host
FROM placed
LEFT JOIN session_labels USING (host, agent, session_id)
WHERE date_filter(timestamp, getvariable('since'), getvariable('until'))
    AND project_filter(project_path, getvariable('project'))
    AND host_filter(host, getvariable('host'))
    AND agent_filter(agent, getvariable('agent'))
    AND session_filter(session_id, getvariable('session'))
ORDER BY timestamp DESC NULLS LAST, source_file, source_line
LIMIT getvariable('limit');
