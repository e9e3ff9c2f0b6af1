-- Tokens and cost by session, one row per session.
--
-- A response that resumes and forks copied counts for the session it first stood in. Sub-agents
-- count for their session; sub_agent_cost_usd is their part.
--
-- Columns:
--   session_id          session
--   title               name it was given, by hand or by the agent
--   project_path        working directory of most of its responses
--   host                machine
--   models              models that answered
--   responses           responses of models
--   input_tokens        input that no cache served
--   output_tokens       output, reasoning included
--   cache_write_tokens  input written to the cache
--   cache_read_tokens   input served by the cache
--   total_tokens        the four together
--   cost_usd            cost of the responses that have a price, USD
--   unpriced_tokens     tokens of those that have none
--   sub_agent_cost_usd  part of cost_usd that sub-agents used, USD
--   last_used_at        time of its last response
--
-- Totals: responses, input_tokens, output_tokens, cache_write_tokens, cache_read_tokens, total_tokens,
--   cost_usd, unpriced_tokens, sub_agent_cost_usd
-- Chart: session_id, cost_usd
--
-- Examples:
--   warehouse query usage-by-session --since 7d --limit 20
--   warehouse query usage-by-session --session 11111111

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = getvariable('limit')::INTEGER;                                -- rows to show (default all)

SELECT
    session_id,
    label AS title,
    used.project_path,
    used.host,
    models,
    responses,
    input_tokens,
    output_tokens,
    cache_write_tokens,
    cache_read_tokens,
    total_tokens,
    cost_usd,
    unpriced_tokens,
    sub_agent_cost_usd,
    last_used_at
FROM (
    SELECT
        host,
        agent,
        session_id,
        mode(project_path ORDER BY project_path) AS project_path,
        string_agg(DISTINCT model, ', ' ORDER BY model) AS models,
        count(*) FILTER (usage_kind = 'response') AS responses,
        coalesce(sum(input_tokens), 0)::BIGINT AS input_tokens,
        coalesce(sum(output_tokens), 0)::BIGINT AS output_tokens,
        sum(cache_creation_tokens)::BIGINT AS cache_write_tokens,
        sum(cache_read_tokens)::BIGINT AS cache_read_tokens,
        sum(total_tokens)::BIGINT AS total_tokens,
        sum(cost_usd) AS cost_usd,
        coalesce(sum(total_tokens) FILTER (cost_usd IS NULL), 0)::BIGINT AS unpriced_tokens,
        CASE WHEN bool_or(is_sidechain) THEN sum(cost_usd) FILTER (is_sidechain) ELSE 0 END AS sub_agent_cost_usd,
        max(timestamp) AS last_used_at
    FROM message_usage
    WHERE NOT is_attempt
        AND date_filter(timestamp, getvariable('since'), getvariable('until'))
        AND project_filter(project_path, getvariable('project'))
        AND host_filter(host, getvariable('host'))
        AND agent_filter(agent, getvariable('agent'))
        AND session_filter(session_id, getvariable('session'))
    GROUP BY host, agent, session_id
) AS used
LEFT JOIN session_labels USING (host, agent, session_id)
ORDER BY cost_usd DESC NULLS LAST, total_tokens DESC, used.host, agent, session_id
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
