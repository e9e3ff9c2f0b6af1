-- Errors of the API, one row per kind of error and HTTP status.
--
-- A retry is an error that the program dealt with by waiting; a shown error ended the request.
-- Versions after 2.1.90 do not record retries. An attempt that failed has no tokens and is in no
-- total.
--
-- Columns:
--   category      rate-limit, overloaded, authentication, billing, prompt-too-long, output-limit,
--                 invalid-request, timeout, server, connection or other
--   status        HTTP status; empty where none is recorded
--   retries       retries
--   shown         errors that were shown
--   sessions      sessions with one
--   waited_s      seconds waited before retries
--   most_retries  highest number that a retry had
--   first_seen    time of the first one
--   last_seen     time of the last one
--   last_text     what the last one said, its first 120 characters on one line
--
-- Totals: retries, shown, waited_s
-- Chart: category, retries
--
-- Examples:
--   warehouse query api-errors --since 7d
--   warehouse query api-errors --session 11111111

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = getvariable('limit')::INTEGER;                                -- rows to show (default all)

SELECT
    category,
    status,
    count(*) FILTER (kind = 'retry') AS retries,
    count(*) FILTER (kind = 'final') AS shown,
    count(DISTINCT (host, agent, session_id)) AS sessions,
    round(coalesce(sum(wait_ms), 0) / 1000, 1)::DECIMAL(18, 1) AS waited_s,
    max(retry_attempt) AS most_retries,
    min(timestamp) AS first_seen,
    max(timestamp) AS last_seen,
    regexp_replace(
        trim(arg_max(text, (timestamp, source_file, source_line)) FILTER (text <> ''), E' \n\t\r')[:500],
        '\s+',
        ' ',
        'g'
    )[:120] AS last_text
FROM api_errors
WHERE date_filter(timestamp, getvariable('since'), getvariable('until'))
    AND project_filter(project_path, getvariable('project'))
    AND host_filter(host, getvariable('host'))
    AND agent_filter(agent, getvariable('agent'))
    AND session_filter(session_id, getvariable('session'))
GROUP BY category, status
ORDER BY shown DESC, retries DESC, category, status NULLS LAST
LIMIT getvariable('limit');
