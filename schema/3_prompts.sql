-- What people asked, one row per human prompt.
--
-- A prompt is a user line of the main thread with text beyond what the program injects: not meta,
-- no compaction summary, no tool result, not only tags or an interruption mark. Prompts typed
-- while the model worked may exist in the queue alone (queue-operation records; 4,302 of 8,000
-- seen): they are prompts too, once per text and session, unless a user line has the same text.
--
-- Columns:
--   host          machine the transcript comes from
--   agent         program that wrote it
--   session_id    session
--   project_path  working directory
--   timestamp     time of the line
--   source_file   transcript
--   source_line   line in it, from 1
--   prompt_kind   typed for a user line, queued for one that only the queue holds
--   text          the prompt without injected tags
CREATE OR REPLACE VIEW prompts AS
WITH texts AS (
    SELECT
        *,
        CASE
            WHEN item_type = 'text' THEN
                trim(regexp_replace(
                    text,
                    '<(system-reminder|command-name|command-message|command-args|command-contents|local-command-stdout|local-command-stderr|local-command-caveat|bash-input|bash-stdout|bash-stderr|task-notification|teammate-message|ide_opened_file|ide_selection|user-memory-input|new-diagnostics)\b[^>]*>.*?</(system-reminder|command-name|command-message|command-args|command-contents|local-command-stdout|local-command-stderr|local-command-caveat|bash-input|bash-stdout|bash-stderr|task-notification|teammate-message|ide_opened_file|ide_selection|user-memory-input|new-diagnostics)>',
                    '',
                    'gs'
                ), E' \n\t\r')
        END AS own_text
    FROM content_items
    ANTI JOIN replays USING (source_file, source_line)
    WHERE record_type IN ('user', 'queue-operation', 'attachment')
        AND NOT is_meta
        AND NOT is_compact_summary
        AND NOT is_sidechain
        AND agent_id IS NULL
),
written AS (
    SELECT
        host,
        agent,
        session_id,
        any_value(project_path) AS project_path,
        any_value(timestamp) AS timestamp,
        source_file,
        source_line,
        'typed' AS prompt_kind,
        string_agg(own_text, chr(10) ORDER BY item_index) FILTER (WHERE item_type = 'text') AS text
    FROM texts
    WHERE record_type = 'user'
    GROUP BY host, agent, session_id, source_file, source_line
    HAVING NOT bool_or(item_type IS NOT DISTINCT FROM 'tool_result')
),
queued AS (
    SELECT
        host,
        agent,
        session_id,
        project_path,
        timestamp,
        source_file,
        source_line,
        'queued' AS prompt_kind,
        own_text AS text
    FROM texts
    WHERE record_type <> 'user' AND coalesce(origin_kind, 'human') = 'human'
    QUALIFY row_number() OVER (
        PARTITION BY host, agent, session_id, own_text
        ORDER BY timestamp, source_file, source_line, item_index
    ) = 1
)
SELECT
    host,
    agent,
    session_id,
    project_path,
    timestamp,
    source_file,
    source_line,
    prompt_kind,
    text
FROM (
    SELECT * FROM written
    UNION ALL
    SELECT queued.*
    FROM queued
    ANTI JOIN written USING (host, agent, session_id, text)
)
WHERE text <> ''
    AND text NOT LIKE '[Request interrupted by user%'
    AND text NOT LIKE 'Caveat: The messages below%'
    AND text NOT LIKE 'Base directory for this skill:%'
    AND text NOT LIKE 'Stop hook feedback%'
    AND text NOT LIKE 'This session is being continued from a previous conversation%';
