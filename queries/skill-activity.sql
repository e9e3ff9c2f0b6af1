-- Work done under each skill, one row per skill.
--
-- A response belongs to the skill that its line is attributed to (Claude Code 2.1.160 and later);
-- what was done without a skill is not shown.
--
-- Columns:
--   skill               skill
--   assistant_turns     responses under it
--   sessions            sessions with one
--   output_tokens       output, reasoning included
--   input_tokens        input that no cache served
--   cache_write_tokens  input written to the cache
--   cache_read_tokens   input served by the cache
--   cost_usd            cost of the responses that have a price, USD
--   unpriced_tokens     tokens of those that have none
--   last_seen           time of the last response
--
-- Totals: assistant_turns, output_tokens, input_tokens, cache_write_tokens, cache_read_tokens, cost_usd,
--   unpriced_tokens
-- Chart: skill, cost_usd
--
-- Examples:
--   warehouse query skill-activity --since 30d

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = getvariable('limit')::INTEGER;                                -- rows to show (default all)

SELECT
    attribution_skill AS skill,
    count(*) FILTER (usage_kind = 'response') AS assistant_turns,
    count(DISTINCT (host, session_id)) AS sessions,
    coalesce(sum(output_tokens), 0)::BIGINT AS output_tokens,
    coalesce(sum(input_tokens), 0)::BIGINT AS input_tokens,
    sum(cache_creation_tokens)::BIGINT AS cache_write_tokens,
    sum(cache_read_tokens)::BIGINT AS cache_read_tokens,
    sum(cost_usd) AS cost_usd,
    coalesce(sum(total_tokens) FILTER (cost_usd IS NULL), 0)::BIGINT AS unpriced_tokens,
    max(timestamp) AS last_seen
FROM message_usage
WHERE NOT is_attempt
    AND date_filter(timestamp, getvariable('since'), getvariable('until'))
    AND project_filter(project_path, getvariable('project'))
    AND host_filter(host, getvariable('host'))
    AND agent_filter(agent, getvariable('agent'))
    AND session_filter(session_id, getvariable('session'))
    AND attribution_skill IS NOT NULL
GROUP BY skill
ORDER BY cost_usd DESC NULLS LAST, output_tokens DESC, skill
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
