-- Use of MCP servers, one row per server and tool.
--
-- A call that was refused did not run: it is a denial, no failure, and the failure rate leaves it
-- out of both numbers.
--
-- Columns:
--   server          MCP server
--   tool            tool of the server
--   calls           calls, sub-agents' included
--   failures        calls that ran and failed
--   denials         calls that were refused
--   failure_pct     failures in a hundred calls that were not refused
--   sessions        sessions with a call
--   median_wait_ms  median from call to result of calls not refused, milliseconds
--   result_ktokens  tokens of the results, thousands: a token for four characters, 1,600 for an image
--   last_used_at    time of the last call
--
-- Totals: calls, failures, denials, result_ktokens
--
-- Examples:
--   warehouse query mcp-usage --since 30d

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = getvariable('limit')::INTEGER;                                -- rows to show (default all)

SELECT
    server,
    tool,
    count(*) AS calls,
    count(*) FILTER (is_error AND denial_kind IS NULL) AS failures,
    count(denial_kind) AS denials,
    (100 * failures / nullif(calls - denials, 0))::DECIMAL(5, 1) AS failure_pct,
    count(DISTINCT (host, session_id)) AS sessions,
    round(median(wait_ms) FILTER (denial_kind IS NULL))::BIGINT AS median_wait_ms,
    coalesce(sum(result_length / 4000 + result_images * 1.6), 0)::DECIMAL(18, 1) AS result_ktokens,
    max(timestamp) AS last_used_at
FROM mcp_calls
WHERE date_filter(timestamp, getvariable('since'), getvariable('until'))
    AND project_filter(project_path, getvariable('project'))
    AND host_filter(host, getvariable('host'))
    AND agent_filter(agent, getvariable('agent'))
    AND session_filter(session_id, getvariable('session'))
GROUP BY server, tool
ORDER BY calls DESC, server, tool
LIMIT getvariable('limit');
