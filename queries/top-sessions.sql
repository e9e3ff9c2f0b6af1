-- The biggest sessions, one row per session.
--
-- By cost, or by output with --sort output. Sub-agents count for their session.
--
-- Columns:
--   session_id         session
--   host               machine
--   project_path       working directory of most of its responses
--   title              name it was given, by hand or by the agent
--   responses          responses of models, sub-agents' included
--   output_tokens      output, reasoning included
--   avg_output_tokens  output of a response on average
--   cost_usd           cost of the responses that have a price, USD
--   unpriced_tokens    tokens of those that have none
--   last_used_at       time of its last response
--
-- Chart: session_id, cost_usd
--
-- Examples:
--   warehouse query top-sessions --since 30d
--   warehouse query top-sessions --sort output --limit 5

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = coalesce(getvariable('limit'), '15')::INTEGER;                -- rows to show
SET VARIABLE sort    = coalesce(getvariable('sort'), 'cost')::VARCHAR;                -- cost or output

SELECT
    session_id,
    host,
    project_path,
    label AS title,
    responses,
    output_tokens,
    round(output_tokens / nullif(responses, 0))::BIGINT AS avg_output_tokens,
    cost_usd,
    unpriced_tokens,
    last_used_at
FROM (
    SELECT
        host,
        agent,
        session_id,
        mode(project_path ORDER BY project_path) AS project_path,
        count(*) FILTER (usage_kind = 'response') AS responses,
        coalesce(sum(output_tokens), 0)::BIGINT AS output_tokens,
        sum(cost_usd) AS cost_usd,
        coalesce(sum(total_tokens) FILTER (cost_usd IS NULL), 0)::BIGINT AS unpriced_tokens,
        max(timestamp) AS last_used_at
    FROM message_usage
    WHERE NOT is_attempt
        AND date_filter(timestamp, getvariable('since'), getvariable('until'))
        AND project_filter(project_path, getvariable('project'))
        AND host_filter(host, getvariable('host'))
        AND agent_filter(agent, getvariable('agent'))
        AND session_filter(session_id, getvariable('session'))
    GROUP BY host, agent, session_id
)
LEFT JOIN session_labels USING (host, agent, session_id)
ORDER BY
    CASE WHEN getvariable('sort') = 'output' THEN output_tokens END DESC NULLS LAST,
    cost_usd DESC NULLS LAST,
    output_tokens DESC,
    host,
    agent,
    session_id
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
