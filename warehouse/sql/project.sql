-- Rows of raw from framed lines (the temporary view lines), one row per line.
--
-- DuckDB is the judge of what is JSON. data is the line's text where it accepts it, else the
-- text that repair made of it, else NULL; bytes stands beside it only where data's text is not
-- exactly the line.
SELECT
    * EXCLUDE (pinned),
    pinned.* EXCLUDE (session_id, agent_id),
    -- The line's own session, else the one its path names; the path knows a sub-agent better
    -- than a line that was copied into its file.
    coalesce(pinned.session_id, file_session_id) AS session_id,
    coalesce(file_agent_id, pinned.agent_id) AS agent_id
FROM (
    SELECT
        host,
        agent,
        source_file,
        source_line,
        byte_offset,
        generation,
        file_session_id,
        file_agent_id,
        CASE
            WHEN json_line IS NOT NULL AND bytes IS NOT NULL THEN 'repaired'
            WHEN json_line IS NOT NULL THEN 'ok'
            WHEN reason = 'blank' THEN 'blank'
            WHEN is_tail THEN 'torn'
            ELSE 'invalid'
        END AS parse_status,
        CASE
            WHEN json_line IS NULL AND is_tail THEN 'no line end'
            WHEN json_line IS NULL OR bytes IS NOT NULL THEN reason
        END AS parse_reason,
        json_line AS data,
        CASE WHEN json_line IS NULL THEN coalesce(bytes, encode(text)) ELSE bytes END AS bytes,
        flat_columns(parsed) AS pinned
    FROM (
        -- pinned_columns(json_line) in two steps: as one expression it holds from_json once for
        -- each field, and binding that takes 0.1 s however few lines there are.
        SELECT
            *,
            line_struct(json_line) AS parsed
        FROM (SELECT *, try_cast(text AS JSON) AS json_line FROM lines)
    )
)
