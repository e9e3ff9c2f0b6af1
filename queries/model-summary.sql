-- What each model was used for, one row per model.
--
-- How much, how large, how well the cache served it, and from when to when.
--
-- Columns:
--   model                 model as transcripts name it
--   family                fable, opus, sonnet, haiku or other
--   responses             responses
--   sessions              sessions with one
--   input_tokens          input that no cache served
--   output_tokens         output, reasoning included
--   cache_write_tokens    input written to the cache
--   cache_read_tokens     input served by the cache
--   cost_usd              cost of the responses that have a price, USD
--   unpriced_tokens       tokens of those that have none
--   median_output_tokens  median output of a response
--   max_context_tokens    largest input of one response, cached or not
--   cache_hit_pct         input that the cache served, in a hundred tokens
--   partial_output_pct    output that is a lower bound, in a hundred tokens
--   web_searches          web searches the API made
--   first_used_at         time of its first response
--   last_used_at          time of its last
--
-- Totals: responses, input_tokens, output_tokens, cache_write_tokens, cache_read_tokens, cost_usd,
--   unpriced_tokens, web_searches
--
-- Examples:
--   warehouse query model-summary
--   warehouse query model-summary --since 30d --project app

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = getvariable('limit')::INTEGER;                                -- rows to show (default all)

SELECT
    model,
    model_family(model) AS family,
    count(*) FILTER (usage_kind = 'response') AS responses,
    count(DISTINCT (host, session_id)) AS sessions,
    coalesce(sum(input_tokens), 0)::BIGINT AS input_tokens,
    coalesce(sum(output_tokens), 0)::BIGINT AS output_tokens,
    sum(cache_creation_tokens)::BIGINT AS cache_write_tokens,
    sum(cache_read_tokens)::BIGINT AS cache_read_tokens,
    sum(cost_usd) AS cost_usd,
    coalesce(sum(total_tokens) FILTER (cost_usd IS NULL), 0)::BIGINT AS unpriced_tokens,
    round(median(output_tokens))::BIGINT AS median_output_tokens,
    max(coalesce(message_usage.input_tokens, 0) + message_usage.cache_read_tokens + cache_creation_tokens) AS max_context_tokens,
    (100 * sum(message_usage.cache_read_tokens) / nullif(sum(coalesce(message_usage.input_tokens, 0) + message_usage.cache_read_tokens + cache_creation_tokens), 0))::DECIMAL(5, 1) AS cache_hit_pct,
    (100 * coalesce(sum(message_usage.output_tokens) FILTER (is_output_partial), 0) / nullif(sum(message_usage.output_tokens), 0))::DECIMAL(5, 1) AS partial_output_pct,
    sum(web_search_requests)::BIGINT AS web_searches,
    min(timestamp) AS first_used_at,
    max(timestamp) AS last_used_at
FROM message_usage
WHERE NOT is_attempt
    AND date_filter(timestamp, getvariable('since'), getvariable('until'))
    AND project_filter(project_path, getvariable('project'))
    AND host_filter(host, getvariable('host'))
    AND agent_filter(agent, getvariable('agent'))
    AND session_filter(session_id, getvariable('session'))
GROUP BY model
ORDER BY responses DESC, model
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
