-- Attachments, one row per record of type attachment: what the program put beside the messages.
--
-- Hook results, listings of tools and skills, reminders, files. Copies of a record are one row.
-- A nested_memory attachment holds its content twice, so its length counts double.
-- Seen in Claude Code 2.1.90 to 2.1.261.
--
-- Columns:
--   host             machine the transcript comes from
--   agent            program that wrote it
--   session_id       session
--   agent_id         sub-agent of the line, NULL in the main thread
--   project_path     working directory
--   timestamp        time of the record
--   source_file      transcript
--   source_line      line in it, from 1
--   uuid             identity of the record
--   version          version of the agent program
--   is_sidechain     true on lines of a sub-agent
--   kind             attachment.type: hook_success, skill_listing, file, …
--   hook_name        event and matcher of a hook's record: PreToolUse:Bash
--   hook_event       event of a hook's record: PreToolUse
--   tool_use_id      tool call it is about, or another identity of the moment
--   attachment       the attachment as JSON
--   data             the whole line as JSON
CREATE OR REPLACE VIEW attachments AS
SELECT
    host,
    agent,
    session_id,
    agent_id,
    project_path,
    timestamp,
    source_file,
    source_line,
    uuid,
    version,
    is_sidechain,
    attachment_type AS kind,
    json_extract_string(data, '$.attachment.hookName') AS hook_name,
    json_extract_string(data, '$.attachment.hookEvent') AS hook_event,
    json_extract_string(data, '$.attachment.toolUseID') AS tool_use_id,
    json_extract(data, '$.attachment') AS attachment,
    data
FROM event_lines
ANTI JOIN replays USING (source_file, source_line)
WHERE type = 'attachment';
