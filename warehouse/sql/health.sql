-- What health looks at beside the report index-health, one row per finding.
--
-- The variables are those of reports (queries/reads.go).
WITH listed AS (
    SELECT unnest(from_json(
        getvariable('disk_transcripts'),
        '[{"host": "VARCHAR", "source_file": "VARCHAR", "session_id": "VARCHAR", "status": "VARCHAR", "size_bytes": "BIGINT", "modified_ms": "BIGINT"}]'
    ), recursive := true)
),
files AS (
    SELECT
        listed.source_file,
        listed.session_id,
        listed.size_bytes,
        make_timestamptz(listed.modified_ms * 1000) AS modified_at,
        known.status = 'ok' AS is_known,
        -- What was forgotten is not waited for.
        CASE WHEN known.status = 'ignored' THEN listed.size_bytes ELSE coalesce(known.size_bytes - known.lag_bytes, 0) END AS read_bytes,
        listed.size_bytes < read_bytes AS is_shorter
    FROM listed
    LEFT JOIN source_files AS known ON known.source_file = listed.source_file AND known.status IN ('ok', 'ignored')
    WHERE listed.host = 'local' AND listed.status = 'ok'
),
-- A file that was there when the last refresh ran should have been read; one that was written since
-- waits for the next, but not for days.
lagging AS (
    SELECT
        count(*) AS files,
        sum(CASE WHEN is_shorter THEN size_bytes ELSE size_bytes - read_bytes END) AS lag_bytes,
        bool_or(modified_at < refreshed_at - to_minutes(1) OR modified_at < now() - to_days(1)) AS is_late,
        array_to_string(list(source_file ORDER BY size_bytes - read_bytes DESC, source_file)[:3], ', ') AS examples
    FROM files
    CROSS JOIN index_meta
    WHERE is_known AND size_bytes <> read_bytes
),
setting AS (
    SELECT coalesce(first(s ORDER BY n) FILTER (WHERE s.project_path IS NULL), {'config_source': 'its default', 'project_path': NULL, 'cleanup_days': 30}) AS s
    FROM (
        SELECT generate_subscripts(settings, 1) AS n, unnest(settings) AS s
        FROM (SELECT from_json(getvariable('disk_settings'), '[{"config_source": "VARCHAR", "project_path": "VARCHAR", "cleanup_days": "BIGINT"}]') AS settings)
    )
),
due AS (
    SELECT
        any_value(setting.s) AS s,
        count(*) AS files,
        min(modified_at) AS oldest,
        count(*) FILTER (WHERE removed_at < now() + to_days(7)) AS soon,
        count(*) FILTER (WHERE removed_at < now() + to_days(3) AND read_bytes < size_bytes) AS lost
    FROM (SELECT files.*, setting.s, modified_at + to_days(setting.s.cleanup_days::INTEGER) AS removed_at FROM files CROSS JOIN setting) AS setting
),
broken AS (
    SELECT
        parse_status,
        count(*) AS lines,
        arg_min(source_file || ' line ' || source_line, source_file || printf('%12d', source_line)) AS example
    FROM broken_lines
    GROUP BY parse_status
),
total AS (SELECT count(*) AS lines FROM raw),
-- The columns that are no text, as the line has them. What does not fit became NULL, a flag false.
probed AS MATERIALIZED (
    SELECT
        source_file,
        source_line,
        j,
        [
            CASE WHEN j.timestamp IS NOT NULL AND timestamp IS NULL THEN 'timestamp' END,
            CASE WHEN try_cast(j.isMeta AS BOOLEAN) IS NULL AND j.isMeta IS NOT NULL THEN 'isMeta' END,
            CASE WHEN try_cast(j.isSidechain AS BOOLEAN) IS NULL AND j.isSidechain IS NOT NULL THEN 'isSidechain' END,
            CASE WHEN j.durationMs IS NOT NULL AND duration_ms IS NULL THEN 'durationMs' END,
            CASE WHEN j.costUSD IS NOT NULL AND cost_usd IS NULL THEN 'costUSD' END,
            CASE WHEN j.message.usage.input_tokens IS NOT NULL AND input_tokens IS NULL THEN 'message.usage.input_tokens' END,
            CASE WHEN j.message.usage.output_tokens IS NOT NULL AND output_tokens IS NULL THEN 'message.usage.output_tokens' END,
            CASE WHEN j.message.usage.cache_read_input_tokens IS NOT NULL AND cache_read_tokens IS NULL THEN 'message.usage.cache_read_input_tokens' END,
            CASE WHEN j.message.usage.cache_creation_input_tokens IS NOT NULL AND cache_creation_tokens IS NULL THEN 'message.usage.cache_creation_input_tokens' END,
            CASE WHEN j.message.usage.cache_creation.ephemeral_5m_input_tokens IS NOT NULL AND cache_5m_tokens IS NULL THEN 'message.usage.cache_creation.ephemeral_5m_input_tokens' END,
            CASE WHEN j.message.usage.cache_creation.ephemeral_1h_input_tokens IS NOT NULL AND cache_1h_tokens IS NULL THEN 'message.usage.cache_creation.ephemeral_1h_input_tokens' END,
            CASE WHEN j.message.usage.server_tool_use.web_search_requests IS NOT NULL AND web_search_requests IS NULL THEN 'message.usage.server_tool_use.web_search_requests' END,
            CASE WHEN j.message.usage.server_tool_use.web_fetch_requests IS NOT NULL AND web_fetch_requests IS NULL THEN 'message.usage.server_tool_use.web_fetch_requests' END,
            CASE WHEN j.message.usage.output_tokens_details.thinking_tokens IS NOT NULL AND reasoning_tokens IS NULL THEN 'message.usage.output_tokens_details.thinking_tokens' END
        ] AS lost_keys
    FROM (
        SELECT
            *,
            from_json(data, '{"timestamp": "VARCHAR", "isMeta": "VARCHAR", "isSidechain": "VARCHAR", "durationMs": "VARCHAR", "costUSD": "VARCHAR",
                "message": {"usage": {
                    "input_tokens": "VARCHAR", "output_tokens": "VARCHAR", "cache_read_input_tokens": "VARCHAR", "cache_creation_input_tokens": "VARCHAR",
                    "cache_creation": {"ephemeral_5m_input_tokens": "VARCHAR", "ephemeral_1h_input_tokens": "VARCHAR"},
                    "server_tool_use": {"web_search_requests": "VARCHAR", "web_fetch_requests": "VARCHAR"},
                    "output_tokens_details": {"thinking_tokens": "VARCHAR"}}}}') AS j
        FROM raw
        WHERE parse_status IN ('ok', 'repaired')
    )
),
written AS (
    SELECT unnest([
        {'key': 'timestamp', 'lines': count(j.timestamp)},
        {'key': 'isMeta', 'lines': count(j.isMeta)},
        {'key': 'isSidechain', 'lines': count(j.isSidechain)},
        {'key': 'durationMs', 'lines': count(j.durationMs)},
        {'key': 'costUSD', 'lines': count(j.costUSD)},
        {'key': 'message.usage.input_tokens', 'lines': count(j.message.usage.input_tokens)},
        {'key': 'message.usage.output_tokens', 'lines': count(j.message.usage.output_tokens)},
        {'key': 'message.usage.cache_read_input_tokens', 'lines': count(j.message.usage.cache_read_input_tokens)},
        {'key': 'message.usage.cache_creation_input_tokens', 'lines': count(j.message.usage.cache_creation_input_tokens)},
        {'key': 'message.usage.cache_creation.ephemeral_5m_input_tokens', 'lines': count(j.message.usage.cache_creation.ephemeral_5m_input_tokens)},
        {'key': 'message.usage.cache_creation.ephemeral_1h_input_tokens', 'lines': count(j.message.usage.cache_creation.ephemeral_1h_input_tokens)},
        {'key': 'message.usage.server_tool_use.web_search_requests', 'lines': count(j.message.usage.server_tool_use.web_search_requests)},
        {'key': 'message.usage.server_tool_use.web_fetch_requests', 'lines': count(j.message.usage.server_tool_use.web_fetch_requests)},
        {'key': 'message.usage.output_tokens_details.thinking_tokens', 'lines': count(j.message.usage.output_tokens_details.thinking_tokens)}
    ]) AS w
    FROM probed
),
uncast AS (
    SELECT
        key,
        count(*) AS lost,
        arg_min(source_file || ' line ' || source_line, source_file || printf('%12d', source_line)) AS example
    FROM (
        SELECT source_file, source_line, unnest(lost_keys) AS key
        FROM probed
        WHERE len(list_filter(lost_keys, k -> k IS NOT NULL)) > 0
    )
    WHERE key IS NOT NULL
    GROUP BY key
)
SELECT
    'disk-lag' AS check_name,
    CASE WHEN is_late THEN 'alert' ELSE 'info' END AS status,
    'transcripts' AS subject,
    format('{} changed since, {} not in the warehouse: {}', counted(files, 'file'), counted(lag_bytes, 'byte'), examples) AS detail
