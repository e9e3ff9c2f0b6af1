-- Refused tool calls, newest first, one row per call.
--
-- Refused by a person, a rule, or a mode. Prompts that were granted leave no trace.
--
-- Columns:
--   timestamp     time of the refusal
--   tool_name     name as the model wrote it; unknown where the call is not there
--   target        command or file the call names, its first 100 characters on one line
--   description   description the model gave
--   denial_kind   why: user-rejected, permission-rule, automode-blocked, …
--   kind_source   field or result-string: where the kind was read
--   session_id    session
--   source_line   line of the refusal, from 1
--   source_file   transcript it is in
--   project_path  working directory
--   agent_id      sub-agent, empty in the main thread
--   host          machine the transcript comes from
--
-- Examples:
--   warehouse query permissions --since 7d
--   warehouse query permissions --project /home/dev/app

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = coalesce(getvariable('limit'), '50')::INTEGER;                -- rows to show

SELECT
    timestamp,
    tool_name,
    trim(regexp_replace(coalesce(command, file_path)[:500], '\s+', ' ', 'g'))[:100] AS target,
    description,
    denial_kind,
    kind_source,
    session_id,
    source_line,
    source_file,
    project_path,
    agent_id,
    host
FROM permission_requests
WHERE date_filter(timestamp, getvariable('since'), getvariable('until'))
    AND project_filter(project_path, getvariable('project'))
    AND host_filter(host, getvariable('host'))
    AND agent_filter(agent, getvariable('agent'))
    AND session_filter(session_id, getvariable('session'))
ORDER BY timestamp DESC NULLS LAST, source_file, source_line DESC, tool_id
LIMIT getvariable('limit');
