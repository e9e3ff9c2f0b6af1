-- Bursts of use, one row per session and bucket of ten minutes, the dearest first.
--
-- Where much was used at once: what a bucket cost, how little of its input the cache served, how
-- large the context was and who used it.
--
-- Columns:
--   bucket              begin of the bucket
--   host                machine
--   session_id          session
--   project_path        working directory of most responses
--   responses           responses of models
--   cost_usd            cost of the responses that have a price, USD
--   unpriced_tokens     tokens of those that have none
--   input_tokens        input that no cache served
--   output_tokens       output, reasoning included
--   cache_write_tokens  input written to the cache
--   cache_read_tokens   input served by the cache
--   cache_miss_ratio    part of the input that the cache did not serve, 0 to 1
--   max_context_tokens  largest input of one response, cached or not
--   sidechain_share     part of the tokens that sub-agents used, 0 to 1
--   top_model           model of most responses
--   top_agent           agent type most responses are attributed to
--   top_skill           skill most responses are attributed to
--
-- Examples:
--   warehouse query usage-spikes --since 7d
--   warehouse query usage-spikes --bucket_minutes 60 --limit 10

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = coalesce(getvariable('limit'), '30')::INTEGER;                -- rows to show
SET VARIABLE bucket_minutes = coalesce(getvariable('bucket_minutes'), '10')::INTEGER;     -- length of a bucket, minutes

SELECT
    time_bucket(to_minutes(getvariable('bucket_minutes')), timestamp) AS bucket,
    host,
    session_id,
    mode(project_path ORDER BY project_path) AS project_path,
    count(*) FILTER (usage_kind = 'response') AS responses,
    sum(cost_usd) AS cost_usd,
    coalesce(sum(total_tokens) FILTER (cost_usd IS NULL), 0)::BIGINT AS unpriced_tokens,
    coalesce(sum(input_tokens), 0)::BIGINT AS input_tokens,
    coalesce(sum(output_tokens), 0)::BIGINT AS output_tokens,
    sum(cache_creation_tokens)::BIGINT AS cache_write_tokens,
    sum(cache_read_tokens)::BIGINT AS cache_read_tokens,
    (1 - sum(cache_read_tokens) / nullif(sum(context_tokens), 0))::DECIMAL(5, 3) AS cache_miss_ratio,
    max(context_tokens) AS max_context_tokens,
    (coalesce(sum(total_tokens) FILTER (is_sidechain), 0) / nullif(sum(total_tokens), 0))::DECIMAL(5, 3) AS sidechain_share,
    mode(model ORDER BY model) AS top_model,
    mode(attribution_agent ORDER BY attribution_agent) AS top_agent,
    mode(attribution_skill ORDER BY attribution_skill) AS top_skill
FROM (
    SELECT
        *,
        coalesce(input_tokens, 0) + cache_read_tokens + cache_creation_tokens AS context_tokens
    FROM message_usage
)
WHERE NOT is_attempt
    AND date_filter(timestamp, getvariable('since'), getvariable('until'))
    AND project_filter(project_path, getvariable('project'))
    AND host_filter(host, getvariable('host'))
    AND agent_filter(agent, getvariable('agent'))
    AND session_filter(session_id, getvariable('session'))
    AND timestamp IS NOT NULL
GROUP BY bucket, host, agent, session_id
ORDER BY cost_usd DESC NULLS LAST, sum(total_tokens) DESC, bucket, host, agent, session_id
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
