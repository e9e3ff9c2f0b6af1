-- Shell commands that asked to run outside the sandbox, newest first, one row per command.
--
-- A retry repeats a command that ran in the sandbox before and failed, byte for byte, in the same
-- thread. The rest went outside without a try.
--
-- Columns:
--   timestamp     time of the call
--   command       command, its first 80 characters on one line
--   description   description the model gave
--   is_retry      true where the command had failed in the sandbox
--   prior_error   what it had said then, its first 80 characters on one line
--   session_id    session
--   source_line   line of the call, from 1
--   source_file   transcript it is in
--   project_path  working directory
--   agent_id      sub-agent, empty in the main thread
--   host          machine the transcript comes from
--
-- Examples:
--   warehouse query sandbox --since 7d
--   warehouse query sandbox --project /home/dev/app --limit 20

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = coalesce(getvariable('limit'), '50')::INTEGER;                -- rows to show

SELECT
    timestamp,
    trim(regexp_replace(command[:500], '\s+', ' ', 'g'))[:80] AS command,
    description,
    retried_tool_id IS NOT NULL AS is_retry,
    trim(regexp_replace(retried_error[:500], '\s+', ' ', 'g'))[:80] AS prior_error,
    session_id,
    source_line,
    source_file,
    project_path,
    agent_id,
    host
FROM sandbox_bypasses
WHERE date_filter(timestamp, getvariable('since'), getvariable('until'))
    AND project_filter(project_path, getvariable('project'))
    AND host_filter(host, getvariable('host'))
    AND agent_filter(agent, getvariable('agent'))
    AND session_filter(session_id, getvariable('session'))
ORDER BY timestamp DESC NULLS LAST, source_file, source_line DESC, tool_id
LIMIT getvariable('limit');
