-- User and assistant lines, one row per line of a message.
--
-- One response of the model is several lines, one a content block, each repeating its usage:
-- token columns here are per line and must not be added up (see message_usage). content_text is
-- set for a message whose content is a string; it is read from data, the other columns are not.
-- Copies of a record are left out.
--
-- Columns:
--   host                    machine the transcript comes from
--   agent                   program that wrote it
--   session_id              session of the line, else of its file
--   file_session_id         session the path names
--   agent_id                sub-agent, NULL in the main thread
--   project_path            working directory
--   timestamp               time of the line
--   source_file             transcript
--   source_line             line in it, from 1
--   type                    user or assistant
--   uuid                    identity of the record
--   parent_uuid             record this one follows
--   role                    role of the message
--   content_text            the content where it is a string
--   model                   model that wrote it
--   message_id              API id of the response
--   request_id              API request of the response
--   stop_reason             why the response ended
--   git_branch              branch checked out
--   version                 version of the agent program
--   entrypoint              how the program was started
--   is_meta                 true on lines the program wrote for the model
--   is_sidechain            true on lines of a sub-agent
--   is_compact_summary      true on the summary that follows a compaction
--   is_api_error            true on an assistant line that reports an API error
--   error_kind              error name on such a line
--   prompt_id               groups the lines of one turn
--   prompt_source           typed, sdk, system, queued, …
--   permission_mode         permission mode the line names
--   origin_kind             who wrote a user line
--   interrupted_message_id  response that an interruption cut off
--   attribution_skill       skill the line is attributed to
--   attribution_plugin      plugin the line is attributed to
--   attribution_agent       agent type the line is attributed to
--   attribution_mcp_server  MCP server the line is attributed to
--   attribution_mcp_tool    MCP tool the line is attributed to
--   input_tokens            input that no cache served, repeated on each line
--   output_tokens           output as this line has it
--   cache_read_tokens       input served by the cache
--   cache_creation_tokens   input written to the cache
--   data                    the line as JSON
CREATE OR REPLACE VIEW messages AS
SELECT
    host,
    agent,
    session_id,
    file_session_id,
    agent_id,
    project_path,
    timestamp,
    source_file,
    source_line,
    type,
    uuid,
    parent_uuid,
    role,
    CASE WHEN json_type(data, '$.message.content') = 'VARCHAR' THEN json_extract_string(data, '$.message.content') END AS content_text,
    model,
    message_id,
    request_id,
    stop_reason,
    git_branch,
    version,
    entrypoint,
    is_meta,
    is_sidechain,
    is_compact_summary,
    is_api_error,
    error_kind,
    prompt_id,
    prompt_source,
    permission_mode,
    origin_kind,
    interrupted_message_id,
    attribution_skill,
    attribution_plugin,
    attribution_agent,
    attribution_mcp_server,
    attribution_mcp_tool,
    input_tokens,
    output_tokens,
    cache_read_tokens,
    cache_creation_tokens,
    data
FROM raw
ANTI JOIN replays USING (source_file, source_line)
WHERE type IN ('user', 'assistant') AND parse_status <> 'torn';
