-- What hooks stopped or asked about, one row per refusal or question.
--
-- Those with a record of their own. Most refusals of a tool call have none and show in the call's
-- error alone: they are in hook_denies, and no row is in both. A refusal that left both an answer
-- in JSON and a blocking error is one row.
--
-- Columns:
--   host          machine the transcript comes from
--   agent         program that wrote it
--   session_id    session
--   agent_id      sub-agent of the line, NULL in the main thread
--   project_path  working directory
--   timestamp     time of the record
--   source_file   transcript
--   source_line   line in it, from 1
--   hook_event    event: PreToolUse, Stop, …
--   hook_name     event with the tool or source that matched: PreToolUse:Bash
--   command       command of the hook
--   tool_use_id   tool call it is about, or another identity of the moment
--   kind          kind of the record, see hook_events
--   decision      block, deny or ask; block where a record shows a refusal and names no decision
--   reason        why, in the hook's words
CREATE OR REPLACE VIEW hook_blocks AS
SELECT
    host,
    agent,
    session_id,
    agent_id,
    project_path,
    timestamp,
    source_file,
    source_line,
    hook_event,
    hook_name,
    command,
    tool_use_id,
    kind,
    CASE WHEN decision IN ('block', 'deny', 'ask') THEN decision ELSE 'block' END AS decision,
    reason
FROM hook_events
WHERE blocked OR decision = 'ask'
QUALIFY kind = 'hook_blocking_error'
    OR tool_use_id IS NULL
    OR NOT bool_or(kind = 'hook_blocking_error') OVER (PARTITION BY session_id, hook_event, tool_use_id, command);
