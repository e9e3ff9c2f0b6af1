-- Responses of models with what they said, one row per response.
--
-- Tokens and cost are those of message_usage, which keeps one line of each response; what was said
-- is counted over all its lines, copies left out. Turns of advisors and refused attempts are not
-- here.
--
-- Transcripts do not time a response: response_ms is from the record that its first line follows to
-- its last line, which for an answer to a prompt or a tool result is the time the model took.
--
-- Columns:
--   host                  machine the transcript comes from
--   agent                 program that wrote it
--   session_id            session the response is booked to
--   agent_id              sub-agent it is booked to, NULL for the main thread
--   project_path          working directory
--   git_branch            branch checked out
--   timestamp             time of the winner line
--   source_file           transcript of the winner line
--   source_line           line in it, from 1
--   response_key          what makes lines one response
--   message_id            API id of the response
--   model                 model that wrote it
--   version               version of the agent program
--   stop_reason           why it ended; NULL where no line says so
--   started_at            time of the first line
--   response_ms           from the record before it to its last line, milliseconds
--   content_rows          lines of the response, copies included
--   text_blocks           blocks of text
--   text_chars            characters in them
--   thinking_blocks       blocks of thinking
--   tool_calls            calls of tools
--   input_tokens          input that no cache served
--   output_tokens         output, reasoning included
--   cache_read_tokens     input served by the cache
--   cache_creation_tokens  input written to the cache
--   context_tokens        input, cache reads and cache writes: what the model was sent
--   total_tokens          all of it
--   cost_usd              cost, USD; NULL where it is not known
--   is_output_partial     true where output_tokens is a lower bound
CREATE OR REPLACE VIEW responses AS
WITH lines AS (
    SELECT
        response_key,
        source_file,
        source_line,
        timestamp,
        stop_reason
    FROM usage_lines
    ANTI JOIN replays USING (source_file, source_line)
    WHERE left_out IS NULL
),
said AS (
    SELECT
        source_file,
        source_line,
        count(*) FILTER (item_type = 'text') AS text_blocks,
        coalesce(sum(text_length) FILTER (item_type = 'text'), 0) AS text_chars,
        count(*) FILTER (item_type IN ('thinking', 'redacted_thinking')) AS thinking_blocks,
        count(*) FILTER (item_type IN ('tool_use', 'server_tool_use', 'mcp_tool_use')) AS tool_calls
    FROM content_items
    WHERE record_type = 'assistant'
    GROUP BY source_file, source_line
),
parents AS (
    SELECT uuid, min(timestamp) AS parent_at
    FROM raw
    WHERE uuid IS NOT NULL AND parse_status <> 'torn'
    GROUP BY uuid
),
grouped AS (
    SELECT
        response_key,
        arg_max(stop_reason, (timestamp, source_file, source_line)) FILTER (stop_reason IS NOT NULL) AS stop_reason,
        min(timestamp) AS started_at,
        date_diff('millisecond', min(parent_at), max(timestamp)) AS response_ms,
        coalesce(sum(text_blocks), 0)::BIGINT AS text_blocks,
        coalesce(sum(text_chars), 0)::BIGINT AS text_chars,
        coalesce(sum(thinking_blocks), 0)::BIGINT AS thinking_blocks,
        coalesce(sum(tool_calls), 0)::BIGINT AS tool_calls
    FROM lines
    LEFT JOIN said USING (source_file, source_line)
    LEFT JOIN (SELECT source_file, source_line, parent_uuid FROM raw WHERE type = 'assistant') AS own USING (source_file, source_line)
    LEFT JOIN parents ON parents.uuid = parent_uuid
    GROUP BY response_key
)
SELECT
    u.host,
    u.agent,
    u.session_id,
    u.agent_id,
    u.project_path,
    u.git_branch,
    u.timestamp,
    u.source_file,
    u.source_line,
    u.response_key,
    u.message_id,
    u.model,
    u.version,
    g.stop_reason,
    g.started_at,
    CASE WHEN g.response_ms >= 0 THEN g.response_ms END AS response_ms,
    u.content_rows,
    coalesce(g.text_blocks, 0) AS text_blocks,
    coalesce(g.text_chars, 0) AS text_chars,
    coalesce(g.thinking_blocks, 0) AS thinking_blocks,
    coalesce(g.tool_calls, 0) AS tool_calls,
    u.input_tokens,
    u.output_tokens,
    u.cache_read_tokens,
    u.cache_creation_tokens,
    coalesce(u.input_tokens, 0) + u.cache_read_tokens + u.cache_creation_tokens AS context_tokens,
    u.total_tokens,
    u.cost_usd,
    u.is_output_partial
FROM message_usage AS u
LEFT JOIN grouped AS g USING (response_key)
WHERE u.usage_kind = 'response';
