-- The lines behind a total, and what was left out of it and why, one row per line with usage.
--
-- The rows that count add up to what the other usage reports give for the same parameters: their
-- tokens and cost stand in the first columns, which are 0 on lines that were left out. Lines of a
-- response stand together, at the time of the one that counts; warehouse restore or the view
-- records show each as it is in the transcript.
--
-- Reasons to leave a line out: another line of the same response has the final count; it is a copy
-- that a resume, a fork, a sub-agent or a progress record made; it is a placeholder or reports an
-- API error; it is an attempt that was refused and done again.
--
-- Columns:
--   timestamp           time at which the response counts
--   reason              counts, or why not
--   responses           1 for the line that counts as a response, else 0
--   input_tokens        input that no cache served, where the line counts
--   output_tokens       output, where it counts
--   cache_write_tokens  input written to the cache, where it counts
--   cache_read_tokens   input served by the cache, where it counts
--   cost_usd            cost, USD; unpriced where it counts and is not known
--   left_out_tokens     all tokens of a line that does not count
--   model               model the line names
--   session_id          session the response is booked to
--   response_key        what makes lines one response
--   source_file         transcript
--   source_line         line in it, from 1
--
-- Totals: responses, input_tokens, output_tokens, cache_write_tokens, cache_read_tokens, cost_usd,
--   left_out_tokens
--
-- Examples:
--   warehouse query usage-explain --since 2026-11-30 --until 2026-11-30
--   warehouse query usage-explain --session 11111111 --format csv
--   warehouse query usage-explain --since 7d --model claude-opus-4-6

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = getvariable('limit')::INTEGER;                                -- rows to show (default all)
SET VARIABLE model   = getvariable('model')::VARCHAR;                                -- model, by its exact name (default all)

WITH lines AS (
    SELECT
        line.*,
        used.timestamp AS counted_at,
        used.session_id AS counted_session_id,
        used.source_file = line.source_file AND used.source_line = line.source_line AS is_counted,
        CASE
            WHEN line.left_out IS NOT NULL THEN line.left_out
            WHEN is_counted THEN 'counts'
            WHEN line.is_nested THEN 'copy in a progress record'
            WHEN line.source_file = used.source_file THEN 'another line of the response'
            WHEN line.is_sidechain THEN 'copy in a sub-agent'
            ELSE 'copy in another file'
        END AS reason,
        used.cost_usd
    FROM usage_lines AS line
    -- A condition of its own on line would make DuckDB compare each row with each: 4 s, not 0.3.
    LEFT JOIN message_usage AS used ON used.response_key = CASE WHEN line.left_out IS NULL THEN line.response_key END AND used.usage_kind = 'response'
    WHERE date_filter(coalesce(used.timestamp, line.timestamp), getvariable('since'), getvariable('until'))
        AND project_filter(coalesce(used.project_path, line.project_path), getvariable('project'))
        AND host_filter(coalesce(used.host, line.host), getvariable('host'))
        AND agent_filter(coalesce(used.agent, line.agent), getvariable('agent'))
        AND session_filter(coalesce(used.session_id, line.session_id), getvariable('session'))
        AND (getvariable('model') IS NULL OR coalesce(used.model, line.model) = getvariable('model'))
)
SELECT
    coalesce(counted_at, timestamp) AS timestamp,
    reason,
    is_counted::INTEGER AS responses,
    CASE WHEN is_counted THEN input_tokens ELSE 0 END AS input_tokens,
    CASE WHEN is_counted THEN output_tokens ELSE 0 END AS output_tokens,
    CASE WHEN is_counted THEN cache_write_5m_tokens + cache_write_1h_tokens ELSE 0 END AS cache_write_tokens,
    CASE WHEN is_counted THEN cache_read_tokens ELSE 0 END AS cache_read_tokens,
    CASE WHEN is_counted THEN cost_usd ELSE 0 END AS cost_usd,
    CASE
        WHEN is_counted THEN 0
        ELSE coalesce(lines.input_tokens, 0) + coalesce(lines.output_tokens, 0) + cache_write_5m_tokens + cache_write_1h_tokens + lines.cache_read_tokens
    END AS left_out_tokens,
    model,
    coalesce(counted_session_id, session_id) AS session_id,
    response_key,
    source_file,
    source_line
FROM (
    SELECT * REPLACE (coalesce(is_counted, false) AS is_counted)
    FROM lines
) AS lines
UNION ALL BY NAME
SELECT
    timestamp,
    CASE WHEN is_attempt THEN 'refused attempt' ELSE 'counts, an advisor' END AS reason,
    0 AS responses,
    CASE WHEN is_attempt THEN 0 ELSE input_tokens END AS input_tokens,
    CASE WHEN is_attempt THEN 0 ELSE output_tokens END AS output_tokens,
    CASE WHEN is_attempt THEN 0 ELSE cache_creation_tokens END AS cache_write_tokens,
    CASE WHEN is_attempt THEN 0 ELSE cache_read_tokens END AS cache_read_tokens,
    CASE WHEN is_attempt THEN 0 ELSE cost_usd END AS cost_usd,
    CASE WHEN is_attempt THEN total_tokens ELSE 0 END AS left_out_tokens,
    model,
    session_id,
    response_key,
    source_file,
    source_line
FROM message_usage
WHERE date_filter(timestamp, getvariable('since'), getvariable('until'))
    AND project_filter(project_path, getvariable('project'))
    AND host_filter(host, getvariable('host'))
    AND agent_filter(agent, getvariable('agent'))
    AND session_filter(session_id, getvariable('session'))
    AND usage_kind <> 'response'
    AND (getvariable('model') IS NULL OR model = getvariable('model'))
ORDER BY timestamp, response_key, responses DESC, source_file, source_line, reason, output_tokens, left_out_tokens
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
