-- What people and models wrote, as text to be exported, one row per text.
--
-- Prose of user and assistant lines in the order it was written, without code, what the model only
-- thought, what the program wrote in a person's place, and copies in resumed and forked sessions.
-- Text of imported hosts is left out, and counted on standard error, unless their egress is allowed
-- (warehouse hosts) or --include-blocked is given.
--
-- Columns:
--   timestamp     time of the line
--   role          user or assistant
--   session_id    session
--   text          the text without code
--   project_path  working directory
--   agent_id      sub-agent, empty in the main thread
--   host          machine the transcript comes from
--   source_file   transcript
--   source_line   line in it, from 1
--
-- Examples:
--   warehouse query text-export --since 30d --format jsonl > prose.jsonl
--   warehouse query text-export --role user --project /home/dev/app

SET VARIABLE since        = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;     -- from, inclusive
SET VARIABLE until        = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;     -- to, inclusive (a bare date with its whole day)
SET VARIABLE project      = getvariable('project')::VARCHAR;                               -- folder, its last component, or a glob (default all)
SET VARIABLE host         = getvariable('host')::VARCHAR;                                  -- machine (default all)
SET VARIABLE agent        = getvariable('agent')::VARCHAR;                                 -- agent program (default all)
SET VARIABLE session      = getvariable('session')::VARCHAR;                               -- session id or the beginning of one (default all)
SET VARIABLE role         = getvariable('role')::VARCHAR;                                  -- user or assistant (default both)
SET VARIABLE egress_hosts = coalesce(getvariable('egress_hosts'), 'local')::VARCHAR;       -- hosts whose text may leave, a comma list or *; the command knows them
SET VARIABLE "limit"      = getvariable('limit')::INTEGER;                                 -- rows to show (default all)

SELECT
    timestamp,
    role,
    session_id,
    trim(text, E' \n\t\r') AS text,
    project_path,
    agent_id,
    host,
    source_file,
    source_line
FROM text_content
WHERE NOT is_system
    AND NOT is_compact_summary
    AND trim(text, E' \n\t\r') <> ''
    AND (getvariable('egress_hosts') = '*' OR list_contains(string_split(getvariable('egress_hosts'), ','), host))
    AND (getvariable('role') IS NULL OR role = getvariable('role'))
    AND date_filter(timestamp, getvariable('since'), getvariable('until'))
    AND project_filter(project_path, getvariable('project'))
    AND host_filter(host, getvariable('host'))
    AND agent_filter(agent, getvariable('agent'))
    AND session_filter(session_id, getvariable('session'))
ORDER BY timestamp NULLS LAST, source_file, source_line, item_index
LIMIT getvariable('limit');

SELECT CASE WHEN count(*) > 0 THEN
        'left out: ' || count(*) || CASE WHEN count(*) = 1 THEN ' text' ELSE ' texts' END || ' of hosts whose egress is blocked ('
            || string_agg(DISTINCT host, ', ' ORDER BY host) || '); let them out with --include-blocked, or: warehouse hosts --egress allowed LABEL'
    END AS note
FROM text_content
WHERE NOT is_system
    AND NOT is_compact_summary
    AND trim(text, E' \n\t\r') <> ''
    AND NOT (getvariable('egress_hosts') = '*' OR list_contains(string_split(getvariable('egress_hosts'), ','), host))
    AND (getvariable('role') IS NULL OR role = getvariable('role'))
    AND date_filter(timestamp, getvariable('since'), getvariable('until'))
    AND project_filter(project_path, getvariable('project'))
    AND host_filter(host, getvariable('host'))
    AND agent_filter(agent, getvariable('agent'))
    AND session_filter(session_id, getvariable('session'));
