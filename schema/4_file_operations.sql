-- Reads and changes of files, one row per call of Read, Write, Edit, MultiEdit or NotebookEdit with a path.
--
-- What was asked for, done or not: is_error says which. Files that shell commands touch are not
-- here. A path that is no text is none.
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
--   tool_id                 id of the call
--   call_key                what a call and its result share
--   operation               tool called: Read, Write, Edit, MultiEdit or NotebookEdit
--   file_path               file
--   is_partial              true where a Read asked for a part: offset, limit or pages
--   is_answered             true where a result is there
--   is_error                true where it failed or was refused; NULL where it was never answered
--   denial_kind             why it was refused
--   result_length           length of the result, characters
--   result_images           images in the result
--   attribution_skill       skill the line is attributed to
--   attribution_plugin      plugin the line is attributed to
--   attribution_agent       agent type the line is attributed to
--   attribution_mcp_server  MCP server the line is attributed to
--   attribution_mcp_tool    MCP tool the line is attributed to
CREATE OR REPLACE VIEW file_operations AS
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
    call_key,
    operation,
    file_path,
    is_partial,
    is_answered,
    is_error,
    denial_kind,
    result_length,
    result_images,
    attribution_skill,
    attribution_plugin,
    attribution_agent,
    attribution_mcp_server,
    attribution_mcp_tool
FROM (
    SELECT
        * EXCLUDE (file_path),
        tool_name AS operation,
        nullif(CASE
            WHEN json_type(input, '$.file_path') = 'VARCHAR' THEN json_extract_string(input, '$.file_path')
            WHEN json_type(input, '$.notebook_path') = 'VARCHAR' THEN json_extract_string(input, '$.notebook_path')
        END, '') AS file_path,
        tool_name = 'Read' AND coalesce(
            json_extract_string(input, '$.offset'),
            json_extract_string(input, '$.limit'),
            json_extract_string(input, '$.pages')) IS NOT NULL AS is_partial
    FROM tool_runs
    WHERE tool_name IN ('Read', 'Write', 'Edit', 'MultiEdit', 'NotebookEdit')
)
WHERE file_path IS NOT NULL;
