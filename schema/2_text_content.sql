-- What people and models wrote, one row per text.
--
-- Text items and string contents of user and assistant lines; lines the program wrote for the
-- model (is_meta), blanks and copies are left out, and so is what the model only thought. text
-- has fenced and inline code taken out; raw_text is as written.
--
-- is_system flags text that no person and no model wrote: it begins with a tag, marks an
-- interruption, or is a wrapper of the program's.
--
-- Columns:
--   host                machine the transcript comes from
--   agent               program that wrote it
--   session_id          session
--   agent_id            sub-agent, NULL in the main thread
--   project_path        working directory
--   timestamp           time of the line
--   source_file         transcript
--   source_line         line in it, from 1
--   item_index          position in the message, from 0
--   uuid                identity of the record
--   role                user or assistant
--   model               model that wrote it
--   text                the text without code
--   raw_text            the text as written
--   is_subagent         true in a sub-agent's thread
--   is_system           true where the program wrote it
--   is_compact_summary  true for the summary that follows a compaction
CREATE OR REPLACE VIEW text_content AS
SELECT
    host,
    agent,
    session_id,
    agent_id,
    project_path,
    timestamp,
    source_file,
    source_line,
    item_index,
    uuid,
    coalesce(role, record_type) AS role,
    model,
    regexp_replace(regexp_replace(text, '```.*?(```|$)', ' ', 'gs'), '`[^`\n]*`', ' ', 'g') AS text,
    text AS raw_text,
    agent_id IS NOT NULL OR is_sidechain AS is_subagent,
    ltrim(text, E' \n\t\r') LIKE '<%'
        OR text LIKE '[Request interrupted by user%'
        OR (record_type = 'user' AND (
            text LIKE 'Caveat: The messages below%'
            OR text LIKE 'Base directory for this skill:%'
            OR text LIKE 'Stop hook feedback%'
            OR text LIKE 'This session is being continued from a previous conversation%'
            OR text = 'Warmup')) AS is_system,
    is_compact_summary
FROM content_items
ANTI JOIN replays USING (source_file, source_line)
WHERE item_type = 'text'
    AND record_type IN ('user', 'assistant')
    AND NOT is_meta
    AND trim(text, E' \n\t\r') <> '';
