-- Token usage, one row per model response.
--
-- One response is written as several lines, copied by resumes and forks and replayed by
-- sub-agents, and each line repeats the usage. Every total comes from here.
--
-- The response is message_id; where that is absent, request_id, else uuid. Ids that are not shaped
-- like the vendor's (msg_…, req_…) count within a session and model only, since gateways recycle
-- them. One whole line gives the numbers, the model and the time: the one with the highest output;
-- on a tie a line of a main thread before a sub-agent's; then the file in which the response
-- appears earliest; within it the latest line. Usage that exists only inside a nested progress
-- record counts.
--
-- The response is booked to the session of the line in which it appeared first, and to the main
-- thread whenever any line of it is there.
--
-- Placeholders are no responses: model <synthetic> and lines that report an API error. The turn
-- of an advisor (usage.iterations, 2.1.231 and later) is a row of its own, with its own model;
-- refused attempts are rows with is_attempt, which totals leave out.
--
-- Figures are as recorded in transcripts. Versions before 2.1.88 often never wrote the final
-- count: is_output_partial marks rows whose output is a lower bound.
--
-- Columns:
--   host                    machine the transcript comes from
--   agent                   program that wrote it
--   session_id              session the response is booked to
--   agent_id                sub-agent it is booked to, NULL for the main thread
--   project_path            working directory of the line it is booked by
--   git_branch              branch checked out there
--   timestamp               time of the winner line
--   response_key            what makes lines one response
--   usage_kind              response, advisor or attempt
--   message_id              API id of the response
--   request_id              API request
--   model                   model that wrote it
--   version                 version of the agent program
--   is_sidechain            true where it is booked to a sub-agent
--   source_file             transcript of the winner line
--   source_line             line in it, from 1
--   attribution_skill       skill the winner line is attributed to
--   attribution_plugin      plugin the winner line is attributed to
--   attribution_agent       agent type the winner line is attributed to
--   attribution_mcp_server  MCP server the winner line is attributed to
--   attribution_mcp_tool    MCP tool the winner line is attributed to
--   speed                   standard or fast
--   service_tier            standard, batch, …
--   inference_geo           where it was computed
--   input_tokens            input that no cache served
--   output_tokens           output, reasoning included
--   cache_read_tokens       input served by the cache
--   cache_write_5m_tokens   input written to the cache for five minutes
--   cache_write_1h_tokens   input written to the cache for one hour
--   cache_creation_tokens   both lifetimes together
--   reasoning_tokens        part of output_tokens, where the agent says so
--   web_search_requests     web searches the API made
--   recorded_cost_usd       cost the agent recorded on the winner line, USD
--   content_rows            lines of the response
--   is_output_partial       true where output_tokens is a lower bound
--   is_attempt              true for a refused attempt
CREATE OR REPLACE VIEW message_usage AS
WITH starts AS (
    SELECT source_file, min(timestamp) AS file_started_at
    FROM raw
    WHERE parse_status <> 'torn'
    GROUP BY source_file
),
candidates AS (
    SELECT
        * EXCLUDE (data, bytes),
        agent_id IS NOT NULL OR is_sidechain AS is_sub,
        CASE
            WHEN starts_with(message_id, 'msg_') THEN message_id
            WHEN message_id IS NOT NULL THEN concat_ws('/', session_id, model, message_id)
            WHEN starts_with(request_id, 'req_') THEN request_id
            WHEN request_id IS NOT NULL THEN concat_ws('/', session_id, model, request_id)
            ELSE coalesce(uuid, concat_ws('/', source_file, source_line))
        END AS response_key
    FROM raw
    WHERE (type = 'assistant' OR is_nested)
        AND parse_status <> 'torn'
        AND (message_id IS NOT NULL OR output_tokens IS NOT NULL OR input_tokens IS NOT NULL)
        AND model IS DISTINCT FROM '<synthetic>'
        AND NOT is_api_error
),
placed AS (
    SELECT
        *,
        min(timestamp) OVER (PARTITION BY response_key, source_file) AS file_appeared_at
    FROM candidates
    LEFT JOIN starts USING (source_file)
),
ranked AS (
    SELECT
        *,
        row_number() OVER (
            PARTITION BY response_key
            ORDER BY is_nested, output_tokens DESC NULLS LAST, is_sub, file_appeared_at, file_started_at, source_file, source_line DESC
        ) AS winner_rank,
        first_value(struct_pack(host, agent, session_id, agent_id, project_path, git_branch)) OVER (
            PARTITION BY response_key
            ORDER BY is_nested, timestamp, file_started_at, source_file, source_line
        ) AS booked,
        bool_and(is_sub) OVER (PARTITION BY response_key) AS is_booked_to_sub,
        count(*) OVER (PARTITION BY response_key) AS content_rows
    FROM placed
),
winners AS (
    SELECT
        *,
        coalesce(cache_creation_tokens, 0) AS cache_total
    FROM ranked
    WHERE winner_rank = 1
)
SELECT
    booked.host AS host,
    booked.agent AS agent,
    booked.session_id AS session_id,
    CASE WHEN is_booked_to_sub THEN booked.agent_id END AS agent_id,
    booked.project_path AS project_path,
    booked.git_branch AS git_branch,
    timestamp,
    response_key,
    'response' AS usage_kind,
    message_id,
    request_id,
    model,
    version,
    is_booked_to_sub AS is_sidechain,
    source_file,
    source_line,
    attribution_skill,
    attribution_plugin,
    attribution_agent,
    attribution_mcp_server,
    attribution_mcp_tool,
    speed,
    service_tier,
    inference_geo,
    input_tokens,
    output_tokens,
    coalesce(cache_read_tokens, 0) AS cache_read_tokens,
    -- Where the split is missing or does not add up, the remainder is the shorter lifetime.
    greatest(cache_total - coalesce(cache_1h_tokens, 0), coalesce(cache_5m_tokens, 0)) AS cache_write_5m_tokens,
    coalesce(cache_1h_tokens, 0) AS cache_write_1h_tokens,
    greatest(cache_total - coalesce(cache_1h_tokens, 0), coalesce(cache_5m_tokens, 0)) + coalesce(cache_1h_tokens, 0) AS cache_creation_tokens,
    reasoning_tokens,
    coalesce(web_search_requests, 0) AS web_search_requests,
    cost_usd AS recorded_cost_usd,
    content_rows,
    stop_reason IS NULL
        AND coalesce(try_cast(string_split(version, '.') AS INTEGER[]) < [2, 1, 88], false) AS is_output_partial,
    false AS is_attempt
