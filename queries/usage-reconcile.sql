-- Totals that transcripts recorded against those computed here, one row per session and record.
--
-- A record is a cost-state line (a session's running total, written by Claude Code 2.1.261 as
-- reported; the last one holds) or the costUSD of lines of a response (before 1.0.30 or so), added
-- up. Computed is the cost by tokens and prices alone.
--
-- A running total cannot be cut at a day, so a session is shown whole when it was used in the time
-- asked for. Differences have honest reasons: output that old versions never wrote, use outside the
-- transcript, a price that changed.
--
-- Columns:
--   session_id         session
--   record             cost-state or costUSD
--   recorded_cost_usd  cost as recorded, USD
--   computed_cost_usd  cost of the same by tokens and prices, USD
--   difference_usd     computed less recorded, USD
--   recorded_tokens    tokens as recorded, all kinds
--   tokens             tokens of the responses compared
--   unpriced_tokens    those of them that have no price
--   responses          responses compared
--   project_path       working directory of most of them
--   host               machine
--   first_used_at      time of the first response of the session
--   last_used_at       time of the last
--
-- Totals: recorded_cost_usd, computed_cost_usd, difference_usd, tokens, unpriced_tokens, responses
--
-- Examples:
--   warehouse query usage-reconcile
--   warehouse query usage-reconcile --since 30d --format csv

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = getvariable('limit')::INTEGER;                                -- rows to show (default all)

WITH used AS (
    SELECT
        host,
        agent,
        session_id,
        mode(project_path ORDER BY project_path) AS project_path,
        min(timestamp) AS first_used_at,
        max(timestamp) AS last_used_at,
        count(*) FILTER (usage_kind = 'response') AS responses,
        sum(total_tokens)::BIGINT AS tokens,
        sum(computed_cost_usd) AS computed_cost_usd,
        coalesce(sum(total_tokens) FILTER (computed_cost_usd IS NULL), 0)::BIGINT AS unpriced_tokens,
        count(*) FILTER (is_cost_recorded) AS line_responses,
        sum(total_tokens) FILTER (is_cost_recorded)::BIGINT AS line_tokens,
        sum(cost_usd) FILTER (is_cost_recorded) AS line_recorded_usd,
        sum(computed_cost_usd) FILTER (is_cost_recorded) AS line_computed_usd,
        coalesce(sum(total_tokens) FILTER (is_cost_recorded AND computed_cost_usd IS NULL), 0)::BIGINT AS line_unpriced_tokens
    FROM message_usage
    WHERE NOT is_attempt
    GROUP BY host, agent, session_id
),
-- A state is written anew as the session goes on: the last one holds.
states AS (
    SELECT
        host,
        agent,
        session_id,
        arg_max(data, {'a': coalesce(timestamp, '1970-01-01'), 'b': source_file, 'c': source_line}) AS state
    FROM raw
    WHERE type = 'cost-state' AND data IS NOT NULL
    GROUP BY host, agent, session_id
),
models AS (
    SELECT
        host,
        agent,
        session_id,
        from_json(
            json_extract(state, '$.modelUsage.*'),
            '[{"inputTokens": "BIGINT", "outputTokens": "BIGINT", "cacheReadInputTokens": "BIGINT", "cacheCreationInputTokens": "BIGINT"}]'
        ) AS parts
    FROM states
),
compared AS (
    SELECT
        host,
        agent,
        session_id,
        'cost-state' AS record,
        project_path,
        try_cast(json_extract_string(state, '$.totalCostUSD') AS DECIMAL(38, 12)) AS recorded_cost_usd,
        computed_cost_usd,
        recorded_tokens,
        tokens,
        unpriced_tokens,
        responses,
        first_used_at,
        last_used_at
    FROM states
    LEFT JOIN used USING (host, agent, session_id)
    LEFT JOIN (
        SELECT
            host,
            agent,
            session_id,
            sum(coalesce(part.inputTokens, 0) + coalesce(part.outputTokens, 0)
                + coalesce(part.cacheReadInputTokens, 0) + coalesce(part.cacheCreationInputTokens, 0))::BIGINT AS recorded_tokens
        FROM (
            SELECT
                host,
                agent,
                session_id,
                unnest(parts) AS part
            FROM models
        )
        GROUP BY host, agent, session_id
    ) USING (host, agent, session_id)
    UNION ALL
    SELECT
        host,
        agent,
        session_id,
        'costUSD' AS record,
        project_path,
        line_recorded_usd,
        line_computed_usd,
        NULL,
        line_tokens,
        line_unpriced_tokens,
        line_responses,
        first_used_at,
        last_used_at
    FROM used
    WHERE line_responses > 0
)
SELECT
    session_id,
    record,
    recorded_cost_usd,
    computed_cost_usd,
    computed_cost_usd - recorded_cost_usd AS difference_usd,
    recorded_tokens,
    tokens,
    unpriced_tokens,
    responses,
    project_path,
    host,
    first_used_at,
    last_used_at
FROM compared
WHERE date_filter(last_used_at, getvariable('since'), NULL)
    AND date_filter(first_used_at, NULL, getvariable('until'))
    AND project_filter(project_path, getvariable('project'))
    AND host_filter(host, getvariable('host'))
    AND agent_filter(agent, getvariable('agent'))
    AND session_filter(session_id, getvariable('session'))
ORDER BY abs(difference_usd) DESC NULLS LAST, host, agent, session_id, record
LIMIT getvariable('limit');
