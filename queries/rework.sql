-- Files that were changed again after an error, one row per machine and file.
--
-- A change is rework when in its thread the same file was changed before and since then a shell
-- command failed or a change of the file did. Refused calls are no errors.
--
-- Columns:
--   file_path   file
--   changes     changes of it by Edit, MultiEdit, NotebookEdit and Write, failed ones included
--   reworks     those that are rework
--   rework_pct  reworks in a hundred changes
--   failed      changes that failed
--   sessions    sessions with a rework
--   last_error  the last error that led to one, without paths, ids and numbers
--   last_at     time of the last rework
--   host        machine
--
-- Totals: changes, reworks, failed
--
-- Examples:
--   warehouse query rework --since 30d
--   warehouse query rework --project /home/dev/app --limit 10

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = coalesce(getvariable('limit'), '50')::INTEGER;                -- rows to show

WITH steps AS (
    SELECT
        *,
        tool_name IN ('Edit', 'MultiEdit', 'NotebookEdit', 'Write') AND file_path IS NOT NULL AS is_change,
        is_error AND denial_kind IS NULL AS is_failure,
        row_number() OVER (PARTITION BY source_file, session_id, agent_id ORDER BY source_line, item_index) AS place
    FROM tool_runs
    WHERE tool_name IN ('Bash', 'Edit', 'MultiEdit', 'NotebookEdit', 'Write')
),
failing AS (
    SELECT
        *,
        max(CASE WHEN tool_name = 'Bash' AND is_failure THEN place END) OVER thread AS command_place,
        last_value(CASE WHEN tool_name = 'Bash' AND is_failure THEN error_text END IGNORE NULLS) OVER thread AS command_error
    FROM steps
    WINDOW thread AS (
        PARTITION BY source_file, session_id, agent_id
        ORDER BY place
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    )
),
changes AS (
    SELECT
        *,
        lag(place) OVER file AS prior_place,
        lag(is_failure) OVER file AS prior_failed,
        lag(error_text) OVER file AS prior_error
    FROM failing
    WHERE is_change AND denial_kind IS NULL
    WINDOW file AS (
        PARTITION BY source_file, session_id, agent_id, file_path
        ORDER BY place
    )
),
judged AS (
    SELECT
        *,
        coalesce(prior_failed OR command_place > prior_place, false) AS is_rework,
        CASE WHEN command_place > prior_place THEN command_error ELSE prior_error END AS error
    FROM changes
    WHERE date_filter(timestamp, getvariable('since'), getvariable('until'))
        AND project_filter(project_path, getvariable('project'))
        AND host_filter(host, getvariable('host'))
        AND agent_filter(agent, getvariable('agent'))
        AND session_filter(session_id, getvariable('session'))
)
SELECT
    file_path,
    count(*) AS changes,
    count(*) FILTER (is_rework) AS reworks,
    (100 * reworks / changes)::DECIMAL(5, 1) AS rework_pct,
    count(*) FILTER (is_failure) AS failed,
    count(DISTINCT session_id) FILTER (is_rework) AS sessions,
    error_signature(last(error ORDER BY timestamp NULLS FIRST, source_file, source_line, item_index) FILTER (is_rework)) AS last_error,
    max(timestamp) FILTER (is_rework) AS last_at,
    host
FROM judged
GROUP BY host, file_path
HAVING reworks > 0
ORDER BY reworks DESC, changes DESC, host, file_path
LIMIT getvariable('limit');
