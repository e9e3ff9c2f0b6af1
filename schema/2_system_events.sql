-- System records, one row per record: turn durations, retries, compactions, stop hooks, local commands.
--
-- Copies of a record are one row. Which columns have a value depends on the subtype; the line is
-- in data. Seen in Claude Code 1.0.72 to 2.1.232; before 2.0.19 without a subtype.
--
-- Columns:
--   host                    machine the transcript comes from
--   agent                   program that wrote it
--   session_id              session
--   agent_id                sub-agent of the line, NULL in the main thread
--   project_path            working directory
--   timestamp               time of the record
--   source_file             transcript
--   source_line             line in it, from 1
--   uuid                    identity of the record
--   version                 version of the agent program
--   is_sidechain            true on lines of a sub-agent
--   subtype                 turn_duration, api_error, compact_boundary, stop_hook_summary, local_command, …
--   level                   info, warning, error, suggestion
--   content                 text of the record
--   duration_ms             of a turn_duration: how long the turn took, milliseconds
--   message_count           of a turn_duration: messages so far
--   hook_count              of a stop_hook_summary: hooks that ran
--   prevented_continuation  of a stop_hook_summary: a hook kept the agent from stopping
--   stop_reason             of a stop_hook_summary: what the hook said
--   compact_trigger         of a compaction: auto or manual
--   compact_pre_tokens      tokens in the context before it
--   compact_post_tokens     tokens after it (2.1.232 and later)
--   compact_duration_ms     how long it took, milliseconds (2.1.232 and later)
--   error_code              of an api_error: HTTP status, or the name of a connection error
--   retry_attempt           of an api_error: number of the retry, from 1
--   max_retries             of an api_error: retries before it gives up
--   retry_in_ms             of an api_error: wait before the retry, milliseconds
--   hook_infos              of a stop_hook_summary: list of command and durationMs
--   tool_use_id             tool call or other moment the record is about
--   data                    the line as JSON
CREATE OR REPLACE VIEW system_events AS
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
    subtype,
    json_extract_string(data, '$.level') AS level,
    json_extract_string(data, '$.content') AS content,
    try_cast(json_extract_string(data, '$.durationMs') AS BIGINT) AS duration_ms,
    try_cast(json_extract_string(data, '$.messageCount') AS BIGINT) AS message_count,
    try_cast(json_extract_string(data, '$.hookCount') AS BIGINT) AS hook_count,
    try_cast(json_extract_string(data, '$.preventedContinuation') AS BOOLEAN) AS prevented_continuation,
    json_extract_string(data, '$.stopReason') AS stop_reason,
    coalesce(json_extract_string(data, '$.compactMetadata.trigger'), json_extract_string(data, '$.microcompactMetadata.trigger')) AS compact_trigger,
    try_cast(coalesce(
        json_extract_string(data, '$.compactMetadata.preTokens'),
        json_extract_string(data, '$.microcompactMetadata.preTokens')) AS BIGINT) AS compact_pre_tokens,
    try_cast(json_extract_string(data, '$.compactMetadata.postTokens') AS BIGINT) AS compact_post_tokens,
    try_cast(json_extract_string(data, '$.compactMetadata.durationMs') AS BIGINT) AS compact_duration_ms,
    coalesce(
        json_extract_string(data, '$.error.status'),
        json_extract_string(data, '$.error.cause.code'),
        json_extract_string(data, '$.cause.code')) AS error_code,
    try_cast(json_extract_string(data, '$.retryAttempt') AS BIGINT) AS retry_attempt,
    try_cast(json_extract_string(data, '$.maxRetries') AS BIGINT) AS max_retries,
    try_cast(json_extract_string(data, '$.retryInMs') AS DOUBLE) AS retry_in_ms,
    json_extract(data, '$.hookInfos') AS hook_infos,
    json_extract_string(data, '$.toolUseID') AS tool_use_id,
    data
FROM event_lines
ANTI JOIN replays USING (source_file, source_line)
WHERE type = 'system';
