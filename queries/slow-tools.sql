-- How long tools take, the most time first, one row per tool.
--
-- Time is from call to result: the run, and where the call needed leave, what people took to give
-- it. Refused calls are left out, and tools that wait for a person (table unrated_tools).
--
-- Columns:
--   tool_name    name as the model wrote it
--   calls        calls with a result
--   total_s      time of all, seconds
--   median_ms    median time, milliseconds
--   p95_ms       time that 95 of a hundred calls stay below, milliseconds
--   max_ms       longest time, milliseconds
--   slowest      command or file of that call, its first 80 characters on one line
--   session_id   session of that call
--   source_line  its line, from 1
--   source_file  transcript it is in
--
-- Chart: tool_name, total_s
--
-- Examples:
--   warehouse query slow-tools --since 7d
--   warehouse query slow-tools --project /home/dev/app --limit 5

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = getvariable('limit')::INTEGER;                                -- rows to show (default all)

WITH runs AS (
    SELECT
        *,
        greatest(wait_ms, 0) AS ms
    FROM tool_runs
    ANTI JOIN unrated_tools USING (tool_name)
    WHERE denial_kind IS NULL
        AND wait_ms IS NOT NULL
        AND date_filter(timestamp, getvariable('since'), getvariable('until'))
        AND project_filter(project_path, getvariable('project'))
        AND host_filter(host, getvariable('host'))
        AND agent_filter(agent, getvariable('agent'))
        AND session_filter(session_id, getvariable('session'))
),
tools AS (
    SELECT
        tool_name,
        count(*) AS calls,
        (sum(ms) / 1000)::DECIMAL(18, 1) AS total_s,
        round(median(ms))::BIGINT AS median_ms,
        round(quantile_cont(ms, 0.95))::BIGINT AS p95_ms
    FROM runs
    GROUP BY tool_name
),
slowest AS (
    SELECT *
    FROM runs
    QUALIFY row_number() OVER (PARTITION BY tool_name ORDER BY ms DESC, timestamp, source_file, source_line, item_index) = 1
)
SELECT
    tool_name,
    calls,
    total_s,
    median_ms,
    p95_ms,
    ms AS max_ms,
    trim(regexp_replace(coalesce(command, file_path, description)[:500], '\s+', ' ', 'g'))[:80] AS slowest,
    session_id,
    source_line,
    source_file
FROM tools
JOIN slowest USING (tool_name)
ORDER BY total_s DESC, tool_name
LIMIT getvariable('limit');
