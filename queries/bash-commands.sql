-- Programs that shell calls ran, one row per program and sub-command.
--
-- A call counts for each program in it, once; of a pipeline for the first, and for cd, echo and
-- other preambles (table shell_programs) only where there is nothing else. A failed call does not
-- say which of its programs failed: failures counts it for each, alone_failures only where there is
-- no other.
--
-- Columns:
--   program         program, without folder and behind wrappers such as sudo
--   subcommand      what it was asked to do, where its first word tells: push of git push
--   uses            calls with it
--   failures        those that ran and failed
--   failure_pct     failures in a hundred calls that were not refused
--   denials         those that were refused
--   alone           calls with it and no other program
--   alone_failures  those that ran and failed
--   median_wait_ms  median from call to result of calls with it alone that were not refused, milliseconds
--   sessions        sessions with a use
--   last_used_at    time of the last use
--
-- Chart: program, uses
--
-- Examples:
--   warehouse query bash-commands --since 7d
--   warehouse query bash-commands --project /home/dev/app --limit 20

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = coalesce(getvariable('limit'), '50')::INTEGER;                -- rows to show

SELECT
    program,
    subcommand,
    count(*) AS uses,
    count(*) FILTER (is_error AND denial_kind IS NULL) AS failures,
    (100 * failures / nullif(uses - count(denial_kind), 0))::DECIMAL(5, 1) AS failure_pct,
    count(denial_kind) AS denials,
    count(*) FILTER (is_alone) AS alone,
    count(*) FILTER (is_alone AND is_error AND denial_kind IS NULL) AS alone_failures,
    round(median(wait_ms) FILTER (is_alone AND denial_kind IS NULL))::BIGINT AS median_wait_ms,
    count(DISTINCT (host, session_id)) AS sessions,
    max(timestamp) AS last_used_at
FROM (
    SELECT
        *,
        main_parts <= 1 AS is_alone
    FROM shell_commands
    WHERE (is_main OR NOT is_preamble)
        AND date_filter(timestamp, getvariable('since'), getvariable('until'))
        AND project_filter(project_path, getvariable('project'))
        AND host_filter(host, getvariable('host'))
        AND agent_filter(agent, getvariable('agent'))
        AND session_filter(session_id, getvariable('session'))
    QUALIFY row_number() OVER (PARTITION BY source_file, source_line, item_index, program, subcommand ORDER BY part_index) = 1
)
GROUP BY program, subcommand
ORDER BY uses DESC, program, subcommand
LIMIT getvariable('limit');