FROM winners
UNION ALL BY NAME
SELECT
    booked.host AS host,
    booked.agent AS agent,
    booked.session_id AS session_id,
    CASE WHEN is_booked_to_sub THEN booked.agent_id END AS agent_id,
    booked.project_path AS project_path,
    booked.git_branch AS git_branch,
    timestamp,
    response_key,
    CASE WHEN turn.type = 'advisor_message' THEN 'advisor' ELSE 'attempt' END AS usage_kind,
    message_id,
    request_id,
    coalesce(turn.model, winners.model) AS model,
    version,
    is_booked_to_sub AS is_sidechain,
    source_file,
    source_line,
    attribution_skill,
    attribution_plugin,
    attribution_agent,
    attribution_mcp_server,
    attribution_mcp_tool,
    speed,
    service_tier,
    inference_geo,
    turn.input_tokens AS input_tokens,
    turn.output_tokens AS output_tokens,
    coalesce(turn.cache_read_input_tokens, 0) AS cache_read_tokens,
    coalesce(turn.cache_creation_input_tokens, 0) - coalesce(turn.cache_creation.ephemeral_1h_input_tokens, 0) AS cache_write_5m_tokens,
    coalesce(turn.cache_creation.ephemeral_1h_input_tokens, 0) AS cache_write_1h_tokens,
    coalesce(turn.cache_creation_input_tokens, 0) AS cache_creation_tokens,
    NULL AS reasoning_tokens,
    0 AS web_search_requests,
    NULL AS recorded_cost_usd,
    0 AS content_rows,
    false AS is_output_partial,
    turn.type <> 'advisor_message' AS is_attempt
FROM (
    SELECT
        * EXCLUDE (iterations),
        unnest(from_json(iterations, '[{"type": "VARCHAR", "model": "VARCHAR", "input_tokens": "BIGINT", "output_tokens": "BIGINT",
            "cache_read_input_tokens": "BIGINT", "cache_creation_input_tokens": "BIGINT",
            "cache_creation": {"ephemeral_1h_input_tokens": "BIGINT"}}]')) AS turn
    FROM winners
    WHERE iterations IS NOT NULL
) AS winners
WHERE turn.type <> 'message';
