-- Responses whose output is a lower bound, one row per version of the agent program.
--
-- Versions before 2.1.88 often never wrote the last count of a response: the output they recorded
-- is that of its beginning, and so is the cost. Their text tells how much is missing: a token is
-- about four characters of English.
--
-- Columns:
--   version                version of the agent program; empty where the line names none
--   responses              responses of models
--   partial_responses      responses whose output is a lower bound
--   partial_pct            those in a hundred
--   output_tokens          output of all responses, as recorded
--   partial_output_tokens  output of the partial ones, as recorded
--   partial_text_chars     characters of text in the partial ones, without thinking and calls
--   cost_usd               cost of the responses that have a price, USD
--   partial_cost_usd       cost of the partial ones
--   first_used_at          time of the first response
--   last_used_at           time of the last one
--
-- Totals: responses, partial_responses, output_tokens, partial_output_tokens, partial_text_chars,
--   cost_usd, partial_cost_usd
-- Chart: version, partial_pct
--
-- Examples:
--   warehouse query partial-output
--   warehouse query partial-output --project /home/dev/app

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = getvariable('limit')::INTEGER;                                -- rows to show (default all)

SELECT
    version,
    count(*) AS responses,
    count(*) FILTER (is_output_partial) AS partial_responses,
    (100 * partial_responses / count(*))::DECIMAL(5, 1) AS partial_pct,
    coalesce(sum(output_tokens), 0)::BIGINT AS output_tokens,
    coalesce(sum(output_tokens) FILTER (is_output_partial), 0)::BIGINT AS partial_output_tokens,
    coalesce(sum(text_chars) FILTER (is_output_partial), 0)::BIGINT AS partial_text_chars,
    sum(cost_usd) AS cost_usd,
    CASE WHEN partial_responses = 0 THEN 0 ELSE sum(cost_usd) FILTER (is_output_partial) END AS partial_cost_usd,
    min(timestamp) AS first_used_at,
    max(timestamp) AS last_used_at
FROM responses
WHERE date_filter(timestamp, getvariable('since'), getvariable('until'))
    AND project_filter(project_path, getvariable('project'))
    AND host_filter(host, getvariable('host'))
    AND agent_filter(agent, getvariable('agent'))
    AND session_filter(session_id, getvariable('session'))
GROUP BY version
ORDER BY
    try_cast(split_part(version, '.', 1) AS INTEGER) NULLS FIRST,
    try_cast(split_part(version, '.', 2) AS INTEGER) NULLS FIRST,
    try_cast(split_part(version, '.', 3) AS INTEGER) NULLS FIRST,
    version NULLS FIRST
LIMIT getvariable('limit');
