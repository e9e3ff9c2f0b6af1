-- Texts for the word index, one row per text, of lines written by refreshes behind a generation, in a
-- span of files (index_spans.sql):
--
--   SET VARIABLE from_generation = -1;
--   SET VARIABLE behind_file = '';
--   SET VARIABLE last_file = '~';
--
-- By kind, so that those which are read together stand together.
SELECT
    CASE
        WHEN is_compact_summary THEN 'summary'
        WHEN item_type = 'text' THEN 'prose'
        WHEN item_type = 'thinking' THEN 'thinking'
        ELSE 'tool-input'
    END AS kind,
    host,
    agent,
    session_id,
    agent_id,
    project_path,
    timestamp,
    source_file,
    source_line,
    item_index,
    generation,
    coalesce(role, 'user') AS role,
    agent_id IS NOT NULL OR is_sidechain AS is_subagent,
    is_meta,
    coalesce(entrypoint LIKE 'sdk%', false) AS is_automated,
    CASE WHEN item_type LIKE '%tool_use' THEN input::VARCHAR ELSE text END AS text
FROM content_items
LEFT JOIN (
    SELECT
        source_file,
        source_line,
        entrypoint
    FROM raw
    WHERE entrypoint IS NOT NULL
        AND generation > getvariable('from_generation')
        AND source_file > getvariable('behind_file')
        AND source_file <= getvariable('last_file')
) AS lines USING (source_file, source_line)
WHERE generation > getvariable('from_generation')
    AND source_file > getvariable('behind_file')
    AND source_file <= getvariable('last_file')
    AND (item_type IN ('text', 'thinking') OR item_type LIKE '%tool_use')
    AND (record_type IN ('user', 'assistant', 'attachment') OR operation = 'enqueue')
UNION ALL
SELECT
    'summary',
    host,
    agent,
    session_id,
    agent_id,
    project_path,
    timestamp,
    source_file,
    source_line,
    0,
    generation,
    'assistant',
    agent_id IS NOT NULL OR is_sidechain,
    false,
    false,
    json_extract_string(data, '$.summary')
FROM raw
WHERE generation > getvariable('from_generation')
    AND source_file > getvariable('behind_file')
    AND source_file <= getvariable('last_file')
    AND type = 'summary'
    AND parse_status <> 'torn'
ORDER BY kind
