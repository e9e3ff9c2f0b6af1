-- Models whose use has no cost, one row per model and reason.
--
-- Add their prices, USD per million tokens, in a CSV file with the columns model, input, output and
-- as many others of model_prices as you know: ~/.config/warehouse/prices.csv, or the file that
-- warehouse refresh --prices names. Cost is then known from the next refresh on, for old responses
-- too.
--
-- Columns:
--   model               model as transcripts name it
--   reason              what is missing
--   responses           responses without a cost
--   sessions            sessions with one
--   input_tokens        input that no cache served
--   output_tokens       output, reasoning included
--   cache_write_tokens  input written to the cache
--   cache_read_tokens   input served by the cache
--   unpriced_tokens     the four together
--   first_used_at       time of the first such response
--   last_used_at        time of the last
--
-- Totals: responses, input_tokens, output_tokens, cache_write_tokens, cache_read_tokens,
--   unpriced_tokens
--
-- Examples:
--   warehouse query unpriced-models
--   warehouse query unpriced-models --since 30d

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = getvariable('limit')::INTEGER;                                -- rows to show (default all)

SELECT
    model,
    CASE
        WHEN priced_as IS NULL THEN 'no price'
        ELSE 'no price for some of its tokens'
    END AS reason,
    count(*) AS responses,
    count(DISTINCT (host, session_id)) AS sessions,
    coalesce(sum(input_tokens), 0)::BIGINT AS input_tokens,
    coalesce(sum(output_tokens), 0)::BIGINT AS output_tokens,
    sum(cache_creation_tokens)::BIGINT AS cache_write_tokens,
    sum(cache_read_tokens)::BIGINT AS cache_read_tokens,
    sum(total_tokens)::BIGINT AS unpriced_tokens,
    min(timestamp) AS first_used_at,
    max(timestamp) AS last_used_at
FROM message_usage
WHERE NOT is_attempt
    AND date_filter(timestamp, getvariable('since'), getvariable('until'))
    AND project_filter(project_path, getvariable('project'))
    AND host_filter(host, getvariable('host'))
    AND agent_filter(agent, getvariable('agent'))
    AND session_filter(session_id, getvariable('session'))
    AND cost_usd IS NULL
    AND total_tokens > 0
GROUP BY model, reason
ORDER BY unpriced_tokens DESC, model, reason
LIMIT getvariable('limit');