FROM lagging
WHERE files > 0
UNION ALL
SELECT 'files-not-read', 'alert', status, format('{}, such as {}: {}', counted(count(*), 'path'), min(source_file), arg_min(error, source_file))
FROM source_files
WHERE status IN ('failed', 'unreadable')
GROUP BY status
UNION ALL
SELECT 'files-not-read', 'info', status, format('{}, such as {}: {}', counted(count(*), 'path'), min(source_file), arg_min(error, source_file))
FROM source_files
WHERE status = 'skipped'
GROUP BY status
UNION ALL
SELECT
    'broken-lines',
    CASE WHEN parse_status = 'invalid' AND broken.lines > 0.01 * total.lines THEN 'alert' ELSE 'info' END,
    parse_status,
    format('{:,} of {}, such as {}', broken.lines, counted(total.lines, 'line'), example)
FROM broken
CROSS JOIN total
UNION ALL
SELECT
    'values-not-cast',
    CASE WHEN lost > 0.01 * written.w.lines THEN 'alert' ELSE 'info' END,
    uncast.key,
    format('{:,} of {} left out since of another type, such as {}', lost, counted(written.w.lines, 'value'), example)
FROM uncast
JOIN written ON written.w.key = uncast.key
UNION ALL
SELECT
    'retention-horizon',
    CASE WHEN lost > 0 THEN 'alert' ELSE 'info' END,
    'clean-up',
    concat(
        format('the agent removes transcripts after {} ({}); the oldest of {:,} is of {}',
            counted(s.cleanup_days, 'day'), s.config_source, files, strftime(oldest, '%Y-%m-%d')),
        CASE WHEN soon > 0 THEN format('; due within a week: {:,}', soon) END,
        CASE WHEN lost > 0 THEN format('; due in three days and not wholly in the warehouse: {:,}', lost) END,
        '; the warehouse ' || CASE (SELECT max(value) FROM settings WHERE name = 'retention') WHEN 'keep' THEN 'keeps their lines' ELSE 'drops their lines then' END
    )
FROM due
WHERE files > 0;
