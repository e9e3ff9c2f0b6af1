-- Use of tools, one row per tool.
--
-- Counted are the calls made in the time asked for. A call that a person, a rule or a mode refused
-- did not run: it is a denial, no failure, and the failure rate leaves it out of both numbers.
--
-- Columns:
--   tool_name       name as the model wrote it
--   calls           calls, sub-agents' included
--   failures        calls that ran and failed
--   denials         calls that were refused
--   failure_pct     failures in a hundred calls that were not refused
--   sessions        sessions with a call
--   median_wait_ms  median from call to result of calls not refused, milliseconds: the run and
--                   what people took to allow it
--   last_used_at    time of the last call
--
-- Examples:
--   warehouse query tool-stats --since 30d
--   warehouse query tool-stats --project /home/dev/app --limit 10

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = coalesce(getvariable('limit'), '100')::INTEGER;               -- rows to show

SELECT
    tool_name,
    count(*) AS calls,
    count(*) FILTER (WHERE is_error AND denial_kind IS NULL) AS failures,
    count(denial_kind) AS denials,
    (100 * failures / nullif(calls - denials, 0))::DECIMAL(5, 1) AS failure_pct,
    count(DISTINCT session_id) AS sessions,
    round(median(wait_ms) FILTER (WHERE denial_kind IS NULL))::BIGINT AS median_wait_ms,
    max(timestamp) AS last_used_at
FROM tool_runs
WHERE date_filter(timestamp, getvariable('since'), getvariable('until'))
    AND project_filter(project_path, getvariable('project'))
    AND host_filter(host, getvariable('host'))
    AND agent_filter(agent, getvariable('agent'))
    AND session_filter(session_id, getvariable('session'))
GROUP BY tool_name
ORDER BY calls DESC, tool_name
LIMIT getvariable('limit');
