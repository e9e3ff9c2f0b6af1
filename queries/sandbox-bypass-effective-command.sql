-- Which programs are run outside the sandbox, one row per machine and program.
--
-- The program is what a command is for: cd, echo and other preambles (table shell_programs) and
-- assignments before it are taken off, however many there are.
--
-- Columns:
--   host      machine
--   cmd       program
--   n         commands that asked to run it outside the sandbox
--   sessions  sessions with one
--
-- Chart: cmd, n
--
-- Examples:
--   warehouse query sandbox-bypass-effective-command --since 30d
--   warehouse query sandbox-bypass-effective-command -p min_count=1

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
    coalesce(c.program, '(none)') AS cmd,
    count(*) AS n,
    count(DISTINCT b.session_id) AS sessions
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
GROUP BY b.host, cmd
HAVING count(*) >= getvariable('min_count')
ORDER BY n DESC, b.host, cmd
LIMIT getvariable('limit');
