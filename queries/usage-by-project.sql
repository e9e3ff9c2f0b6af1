-- Tokens and cost by project, one row per machine and project.
--
-- The project of a response is the working directory of the line it is booked by, so a session that
-- moved has its part in each. Worktrees that lie below their repository (.claude/worktrees) count
-- for it; --apart true shows each on a row of its own.
--
-- Columns:
--   project_path        working directory, or the repository it is a worktree of
--   host                machine
--   sessions            sessions with a response
--   responses           responses of models
--   input_tokens        input that no cache served
--   output_tokens       output, reasoning included
--   cache_write_tokens  input written to the cache
--   cache_read_tokens   input served by the cache
--   total_tokens        the four together
--   cost_usd            cost of the responses that have a price, USD
--   unpriced_tokens     tokens of those that have none
--   last_used_at        time of the last response
--
-- Totals: responses, input_tokens, output_tokens, cache_write_tokens, cache_read_tokens, total_tokens,
--   cost_usd, unpriced_tokens
-- Chart: project_path, cost_usd
--
-- Examples:
--   warehouse query usage-by-project --since 30d
--   warehouse query usage-by-project --project '/home/dev/*' --limit 10

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = getvariable('limit')::INTEGER;                                -- rows to show (default all)
SET VARIABLE apart   = coalesce(getvariable('apart'), 'false')::BOOLEAN;              -- each worktree on a row of its own

SELECT
    CASE WHEN getvariable('apart') THEN message_usage.project_path ELSE repository(message_usage.project_path) END AS project_path,
    host,
    count(DISTINCT session_id) AS sessions,
    count(*) FILTER (usage_kind = 'response') AS responses,
    coalesce(sum(input_tokens), 0)::BIGINT AS input_tokens,
    coalesce(sum(output_tokens), 0)::BIGINT AS output_tokens,
    sum(cache_creation_tokens)::BIGINT AS cache_write_tokens,
    sum(cache_read_tokens)::BIGINT AS cache_read_tokens,
    sum(total_tokens)::BIGINT AS total_tokens,
    sum(cost_usd) AS cost_usd,
    coalesce(sum(total_tokens) FILTER (cost_usd IS NULL), 0)::BIGINT AS unpriced_tokens,
    max(timestamp) AS last_used_at
FROM message_usage
WHERE NOT is_attempt
    AND date_filter(message_usage.timestamp, getvariable('since'), getvariable('until'))
    AND project_filter(message_usage.project_path, getvariable('project'))
    AND host_filter(message_usage.host, getvariable('host'))
    AND agent_filter(message_usage.agent, getvariable('agent'))
    AND session_filter(message_usage.session_id, getvariable('session'))
GROUP BY ALL
ORDER BY cost_usd DESC NULLS LAST, total_tokens DESC, project_path, host
LIMIT getvariable('limit');

SELECT note
FROM usage_notes(
    getvariable('since'),
    getvariable('until'),
    getvariable('project'),
    getvariable('host'),
    getvariable('agent'),
    getvariable('session')
);
