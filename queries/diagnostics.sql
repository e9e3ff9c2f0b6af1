-- What language servers and type checkers complained of, one row per severity, program and code.
--
-- The agent's program sends what is new after an edit, so a complaint counts each time it came up.
--
-- Columns:
--   severity    Error, Warning, Info or Hint
--   source      program that reported it: typescript, eslint, rustc, …
--   code        its code
--   reports     times it came up
--   files       files it was in
--   sessions    sessions it came up in
--   message     the last one, its first 120 characters on one line
--   file        file of the last one
--   first_seen  time of the first
--   last_seen   time of the last
--
-- Totals: reports
--
-- Examples:
--   warehouse query diagnostics --since 7d
--   warehouse query diagnostics --project /home/dev/app --limit 10

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = coalesce(getvariable('limit'), '50')::INTEGER;                -- rows to show

SELECT
    severity,
    source,
    code,
    count(*) AS reports,
    count(DISTINCT (host, file)) AS files,
    count(DISTINCT (host, session_id)) AS sessions,
    trim(regexp_replace(
        last(message ORDER BY timestamp NULLS FIRST, source_file, source_line, file, file_line, message)[:500], '\s+', ' ', 'g'))[:120] AS message,
    last(file ORDER BY timestamp NULLS FIRST, source_file, source_line, file, file_line, message) AS file,
    min(timestamp) AS first_seen,
    max(timestamp) AS last_seen
FROM diagnostics
WHERE date_filter(timestamp, getvariable('since'), getvariable('until'))
    AND project_filter(project_path, getvariable('project'))
    AND host_filter(host, getvariable('host'))
    AND agent_filter(agent, getvariable('agent'))
    AND session_filter(session_id, getvariable('session'))
GROUP BY severity, source, code
ORDER BY reports DESC, severity, source, code
LIMIT getvariable('limit');
