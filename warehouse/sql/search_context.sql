-- Texts before and behind a line of a transcript, one row per text, in the order of the file.
--
-- Columns:
--   source_line  line in the transcript, from 1
--   role         user or assistant
--   timestamp    time of the line
--   text         the text, its first 2,000 characters
--
-- Examples:
--   warehouse search --context 2 retry budget

SET VARIABLE file    = getvariable('file')::VARCHAR;                                    -- transcript (required)
SET VARIABLE line    = getvariable('line')::BIGINT;                                     -- line in it (required)
SET VARIABLE context = coalesce(getvariable('context'), '1')::INTEGER;                  -- texts before and behind

WITH texts AS (
    SELECT
        source_line,
        coalesce(role, 'user') AS role,
        timestamp,
        text[:2000] AS text,
        source_line < getvariable('line') AS is_before,
        row_number() OVER (PARTITION BY source_line < getvariable('line') ORDER BY abs(source_line - getvariable('line')), item_index) AS distance
    FROM content_items
    WHERE source_file = getvariable('file')
        AND source_line <> getvariable('line')
        AND item_type = 'text'
        AND record_type IN ('user', 'assistant')
        AND NOT is_meta
        AND trim(text) <> ''
)
SELECT
    source_line,
    role,
    timestamp,
    text
FROM texts
WHERE distance <= getvariable('context')
ORDER BY source_line, distance;
