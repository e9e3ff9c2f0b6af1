-- How often tools fail and with what, one row per machine, tool and error.
--
-- Errors that differ in paths, ids and numbers alone are one. A call that a person, a rule or a
-- mode refused did not run: it is in neither number of the rate. Tools that put something to a
-- person are left out (table unrated_tools): their errors are answers.
--
-- Columns:
--   host           machine
--   tool_name      name as the model wrote it
--   calls          calls that were not refused, sub-agents' included
--   failures       those that failed
--   failure_pct    failures in a hundred calls
--   signature      error without paths, ids and numbers, its first 100 characters; empty for a
--                  tool that never failed
--   errors         failures with this error
--   sessions       sessions with one
--   agent_threads  sub-agents with one
--   first_seen     time of the first
--   last_seen      time of the last
--
-- Examples:
--   warehouse query tool-failure-rates --since 30d
--   warehouse query tool-failure-rates -p min_calls=1 -p signatures=2

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = getvariable('limit')::INTEGER;                                -- rows to show (default all)
SET VARIABLE min_calls = coalesce(getvariable('min_calls'), '30')::INTEGER;          -- fewest calls of a row
SET VARIABLE signatures = coalesce(getvariable('signatures'), '5')::INTEGER;         -- errors to show of each tool, the most frequent first

WITH runs AS (
    SELECT
        *,
        CASE WHEN is_error THEN coalesce(error_signature(error_text), '') END AS signature
    FROM tool_runs
    ANTI JOIN unrated_tools USING (tool_name)
    WHERE denial_kind IS NULL
        AND date_filter(timestamp, getvariable('since'), getvariable('until'))
        AND project_filter(project_path, getvariable('project'))
        AND host_filter(host, getvariable('host'))
        AND agent_filter(agent, getvariable('agent'))
        AND session_filter(session_id, getvariable('session'))
),
tools AS (
    SELECT
        host,
        tool_name,
        count(*) AS calls,
        count(signature) AS failures
    FROM runs
    GROUP BY host, tool_name
    HAVING count(*) >= getvariable('min_calls')
),
errors AS (
    SELECT
        host,
        tool_name,
        signature,
        count(*) AS errors,
        count(DISTINCT session_id) AS sessions,
        count(DISTINCT (session_id, agent_id)) FILTER (agent_id IS NOT NULL) AS agent_threads,
        min(timestamp) AS first_seen,
        max(timestamp) AS last_seen
    FROM runs
    WHERE signature IS NOT NULL
    GROUP BY host, tool_name, signature
    QUALIFY row_number() OVER (PARTITION BY host, tool_name ORDER BY count(*) DESC, max(timestamp) DESC, signature)
        <= getvariable('signatures')
)
SELECT
    host,
    tool_name,
    calls,
    failures,
    (100 * failures / calls)::DECIMAL(5, 1) AS failure_pct,
    signature,
    errors,
    sessions,
    agent_threads,
    first_seen,
    last_seen
FROM tools
LEFT JOIN errors USING (host, tool_name)
ORDER BY failures / calls DESC, calls DESC, host, tool_name, errors DESC, last_seen DESC, signature
LIMIT getvariable('limit');
