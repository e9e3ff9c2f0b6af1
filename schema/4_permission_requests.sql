-- Refused tool calls, one row per call.
--
-- Columns:
--   host          machine the transcript comes from
--   agent         program that wrote it
--   session_id    session of the refusal
--   agent_id      sub-agent, NULL in the main thread
--   project_path  working directory
--   timestamp     time of the refusal
--   source_file   transcript of the refusal
--   source_line   line in it, from 1
--   tool_name     tool called; unknown where the call is not there
--   tool_id       id of the call
--   command       command of a shell call
--   file_path     file the call names
--   description   description the model gave
--   denial_kind   why: user-rejected, permission-rule, automode-blocked, …
--   kind_source   field or result-string: where the kind was read
CREATE OR REPLACE VIEW permission_requests AS
SELECT
    host,
    agent,
    session_id,
    agent_id,
    project_path,
    timestamp,
    source_file,
    source_line,
    tool_name,
    tool_id,
    command,
    file_path,
    description,
    denial_kind,
    kind_source
FROM tool_errors
WHERE denial_kind IS NOT NULL;
