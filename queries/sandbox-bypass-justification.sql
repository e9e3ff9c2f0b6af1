-- Whether commands left the sandbox after a failure or by reflex, one row per machine and program.
--
-- A bypass is justified where the same command had failed in the sandbox before, in the same
-- thread. The rows (all) come first and count every program, those below min_count too.
--
-- Columns:
--   host           machine
--   cmd            program behind cd, echo and other preambles; (all) for all of the machine
--   bypasses       commands that asked to run outside the sandbox
--   justified      those whose command had failed in it
--   reflexive      the others
--   justified_pct  justified in a hundred bypasses
--   sessions       sessions with a bypass
--
-- Examples:
--   warehouse query sandbox-bypass-justification --since 30d
--   warehouse query sandbox-bypass-justification -p min_count=1

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = getvariable('limit')::INTEGER;                                -- rows to show (default all)
SET VARIABLE min_count = coalesce(getvariable('min_count'), '5')::INTEGER;           -- fewest commands of a row

SELECT
    b.host,
    CASE WHEN grouping(cmd) = 1 THEN '(all)' ELSE cmd END AS cmd,
    count(*) AS bypasses,
    count(retried_tool_id) AS justified,
    bypasses - justified AS reflexive,
    (100 * justified / bypasses)::DECIMAL(5, 1) AS justified_pct,
    count(DISTINCT session_id) AS sessions
FROM (
    SELECT
        b.*,
        coalesce(c.program, '(none)') AS cmd
    FROM (
        SELECT *
        FROM sandbox_bypasses
        WHERE date_filter(timestamp, getvariable('since'), getvariable('until'))
            AND project_filter(project_path, getvariable('project'))
            AND host_filter(host, getvariable('host'))
            AND agent_filter(agent, getvariable('agent'))
            AND session_filter(session_id, getvariable('session'))
    ) AS b
    LEFT JOIN (
        SELECT source_file, source_line, tool_id, program
        FROM shell_commands
        WHERE is_bypass AND is_main
    ) AS c
        ON c.source_file = b.source_file
        AND c.source_line = b.source_line
        AND c.tool_id IS NOT DISTINCT FROM b.tool_id
) AS b
GROUP BY GROUPING SETS ((b.host, b.cmd), (b.host))
HAVING grouping(b.cmd) = 1 OR count(*) >= getvariable('min_count')
ORDER BY grouping(b.cmd) DESC, bypasses DESC, b.host, b.cmd
LIMIT getvariable('limit');
