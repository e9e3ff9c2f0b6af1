-- Streams of records over time, one row per machine, kind of record or field of one, and day.
--
-- A stream is a kind of record (see records), or a field that not every message has, named
-- kind.field: user.promptSource. It shows what a version of the agent program began or ceased to
-- write. Read are pinned columns alone; for every key there is, see the report field-drift.
--
-- Days are UTC. A record without a time counts on the first day of its file. Copies of a record are
-- one; lines that are no record are left out.
--
-- Columns:
--   host           machine the transcript comes from
--   agent          program that wrote it
--   stream         kind, or kind.field
--   is_field       true for a field
--   day            day
--   lines          records of the kind, or those that have the field
--   undated_lines  how many of them have no time
--   first_version  lowest version of the agent program that wrote one that day; NULL where the
--                  records name none
--   last_version   highest version
CREATE OR REPLACE VIEW streams AS
WITH file_days AS (
    SELECT
        source_file,
        min(timestamp) AS first_timestamp
    FROM raw
    GROUP BY source_file
),
counted AS (
    SELECT
        raw.host,
        raw.agent,
        raw.type,
        concat_ws(':', raw.type, CASE WHEN raw.type = 'attachment' THEN raw.attachment_type ELSE raw.subtype END) AS kind,
        DATE '1970-01-01' + (epoch_ms(coalesce(raw.timestamp, file_days.first_timestamp)) // 86400000)::INTEGER AS day,
        raw.version,
        count(*) AS lines,
        count(*) - count(raw.timestamp) AS undated_lines,
        count(*) FILTER (WHERE raw.is_meta) AS is_meta,
        count(*) FILTER (WHERE raw.is_compact_summary) AS is_compact_summary,
        count(*) FILTER (WHERE raw.is_api_error) AS is_api_error,
        count(raw.slug) AS slug,
        count(raw.entrypoint) AS entrypoint,
        count(raw.team_name) AS team_name,
        count(raw.request_id) AS request_id,
        count(raw.prompt_id) AS prompt_id,
        count(raw.prompt_source) AS prompt_source,
        count(raw.permission_mode) AS permission_mode,
        count(raw.origin_kind) AS origin_kind,
        count(raw.source_tool_use_id) AS source_tool_use_id,
        count(raw.tool_denial_kind) AS tool_denial_kind,
        count(raw.interrupted_message_id) AS interrupted_message_id,
        count(raw.attribution_skill) AS attribution_skill,
        count(raw.attribution_plugin) AS attribution_plugin,
        count(raw.attribution_agent) AS attribution_agent,
        count(raw.attribution_mcp_server) AS attribution_mcp_server,
        count(raw.error_kind) AS error_kind,
        count(raw.cost_usd) AS cost_usd,
        count(raw.stop_reason) AS stop_reason,
        count(raw.cache_1h_tokens) AS cache_1h_tokens,
        count(raw.reasoning_tokens) AS reasoning_tokens,
        count(raw.web_search_requests) AS web_search_requests,
        count(raw.speed) AS speed,
        count(raw.service_tier) AS service_tier,
        count(raw.inference_geo) AS inference_geo,
        count(raw.iterations) AS iterations
    FROM raw
    ANTI JOIN replays ON replays.source_file = raw.source_file AND replays.source_line = raw.source_line
    LEFT JOIN file_days ON file_days.source_file = raw.source_file
    WHERE raw.parse_status IN ('ok', 'repaired') AND raw.type IS NOT NULL
    GROUP BY ALL
),
named AS (
    SELECT
        host,
        agent,
        kind,
        day,
        version,
        lines,
        undated_lines,
        unnest(
            [{'field': NULL, 'n': lines}] || CASE WHEN type IN ('user', 'assistant') THEN list_filter([
                {'field': 'isMeta', 'n': is_meta},
                {'field': 'isCompactSummary', 'n': is_compact_summary},
                {'field': 'isApiErrorMessage', 'n': is_api_error},
                {'field': 'slug', 'n': slug},
                {'field': 'entrypoint', 'n': entrypoint},
                {'field': 'teamName', 'n': team_name},
                {'field': 'requestId', 'n': request_id},
                {'field': 'promptId', 'n': prompt_id},
                {'field': 'promptSource', 'n': prompt_source},
                {'field': 'permissionMode', 'n': permission_mode},
                {'field': 'origin.kind', 'n': origin_kind},
                {'field': 'sourceToolUseID', 'n': source_tool_use_id},
                {'field': 'toolDenialKind', 'n': tool_denial_kind},
                {'field': 'interruptedMessageId', 'n': interrupted_message_id},
                {'field': 'attributionSkill', 'n': attribution_skill},
                {'field': 'attributionPlugin', 'n': attribution_plugin},
                {'field': 'attributionAgent', 'n': attribution_agent},
                {'field': 'attributionMcpServer', 'n': attribution_mcp_server},
                {'field': 'error', 'n': error_kind},
                {'field': 'costUSD', 'n': cost_usd},
                {'field': 'message.stop_reason', 'n': stop_reason},
                {'field': 'message.usage.cache_creation.ephemeral_1h_input_tokens', 'n': cache_1h_tokens},
                {'field': 'message.usage.output_tokens_details.thinking_tokens', 'n': reasoning_tokens},
                {'field': 'message.usage.server_tool_use.web_search_requests', 'n': web_search_requests},
                {'field': 'message.usage.speed', 'n': speed},
                {'field': 'message.usage.service_tier', 'n': service_tier},
                {'field': 'message.usage.inference_geo', 'n': inference_geo},
                {'field': 'message.usage.iterations', 'n': iterations}
            ], f -> f.n > 0) ELSE [] END
        ) AS counted_field,
        -- By parts: a try_cast to a list, one element of which fails, mixes up rows in DuckDB 1.5.6.
        CASE
            WHEN regexp_matches(version, '^\d{1,6}\.\d{1,6}\.\d{1,6}$')
            THEN [split_part(version, '.', 1)::INTEGER, split_part(version, '.', 2)::INTEGER, split_part(version, '.', 3)::INTEGER]
        END AS version_parts
    FROM counted
)
SELECT
    host,
    agent,
    concat_ws('.', kind, counted_field.field) AS stream,
    counted_field.field IS NOT NULL AS is_field,
    day,
    sum(counted_field.n)::BIGINT AS lines,
    sum(CASE WHEN counted_field.field IS NULL THEN undated_lines ELSE 0 END)::BIGINT AS undated_lines,
    arg_min(version, version_parts) AS first_version,
    arg_max(version, version_parts) AS last_version
FROM named
GROUP BY ALL;
