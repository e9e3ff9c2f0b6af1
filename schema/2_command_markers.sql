-- Slash commands that people typed, one row per command.
--
-- A user line whose text begins with the marker of a command: <command-name>/x</command-name>, or
-- <command-message> before it for commands that are prompts (both seen in 1.0.24 to 2.1.237). A
-- marker that is quoted further on in a text is none, and neither is one that a Skill call wrote
-- into the conversation. Copies of a record are one row. No Skill call is written for a typed
-- command; what the model called is in skill_calls. The program's own commands, which since 2.0.19
-- may leave a system record alone (local_command), are in system_events then.
--
-- Columns:
--   host          machine the transcript comes from
--   agent         program that wrote it
--   session_id    session
--   project_path  working directory
--   timestamp     time of the line
--   source_file   transcript
--   source_line   line in it, from 1
--   uuid          identity of the record
--   command       command without the slash
--   args          what was typed behind it, NULL where nothing was
CREATE OR REPLACE VIEW command_markers AS
SELECT
    host,
    agent,
    session_id,
    project_path,
    timestamp,
    source_file,
    source_line,
    uuid,
    regexp_extract(text, '^\s*(?:<command-message>[^<]*</command-message>\s*)?<command-name>\s*/?([^<]*?)\s*</command-name>', 1) AS command,
    nullif(regexp_extract(text, '<command-args>\s*(.*?)\s*</command-args>', 1, 's'), '') AS args
FROM content_items
ANTI JOIN replays USING (source_file, source_line)
WHERE record_type = 'user'
    AND item_type = 'text'
    AND NOT is_meta
    AND NOT is_sidechain
    AND agent_id IS NULL
    AND source_tool_use_id IS NULL
    AND regexp_matches(text, '^\s*(?:<command-message>[^<]*</command-message>\s*)?<command-name>\s*/?[^<\s]');
