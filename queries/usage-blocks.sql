-- Tokens and cost by five-hour window, one row per window, the last first.
--
-- A window begins at the full hour (UTC) of the first response and lasts five hours; the next
-- begins with the first response behind it. That is how plans with five-hour limits are commonly
-- counted; the vendor may draw other lines. Responses without a time are in no window.
--
-- Columns:
--   block_start         begin of the window
--   block_end           end of the window
--   is_active           true while it lasts
--   models              models that answered
--   responses           responses of models
--   input_tokens        input that no cache served
--   output_tokens       output, reasoning included
--   cache_write_tokens  input written to the cache
--   cache_read_tokens   input served by the cache
--   total_tokens        the four together
--   cost_usd            cost of the responses that have a price, USD
--   unpriced_tokens     tokens of those that have none
--   last_used_at        time of the last response in it
--
-- Totals: responses, input_tokens, output_tokens, cache_write_tokens, cache_read_tokens, total_tokens,
--   cost_usd, unpriced_tokens
-- Chart: block_start, cost_usd
--
-- Examples:
--   warehouse query usage-blocks --since 7d
--   warehouse query usage-blocks --limit 1

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = getvariable('limit')::INTEGER;                                -- rows to show (default all)

WITH RECURSIVE used AS (
    SELECT
        *,
        date_trunc('hour', timestamp AT TIME ZONE 'UTC') AS used_hour
    FROM message_usage
    WHERE NOT is_attempt
        AND date_filter(timestamp, getvariable('since'), getvariable('until'))
        AND project_filter(project_path, getvariable('project'))
        AND host_filter(host, getvariable('host'))
        AND agent_filter(agent, getvariable('agent'))
        AND session_filter(session_id, getvariable('session'))
        AND timestamp IS NOT NULL
),
hours AS (
    SELECT DISTINCT used_hour
    FROM used
),
-- The block behind one that begins at an hour begins at the first hour of use five hours later.
next_blocks AS (
    SELECT
        used_hour,
        first_value(used_hour) OVER (
            ORDER BY used_hour
            RANGE BETWEEN INTERVAL 5 HOUR FOLLOWING AND UNBOUNDED FOLLOWING
        ) AS next_hour
    FROM hours
),
blocks AS (
    SELECT min(used_hour) AS begins
    FROM hours
    HAVING count(*) > 0
    UNION ALL
    SELECT next_hour
    FROM blocks
    JOIN next_blocks ON used_hour = begins
    WHERE next_hour IS NOT NULL
)
SELECT
    begins AT TIME ZONE 'UTC' AS block_start,
    (begins + INTERVAL 5 HOUR) AT TIME ZONE 'UTC' AS block_end,
    block_end > now() AS is_active,
    string_agg(DISTINCT model, ', ' ORDER BY model) AS models,
    count(*) FILTER (usage_kind = 'response') AS responses,
    coalesce(sum(input_tokens), 0)::BIGINT AS input_tokens,
    coalesce(sum(output_tokens), 0)::BIGINT AS output_tokens,
    sum(cache_creation_tokens)::BIGINT AS cache_write_tokens,
    sum(cache_read_tokens)::BIGINT AS cache_read_tokens,
    sum(total_tokens)::BIGINT AS total_tokens,
    sum(cost_usd) AS cost_usd,
    coalesce(sum(total_tokens) FILTER (cost_usd IS NULL), 0)::BIGINT AS unpriced_tokens,
    max(timestamp) AS last_used_at
FROM used
JOIN (
    SELECT
        begins,
        begins + to_hours(unnest(range(5))) AS used_hour
    FROM blocks
) AS hours_of_blocks USING (used_hour)
GROUP BY begins
ORDER BY block_start DESC
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
