-- How commands fail in the sandbox, one row per machine and class of failure.
--
-- Failed shell commands that did not ask to leave the sandbox and whose error has a line like one of
-- the class (table sandbox_failure_patterns, to which rows of your own can be added). One that
-- matches two classes counts in both; a command outside any sandbox can fail the same way.
--
-- Columns:
--   host           machine
--   category       worktree-write, process-substitution, mktemp, tls, ssh-agent
--   failures       failed commands
--   sessions       sessions with one
--   agent_threads  sub-agents with one
--   first_day      day of the first, in the zone of the session (--tz)
--   last_day       day of the last
--
-- Examples:
--   warehouse query sandbox-path-deny-recurrence --since 30d

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = getvariable('limit')::INTEGER;                                -- rows to show (default all)

WITH failed AS (
    SELECT *
    FROM tool_runs
    WHERE tool_name = 'Bash'
        AND is_error
        AND denial_kind IS NULL
        AND json_extract_string(input, '$.dangerouslyDisableSandbox') IS DISTINCT FROM 'true'
        AND date_filter(timestamp, getvariable('since'), getvariable('until'))
        AND project_filter(project_path, getvariable('project'))
        AND host_filter(host, getvariable('host'))
        AND agent_filter(agent, getvariable('agent'))
        AND session_filter(session_id, getvariable('session'))
),
lines AS (
    SELECT
        host,
        session_id,
        agent_id,
        timestamp,
        source_file,
        source_line,
        item_index,
        unnest(string_split(lower(error_text), chr(10))) AS line
    FROM failed
)
SELECT
    host,
    category,
    count(DISTINCT (source_file, source_line, item_index)) AS failures,
    count(DISTINCT session_id) AS sessions,
    count(DISTINCT (session_id, agent_id)) FILTER (agent_id IS NOT NULL) AS agent_threads,
    min(timestamp)::DATE AS first_day,
    max(timestamp)::DATE AS last_day
FROM lines
JOIN sandbox_failure_patterns ON line LIKE lower(pattern)
GROUP BY host, category
ORDER BY failures DESC, host, category
LIMIT getvariable('limit');
