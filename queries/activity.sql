-- How people and agents work together, one row per kind of event that happened.
--
-- Prompts by where they came from (Claude Code 2.1.220 and later say so) and by the permission mode
-- they were sent in (2.1.15 and later), interruptions, what was queued while the model worked,
-- scheduled tasks, compactions, API errors, what hooks stopped or asked about. Copies of a record
-- count once. Queue operations name no folder, so --project leaves them out.
--
-- Columns:
--   signal  what happened
--   count   how often
--
-- Examples:
--   warehouse query activity --since 30d
--   warehouse query activity --project app --since 7d

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)

WITH lines AS (
    SELECT
        host,
        agent,
        session_id,
        project_path,
        timestamp,
        type,
        operation,
        prompt_source,
        permission_mode,
        is_api_error
    FROM raw
    ANTI JOIN replays USING (source_file, source_line)
    WHERE parse_status <> 'torn'
        AND ((type = 'user' AND (prompt_source IS NOT NULL OR permission_mode IS NOT NULL))
            OR (type = 'assistant' AND is_api_error)
            OR (type = 'queue-operation' AND operation = 'enqueue'))
),
signals AS (
    SELECT host, agent, session_id, project_path, timestamp, 1 AS place, 'prompts: ' || prompt_source AS signal
    FROM lines
    WHERE type = 'user' AND prompt_source IS NOT NULL
    UNION ALL
    SELECT
        host,
        agent,
        session_id,
        project_path,
        timestamp,
        2 AS place,
        CASE WHEN text LIKE '%for tool use]%' THEN 'interruptions: of a tool call' ELSE 'interruptions: of an answer' END AS signal
    FROM content_items
    ANTI JOIN replays USING (source_file, source_line)
    WHERE record_type = 'user' AND item_type = 'text' AND text_length < 100 AND starts_with(text, '[Request interrupted by user')
    UNION ALL
    SELECT
        host,
        agent,
        session_id,
        project_path,
        timestamp,
        3 AS place,
        'queued commands: ' || coalesce(json_extract_string(attachment, '$.origin.kind'), json_extract_string(attachment, '$.commandMode'), 'unknown') AS signal
    FROM attachments
    WHERE kind = 'queued_command'
    UNION ALL
    SELECT host, agent, session_id, project_path, timestamp, 4 AS place, 'enqueues' AS signal
    FROM lines
    WHERE type = 'queue-operation'
    UNION ALL
    SELECT
        host,
        agent,
        session_id,
        project_path,
        timestamp,
        CASE subtype WHEN 'scheduled_task_fire' THEN 5 WHEN 'api_error' THEN 7 ELSE 6 END AS place,
        CASE subtype
            WHEN 'scheduled_task_fire' THEN 'scheduled fires'
            WHEN 'api_error' THEN 'api errors: retries'
            WHEN 'microcompact_boundary' THEN 'compactions: of tool results'
            ELSE 'compactions: ' || coalesce(compact_trigger, 'unknown')
        END AS signal
    FROM system_events
    WHERE subtype IN ('scheduled_task_fire', 'api_error', 'compact_boundary', 'microcompact_boundary')
    UNION ALL
    SELECT host, agent, session_id, project_path, timestamp, 8 AS place, 'api errors: shown' AS signal
    FROM lines
    WHERE type = 'assistant'
    UNION ALL
    SELECT host, agent, session_id, project_path, timestamp, 9 AS place, CASE decision WHEN 'ask' THEN 'hook asks' ELSE 'hook blocks' END AS signal
    FROM hook_blocks
    UNION ALL
    SELECT host, agent, session_id, project_path, timestamp, 10 AS place, 'hook blocks: seen in errors alone' AS signal
    FROM hook_denies
    UNION ALL
    SELECT host, agent, session_id, project_path, timestamp, 11 AS place, 'permission mode: ' || permission_mode AS signal
    FROM lines
    WHERE type = 'user' AND permission_mode IS NOT NULL
)
SELECT
    signal,
    count(*) AS count
FROM signals
WHERE date_filter(timestamp, getvariable('since'), getvariable('until'))
    AND project_filter(project_path, getvariable('project'))
    AND host_filter(host, getvariable('host'))
    AND agent_filter(agent, getvariable('agent'))
    AND session_filter(session_id, getvariable('session'))
GROUP BY place, signal
ORDER BY place, count(*) DESC, signal;
