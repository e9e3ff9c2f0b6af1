-- Calls of MCP tools, one row per call, with its result.
--
-- The name is mcp__server__tool and is split as the program does it: the server ends at the first
-- __ behind it, and the tool is the rest, whatever is in it. Either is NULL where the name has none.
--
-- Columns:
--   host           machine the transcript comes from
--   agent          program that wrote it
--   session_id     session of the call
--   agent_id       sub-agent that made it, NULL in the main thread
--   project_path   working directory
--   timestamp      time of the call
--   source_file    transcript of the call
--   source_line    line in it, from 1
--   tool_name      name as the model wrote it
--   server         MCP server
--   tool           tool of the server
--   tool_id        id of the call
--   model          model that made the call
--   is_answered    true where a result is there
--   is_error       true where it failed or was refused; NULL where it was never answered
--   denial_kind    why it was refused
--   wait_ms        from call to result, milliseconds
--   result_length  length of the result, characters
--   result_images  images in the result
--   error_text     the result of a failed call
CREATE OR REPLACE VIEW mcp_calls AS
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
    nullif(regexp_extract(tool_name, '^mcp__(.*?)(?:__(.*))?$', 1, 's'), '') AS server,
    nullif(regexp_extract(tool_name, '^mcp__(.*?)(?:__(.*))?$', 2, 's'), '') AS tool,
    tool_id,
    model,
    is_answered,
    is_error,
    denial_kind,
    wait_ms,
    result_length,
    result_images,
    error_text
FROM tool_runs
WHERE starts_with(tool_name, 'mcp__');
