-- Tokens and cost by month, one row per month.
--
-- Each response counts once, on the day of its last line, however many lines and copies of it there
-- are. A session of several months has its part on each. Refused attempts are left out. With
-- --limit the last months are shown.
--
-- Columns:
--   month               month, such as 2026-11
--   models              models that answered
--   responses           responses of models
--   input_tokens        input that no cache served
--   output_tokens       output, reasoning included
--   cache_write_tokens  input written to the cache
--   cache_read_tokens   input served by the cache
--   total_tokens        the four together
--   cost_usd            cost of the responses that have a price, USD
--   unpriced_tokens     tokens of those that have none
--
-- Totals: responses, input_tokens, output_tokens, cache_write_tokens, cache_read_tokens, total_tokens,
--   cost_usd, unpriced_tokens
-- Chart: month, cost_usd
--
-- Examples:
--   warehouse query usage-monthly
--   warehouse query usage-monthly --format csv

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = getvariable('limit')::INTEGER;                                -- rows to show (default all)

SELECT
    month,
    models,
    responses,
    input_tokens,
    output_tokens,
    cache_write_tokens,
    cache_read_tokens,
    total_tokens,
    cost_usd,
    unpriced_tokens
FROM (
    SELECT
        strftime(timestamp::DATE, '%Y-%m') AS month,
        string_agg(DISTINCT model, ', ' ORDER BY model) AS models,
        count(*) FILTER (usage_kind = 'response') AS responses,
        coalesce(sum(input_tokens), 0)::BIGINT AS input_tokens,
        coalesce(sum(output_tokens), 0)::BIGINT AS output_tokens,
        sum(cache_creation_tokens)::BIGINT AS cache_write_tokens,
        sum(cache_read_tokens)::BIGINT AS cache_read_tokens,
        sum(total_tokens)::BIGINT AS total_tokens,
        sum(cost_usd) AS cost_usd,
        coalesce(sum(total_tokens) FILTER (cost_usd IS NULL), 0)::BIGINT AS unpriced_tokens
    FROM message_usage
    WHERE NOT is_attempt
        AND date_filter(timestamp, getvariable('since'), getvariable('until'))
        AND project_filter(project_path, getvariable('project'))
        AND host_filter(host, getvariable('host'))
        AND agent_filter(agent, getvariable('agent'))
        AND session_filter(session_id, getvariable('session'))
    GROUP BY month
    ORDER BY month DESC
    LIMIT getvariable('limit')
)
ORDER BY month NULLS FIRST;

SELECT note
FROM usage_notes(
    getvariable('since'),
    getvariable('until'),
    getvariable('project'),
    getvariable('host'),
    getvariable('agent'),
    getvariable('session')
);
