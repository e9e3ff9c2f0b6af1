-- Tool calls, one row per call the model made.
--
-- Read from assistant lines. A call may never be answered; answers are in tool_results. A call
-- that a sub-agent's file echoes belongs to the main thread, whatever uuid the echo has: ids of
-- the vendor (toolu_…) are one call everywhere, other ids only within a session, since gateways
-- recycle them.
--
-- Columns:
--   host                    machine the transcript comes from
--   agent                   program that wrote it
--   session_id              session
--   agent_id                sub-agent that made the call, NULL in the main thread
--   project_path            working directory
--   timestamp               time of the call
--   source_file             transcript the call was read from
--   source_line             line in it, from 1
--   item_index              position in the message, from 0
--   message_id              API id of the response
--   model                   model that made the call
--   tool_name               name as the model wrote it
--   tool_id                 id of the call
--   call_key                what a call and its result share: tool_id, with the session where others may use it again
--   file_path               file the input names: file_path, notebook_path or path
--   command                 command of a shell call
--   description             description the model gave
--   input                   the whole input
--   attribution_skill       skill the line is attributed to
--   attribution_plugin      plugin the line is attributed to
--   attribution_agent       agent type the line is attributed to
--   attribution_mcp_server  MCP server the line is attributed to
--   attribution_mcp_tool    MCP tool the line is attributed to
CREATE OR REPLACE VIEW tool_calls AS
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
    message_id,
    model,
    tool_name,
    tool_id,
    CASE WHEN starts_with(tool_id, 'toolu_') THEN tool_id ELSE coalesce(session_id, '') || '/' || tool_id END AS call_key,
    coalesce(json_extract_string(input, '$.file_path'), json_extract_string(input, '$.notebook_path'), json_extract_string(input, '$.path')) AS file_path,
    json_extract_string(input, '$.command') AS command,
    json_extract_string(input, '$.description') AS description,
    input,
    attribution_skill,
    attribution_plugin,
    attribution_agent,
    attribution_mcp_server,
    attribution_mcp_tool
FROM content_items
ANTI JOIN replays USING (source_file, source_line)
WHERE item_type = 'tool_use' AND record_type = 'assistant' AND tool_name IS NOT NULL
QUALIFY row_number() OVER (
    PARTITION BY CASE
        WHEN starts_with(tool_id, 'toolu_') THEN tool_id
        ELSE concat_ws('/', session_id, tool_id, message_id, source_file, source_line, item_index)
    END
    ORDER BY
        agent_id IS NOT NULL OR is_sidechain,
        timestamp,
        source_file,
        source_line,
        item_index
) = 1;
