-- Tool calls with their results, one row per call.
--
-- Columns:
--   host                    machine the transcript comes from
--   agent                   program that wrote it
--   session_id              session of the call
--   agent_id                sub-agent that made it, NULL in the main thread
--   project_path            working directory
--   timestamp               time of the call
--   source_file             transcript of the call
--   source_line             line in it, from 1
--   item_index              position in the message, from 0
--   tool_name               name as the model wrote it
--   tool_id                 id of the call
--   call_key                what a call and its result share, see tool_calls
--   file_path               file the input names
--   command                 command of a shell call
--   description             description the model gave
--   input                   the whole input
--   model                   model that made the call
--   is_answered             true where a result is there
--   is_error                true where it failed or was refused; NULL where it was never answered
--   denial_kind             why it was refused
--   result_at               time of the result
--   wait_ms                 from call to result, milliseconds: the run and what people took to allow it
--   result_length           length of the result, characters
--   result_images           images in the result
--   error_text              the result of a failed call
--   result_file             transcript of the result
--   result_line             line in it, from 1
--   attribution_skill       skill the call is attributed to
--   attribution_plugin      plugin the call is attributed to
--   attribution_agent       agent type the call is attributed to
--   attribution_mcp_server  MCP server the call is attributed to
--   attribution_mcp_tool    MCP tool the call is attributed to
CREATE OR REPLACE VIEW tool_runs AS
SELECT
    c.host,
    c.agent,
    c.session_id,
    c.agent_id,
    c.project_path,
    c.timestamp,
    c.source_file,
    c.source_line,
    c.item_index,
    c.tool_name,
    c.tool_id,
    c.call_key,
    c.file_path,
    c.command,
    c.description,
    c.input,
    c.model,
    r.tool_id IS NOT NULL AS is_answered,
    r.is_error,
    r.denial_kind,
    r.timestamp AS result_at,
    date_diff('millisecond', c.timestamp, r.timestamp) AS wait_ms,
    r.text_length AS result_length,
    r.image_count AS result_images,
    CASE WHEN r.is_error THEN r.text END AS error_text,
    r.source_file AS result_file,
    r.source_line AS result_line,
    c.attribution_skill,
    c.attribution_plugin,
    c.attribution_agent,
    c.attribution_mcp_server,
    c.attribution_mcp_tool
FROM tool_calls AS c
LEFT JOIN tool_results AS r USING (call_key)
-- A recycled id has several results in its session: the next one behind the call is its own.
QUALIFY row_number() OVER (
    PARTITION BY c.source_file, c.source_line, c.item_index
    ORDER BY
        r.source_file = c.source_file DESC,
        r.source_line > c.source_line DESC,
        r.timestamp,
        r.source_file,
        r.source_line,
        r.item_index
) = 1;
