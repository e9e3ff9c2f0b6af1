-- Failed tool calls, newest first, one row per failure or, with --by tool, one row per tool.
--
-- A call that a person, a rule or a mode refused did not run, so it is no failure. With --by tool
-- the tools that failed most come first, each with its last failure.
--
-- Columns:
--   timestamp     time of the failure, the last one with --by
--   tool_name     name as the model wrote it; unknown where the call is not there
--   failures      1, or the failures of the tool with --by tool
--   error         what the tool said, its first 200 characters on one line
--   target        command or file the call names, its first 100 characters on one line
--   session_id    session
--   source_line   line with the whole error, from 1
--   source_file   transcript it is in
--   project_path  working directory
--   agent_id      sub-agent, empty in the main thread
--   host          machine the transcript comes from
--
-- Examples:
--   warehouse query tool-errors --since 7d
--   warehouse query tool-errors --by tool --project /home/dev/app

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "by"    = getvariable('by')::VARCHAR;                                   -- tool for one row per tool (default one per failure)
SET VARIABLE "limit" = coalesce(getvariable('limit'), '20')::INTEGER;                -- rows to show

WITH failed AS (
    SELECT
        *,
        CASE coalesce(getvariable('by'), 'tool') WHEN 'tool' THEN tool_name ELSE error('by is tool, not ' || getvariable('by')) END AS subject
    FROM tool_errors
    WHERE denial_kind IS NULL
        AND date_filter(timestamp, getvariable('since'), getvariable('until'))
        AND project_filter(project_path, getvariable('project'))
        AND host_filter(host, getvariable('host'))
        AND agent_filter(agent, getvariable('agent'))
        AND session_filter(session_id, getvariable('session'))
)
SELECT
    timestamp,
    tool_name,
    CASE WHEN getvariable('by') IS NULL THEN 1 ELSE count(*) OVER (PARTITION BY subject) END AS failures,
    regexp_replace(trim(error_content[:1000], E' \n\t\r'), '\s+', ' ', 'g')[:200] AS error,
    regexp_replace(coalesce(command, file_path)[:500], '\s+', ' ', 'g')[:100] AS target,
    session_id,
    source_line,
    source_file,
    project_path,
    agent_id,
    host
FROM failed
QUALIFY getvariable('by') IS NULL
    OR row_number() OVER (PARTITION BY subject ORDER BY timestamp DESC NULLS LAST, source_file, source_line, tool_id) = 1
ORDER BY failures DESC, timestamp DESC NULLS LAST, tool_name, source_file, source_line, tool_id
LIMIT getvariable('limit');
