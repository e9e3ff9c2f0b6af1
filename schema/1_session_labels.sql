-- Names of sessions, one row per session that has one.
--
-- A custom title comes before one the program made, that before the name of an agent; within a
-- kind the last line wins. These records have no time, so the order is that of the lines; where
-- several files of a session have one, that of the session's own file.
--
-- Columns:
--   host          machine the transcript comes from
--   agent         program that wrote it
--   session_id    session
--   label         the name
--   label_source  custom-title, ai-title or agent-name
CREATE OR REPLACE VIEW session_labels AS
SELECT
    host,
    agent,
    session_id,
    title AS label,
    type AS label_source
FROM raw
WHERE type IN ('custom-title', 'ai-title', 'agent-name')
    AND trim(title) <> ''
    AND session_id IS NOT NULL
    AND parse_status <> 'torn'
QUALIFY row_number() OVER (
    PARTITION BY host, agent, session_id
    ORDER BY
        CASE type WHEN 'custom-title' THEN 1 WHEN 'ai-title' THEN 2 ELSE 3 END,
        file_session_id IS NOT DISTINCT FROM session_id AND file_agent_id IS NULL DESC,
        source_file,
        source_line DESC
) = 1;
