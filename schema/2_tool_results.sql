-- Results of tool calls, one row per result.
--
-- text is whole for a failed call and the first 500 characters of others; the rest is in data of
-- the line. A result that a sub-agent's file echoes belongs to the main thread.
--
-- denial_kind says why a call was refused: what the line says (toolDenialKind, 2.1.220 and
-- later: user-rejected, permission-rule, automode-blocked, automode-unavailable), else
-- user-rejected where the text is the program's fixed sentence for it. The macro denial_kind has
-- the same rule, which is written out here since views call no macros; a test holds them together.
--
-- Columns:
--   host                machine the transcript comes from
--   agent               program that wrote it
--   session_id          session
--   agent_id            sub-agent, NULL in the main thread
--   project_path        working directory
--   timestamp           time of the result
--   source_file         transcript the result was read from
--   source_line         line in it, from 1
--   item_index          position in the message, from 0
--   tool_id             id of the call
--   call_key            what a call and its result share: tool_id, with the session where others may use it again
--   is_error            true where the call failed or was refused
--   text                the result, see above
--   text_length         length of the whole, characters
--   image_count         images in it
--   denial_kind         why the call was refused, NULL where it was not
--   denial_kind_source  field or result-string: where the kind was read
CREATE OR REPLACE VIEW tool_results AS
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
    tool_id,
    CASE WHEN starts_with(tool_id, 'toolu_') THEN tool_id ELSE coalesce(session_id, '') || '/' || tool_id END AS call_key,
    is_error OR tool_denial_kind IS NOT NULL AS is_error,
    text,
    text_length,
    image_count,
    CASE
        WHEN tool_denial_kind IS NOT NULL THEN tool_denial_kind
        WHEN is_error AND (text LIKE 'The user doesn''t want to proceed with this tool use.%'
            OR text LIKE 'The user doesn''t want to take this action right now.%') THEN 'user-rejected'
    END AS denial_kind,
    CASE
        WHEN tool_denial_kind IS NOT NULL THEN 'field'
        WHEN is_error AND (text LIKE 'The user doesn''t want to proceed with this tool use.%'
            OR text LIKE 'The user doesn''t want to take this action right now.%') THEN 'result-string'
    END AS denial_kind_source
FROM content_items
ANTI JOIN replays USING (source_file, source_line)
WHERE item_type = 'tool_result'
QUALIFY row_number() OVER (
    PARTITION BY CASE
        WHEN starts_with(tool_id, 'toolu_') THEN tool_id
        ELSE concat_ws('/', session_id, tool_id, source_file, source_line, item_index)
    END
    ORDER BY
        agent_id IS NOT NULL OR is_sidechain,
        timestamp,
        source_file,
        source_line,
        item_index
) = 1;
