-- Titles of sessions, one row per session that has one.
--
-- Columns:
--   session_id  session
--   label       its title
--
-- Examples:
--   warehouse search retry budget

SET VARIABLE sessions = getvariable('sessions')::VARCHAR;                               -- session ids, a JSON list (required)

-- A filter on the session reaches the lines; a join would not.
SELECT
    session_id,
    any_value(label) AS label
FROM session_labels
WHERE session_id IN (SELECT unnest(from_json(getvariable('sessions'), '["VARCHAR"]')))
GROUP BY session_id;
