-- Lines that carry token usage, one row per line.
--
-- One response of a model is written as several lines, copied by resumes and forks and replayed by
-- sub-agents, and each line repeats the usage: never sum these rows. message_usage takes one line
-- of each response.
--
-- The response is message_id; where that is absent, request_id, else uuid. Ids that are not shaped
-- like the vendor's (msg_…, req_…) count within a session and model only, since gateways recycle
-- them. Usage in a nested progress record (Claude Code 2.1.9 to 2.1.63) counts where no other line
-- has the response.
--
-- A count below 0 or above 10^12 is none: one such line would spoil each sum it is in.
--
-- Columns:
--   host                    machine the transcript comes from
--   agent                   program that wrote it
--   session_id              session of the line
--   agent_id                sub-agent of the line, NULL for the main thread
--   project_path            working directory
--   git_branch              branch checked out there
--   timestamp               time of the line
--   source_file             transcript
--   source_line             line in it, from 1
--   line_key                hash of source_file and source_line, for joins of lines
--   response_key            what makes lines one response
--   left_out                why the line belongs to no response: placeholder for the model
--                           <synthetic>, api-error; NULL where it does
--   message_id              API id of the response
--   request_id              API request
--   model                   model the line names
--   version                 version of the agent program
--   stop_reason             why the response ended; NULL on lines written while it streamed
--   is_sidechain            true on lines of a sub-agent
--   is_nested               true where a progress record carries the response
--   attribution_skill       skill the line is attributed to
--   attribution_plugin      plugin the line is attributed to
--   attribution_agent       agent type the line is attributed to
--   attribution_mcp_server  MCP server the line is attributed to
--   attribution_mcp_tool    MCP tool the line is attributed to
--   speed                   standard or fast
--   service_tier            standard, batch, …
--   inference_geo           where it was computed
--   input_tokens            input that no cache served
--   output_tokens           output as this line has it, reasoning included
--   cache_read_tokens       input served by the cache
--   cache_write_1h_tokens   input written to the cache for one hour
--   cache_write_5m_tokens   input written to the cache for five minutes; where the split is missing
--                           or does not add up, the remainder is here
--   reasoning_tokens        part of output_tokens, where the agent says so
--   web_search_requests     web searches the API made
--   recorded_cost_usd       cost the agent recorded on the line, USD
--   iterations              usage.iterations where it has more than one entry
CREATE OR REPLACE VIEW usage_lines AS
SELECT
    host,
    agent,
    session_id,
    agent_id,
    project_path,
    git_branch,
    timestamp,
    source_file,
    source_line,
    hash(source_file, source_line) AS line_key,
    CASE
        WHEN starts_with(message_id, 'msg_') THEN message_id
        WHEN message_id IS NOT NULL THEN concat_ws('/', session_id, model, message_id)
        WHEN starts_with(request_id, 'req_') THEN request_id
        WHEN request_id IS NOT NULL THEN concat_ws('/', session_id, model, request_id)
        ELSE coalesce(uuid, concat_ws('/', source_file, source_line))
    END AS response_key,
    CASE
        WHEN model IS NOT DISTINCT FROM '<synthetic>' THEN 'placeholder'
        WHEN is_api_error THEN 'api-error'
    END AS left_out,
    message_id,
    request_id,
    model,
    version,
    stop_reason,
    agent_id IS NOT NULL OR is_sidechain AS is_sidechain,
    is_nested,
    attribution_skill,
    attribution_plugin,
    attribution_agent,
    attribution_mcp_server,
    attribution_mcp_tool,
    speed,
    service_tier,
    inference_geo,
    CASE WHEN input_tokens BETWEEN 0 AND 1000000000000 THEN input_tokens END AS input_tokens,
    CASE WHEN output_tokens BETWEEN 0 AND 1000000000000 THEN output_tokens END AS output_tokens,
    CASE WHEN cache_read_tokens BETWEEN 0 AND 1000000000000 THEN cache_read_tokens ELSE 0 END AS cache_read_tokens,
    CASE WHEN cache_1h_tokens BETWEEN 0 AND 1000000000000 THEN cache_1h_tokens ELSE 0 END AS cache_write_1h_tokens,
    greatest(
        CASE WHEN cache_creation_tokens BETWEEN 0 AND 1000000000000 THEN cache_creation_tokens ELSE 0 END - cache_write_1h_tokens,
        CASE WHEN cache_5m_tokens BETWEEN 0 AND 1000000000000 THEN cache_5m_tokens ELSE 0 END
    ) AS cache_write_5m_tokens,
    CASE WHEN reasoning_tokens BETWEEN 0 AND 1000000000000 THEN reasoning_tokens END AS reasoning_tokens,
    CASE WHEN web_search_requests BETWEEN 0 AND 1000000 THEN web_search_requests ELSE 0 END AS web_search_requests,
    CASE WHEN cost_usd BETWEEN 0 AND 1000000 THEN cost_usd::DECIMAL(38, 12) END AS recorded_cost_usd,
    iterations
FROM raw
WHERE (type = 'assistant' OR is_nested)
    AND parse_status <> 'torn'
    AND (message_id IS NOT NULL OR output_tokens IS NOT NULL OR input_tokens IS NOT NULL);
