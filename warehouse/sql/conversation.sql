-- What a session holds, one row per part of a message, in the order it is read:
--
--   SET VARIABLE host = 'local';
--   SET VARIABLE session = '1b7e0c52-3f6a-4d18-9a41-c2f0d95e7b33';
--
-- The files come first: those the session's id names, then those with lines of it (up to 2.1.1
-- sub-agents lie beside it; a plan that clears the context begins its file with lines of the old
-- session). All else is asked of these files alone, so it costs the session, not the warehouse.
--
-- Texts are not here, but own_text where the program added to what a person wrote. The rules of
-- what it adds are those of the view prompts, which cannot be asked for one session alone.
WITH found AS (
    SELECT source_file FROM indexed_files WHERE host = getvariable('host') AND file_session_id = getvariable('session')
    UNION
    SELECT source_file FROM raw WHERE host = getvariable('host') AND session_id = getvariable('session')
),
items AS (
    SELECT
        source_file,
        source_line,
        item_index,
        agent_id,
        agent_id IS NOT NULL OR is_sidechain AS is_subagent,
        attribution_agent,
        timestamp,
        uuid,
        record_type,
        is_meta,
        origin_kind,
        tool_id,
        tool_name,
        CASE
            WHEN item_type LIKE '%tool_use' THEN 'tool-call'
            WHEN item_type LIKE '%tool_result' THEN 'tool-result'
            WHEN item_type LIKE '%thinking' THEN 'thinking'
            WHEN item_type IS NULL OR item_type <> 'text' THEN coalesce(nullif(item_type, ''), 'untyped')
            WHEN is_compact_summary THEN 'summary'
            ELSE 'text'
        END AS kind,
        trim(text, E' \n\t\r') AS trimmed,
        CASE
            WHEN kind <> 'text' OR record_type = 'assistant' THEN NULL
            WHEN NOT contains(text, '<') THEN trimmed
            ELSE
                trim(regexp_replace(
                    text,
                    '<(system-reminder|command-name|command-message|command-args|command-contents|local-command-stdout|local-command-stderr|local-command-caveat|bash-input|bash-stdout|bash-stderr|task-notification|teammate-message|ide_opened_file|ide_selection|user-memory-input|new-diagnostics)\b[^>]*>.*?</(system-reminder|command-name|command-message|command-args|command-contents|local-command-stdout|local-command-stderr|local-command-caveat|bash-input|bash-stdout|bash-stderr|task-notification|teammate-message|ide_opened_file|ide_selection|user-memory-input|new-diagnostics)>',
                    '',
                    'gs'
                ), E' \n\t\r')
        END AS own_text,
        file_session_id IS NOT DISTINCT FROM getvariable('session') AS is_named,
        file_agent_id IS NOT NULL AS is_agent_file,
        min(timestamp) OVER (PARTITION BY source_file) AS started_at
    FROM content_items
    SEMI JOIN found USING (source_file)
    LEFT JOIN (SELECT source_file, file_session_id, file_agent_id FROM indexed_files) USING (source_file)
    WHERE file_session_id IS NOT DISTINCT FROM getvariable('session') OR session_id = getvariable('session')
),
placed AS (
    SELECT
        *,
        dense_rank() OVER (ORDER BY is_agent_file, NOT is_named, started_at, source_file) AS file_number,
        coalesce(nullif(own_text, ''), trimmed) AS said
    FROM items
),
-- A prompt that waited stands in the queue, and again as a user line if it was sent as one.
sent AS (
    SELECT DISTINCT said
    FROM (
        SELECT string_agg(said, chr(10) ORDER BY item_index) AS said
        FROM placed
        WHERE record_type = 'user' AND kind = 'text'
        GROUP BY source_file, source_line
    )
),
queued AS (
    SELECT
        source_file,
        source_line,
        item_index
    FROM placed
    ANTI JOIN sent USING (said)
    WHERE record_type NOT IN ('user', 'assistant')
    QUALIFY row_number() OVER (PARTITION BY said ORDER BY file_number, source_line, item_index) = 1
)
SELECT
    source_file,
    source_line,
    item_index,
    file_number,
    coalesce(agent_id, '') AS agent_id,
    is_subagent,
    coalesce(attribution_agent, '') AS agent_type,
    timestamp,
    CASE WHEN record_type = 'assistant' THEN 'assistant' ELSE 'user' END AS role,
    kind,
    record_type NOT IN ('user', 'assistant') AS is_queued,
    coalesce(tool_id, '') AS tool_id,
    coalesce(tool_name, '') AS tool_name,
    -- The same record again, in this file or another one of the session.
    uuid IS NOT NULL AND dense_rank() OVER (PARTITION BY uuid ORDER BY file_number, source_line) > 1 AS is_copy,
    kind NOT IN ('tool-call', 'tool-result', 'thinking', 'summary') AND coalesce(
        is_meta
            OR (record_type NOT IN ('user', 'assistant') AND origin_kind <> 'human')
            OR own_text = ''
            OR (is_subagent AND own_text = 'Warmup')
            OR own_text LIKE '[Request interrupted by user%'
            OR own_text LIKE 'Caveat: The messages below%'
            OR own_text LIKE 'Base directory for this skill:%'
            OR own_text LIKE 'Stop hook feedback%'
            OR own_text LIKE 'This session is being continued from a previous conversation%',
        false
    ) AS is_injected,
    CASE WHEN own_text <> '' AND own_text <> trimmed THEN own_text END AS own_text
FROM placed
LEFT JOIN (SELECT *, true AS is_kept FROM queued) USING (source_file, source_line, item_index)
WHERE (trimmed <> '' OR kind NOT IN ('text', 'thinking', 'summary')) AND (is_kept OR record_type IN ('user', 'assistant'))
ORDER BY file_number, source_line, item_index;
