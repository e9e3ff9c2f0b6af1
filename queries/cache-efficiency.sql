-- How well the cache served, and what rebuilding it cost, one row per cause.
--
-- Each response is compared with the one before in its thread. The cache then held what that one
-- read and wrote; where 1,024 tokens or more of it were not read again, the cache was rebuilt. The
-- cause is the first that fits: a compaction between the two, another model, more than an hour
-- without a request (or five minutes, where the cache was written for five), another version of the
-- program, else the beginning of the prompt changed (tools, instructions, files).
--
-- rebuilt_cost_usd is what was paid for writing those tokens above reading them, at the newest
-- listed prices. Turns of advisors are not shown.
--
-- Columns:
--   cause               why the cache was rebuilt; cache served where it was not
--   responses           responses of models
--   hit_pct             input that the cache served, in a hundred tokens
--   cache_read_tokens   input served by the cache
--   cache_write_tokens  input written to the cache
--   input_tokens        input that no cache served
--   rebuilt_tokens      tokens that the cache had held and that were paid for anew
--   rebuilt_cost_usd    what that cost above reading them, USD
--   cost_usd            cost of the responses that have a price, USD
--   unpriced_tokens     tokens of those that have none
--
-- Totals: responses, cache_read_tokens, cache_write_tokens, input_tokens, rebuilt_tokens,
--   rebuilt_cost_usd, cost_usd, unpriced_tokens
-- Chart: cause, rebuilt_cost_usd
--
-- Examples:
--   warehouse query cache-efficiency --since 7d
--   warehouse query cache-efficiency --session 11111111

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = getvariable('limit')::INTEGER;                                -- rows to show (default all)

WITH used AS (
    SELECT
        *,
        coalesce(input_tokens, 0) + cache_read_tokens + cache_creation_tokens AS context_tokens
    FROM message_usage
    WHERE usage_kind = 'response'
),
steps AS (
    SELECT
        *,
        lag(timestamp) OVER thread AS before_at,
        lag(cache_read_tokens + cache_creation_tokens) OVER thread AS cached_before,
        lag(cache_write_1h_tokens > 0) OVER thread AS was_1h,
        lag(model) OVER thread AS model_before,
        lag(version) OVER thread AS version_before
    FROM used
    WINDOW thread AS (PARTITION BY host, agent, session_id, agent_id ORDER BY timestamp, source_file, source_line)
),
-- What the cache held and the request could have used again, but did not read.
lost AS (
    SELECT
        *,
        greatest(least(cached_before, context_tokens) - cache_read_tokens, 0) AS lost_tokens,
        date_diff('second', before_at, timestamp) / 60.0 AS idle_minutes
    FROM steps
),
compacted AS (
    SELECT
        host,
        agent,
        session_id,
        timestamp AS compacted_at
    FROM raw
    WHERE type = 'system' AND subtype = 'compact_boundary' AND timestamp IS NOT NULL
),
newest AS (
    SELECT
        model AS priced_as,
        arg_max(cache_write_5m, {'a': source = 'own', 'b': valid_from}) AS write_5m,
        arg_max(coalesce(cache_write_1h, 2 * input), {'a': source = 'own', 'b': valid_from}) AS write_1h,
        arg_max(cache_read, {'a': source = 'own', 'b': valid_from}) AS read_again
    FROM model_prices
    GROUP BY model
),
caused AS (
    SELECT
        lost.*,
        CASE
            WHEN cached_before IS NULL THEN 'first request of a thread'
            WHEN lost_tokens < 1024 THEN 'cache served'
            WHEN compacted.compacted_at > before_at THEN 'compaction'
            WHEN model <> model_before THEN 'model changed'
            WHEN idle_minutes > 60 THEN 'idle for an hour'
            WHEN idle_minutes > 5 AND NOT was_1h THEN 'idle for five minutes'
            WHEN version <> version_before THEN 'program updated'
            ELSE 'beginning changed'
        END AS cause,
        CASE
            WHEN cause IN ('first request of a thread', 'cache served') THEN 0
            ELSE (lost_tokens * (CASE WHEN cache_write_1h_tokens > 0 THEN write_1h ELSE write_5m END - read_again) * 0.000001)::DECIMAL(38, 12)
        END AS rebuilt_usd
    FROM lost
    ASOF LEFT JOIN compacted
        ON compacted.host = lost.host AND compacted.agent = lost.agent AND compacted.session_id = lost.session_id AND compacted_at <= lost.timestamp
    LEFT JOIN newest USING (priced_as)
)
SELECT
    cause,
    count(*) AS responses,
    (100 * sum(caused.cache_read_tokens) / nullif(sum(context_tokens), 0))::DECIMAL(5, 1) AS hit_pct,
    sum(caused.cache_read_tokens)::BIGINT AS cache_read_tokens,
    sum(cache_creation_tokens)::BIGINT AS cache_write_tokens,
    coalesce(sum(caused.input_tokens), 0)::BIGINT AS input_tokens,
    coalesce(sum(lost_tokens) FILTER (cause NOT IN ('first request of a thread', 'cache served')), 0)::BIGINT AS rebuilt_tokens,
    sum(rebuilt_usd) AS rebuilt_cost_usd,
    sum(caused.cost_usd) AS cost_usd,
    coalesce(sum(caused.total_tokens) FILTER (caused.cost_usd IS NULL), 0)::BIGINT AS unpriced_tokens
FROM caused
WHERE date_filter(caused.timestamp, getvariable('since'), getvariable('until'))
    AND project_filter(caused.project_path, getvariable('project'))
    AND host_filter(caused.host, getvariable('host'))
    AND agent_filter(caused.agent, getvariable('agent'))
    AND session_filter(caused.session_id, getvariable('session'))
GROUP BY cause
ORDER BY cost_usd DESC NULLS LAST, responses DESC, cause
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
