-- Titles of sessions, one row per session that has one.
--
-- Columns:
--   session_id  session
--   label       its title
--
-- Examples:
--   warehouse search retry budget

SET VARIABLE sessions     = getvariable('sessions')::VARCHAR;                      -- session ids, a JSON list (required)
SET VARIABLE egress_hosts = coalesce(getvariable('egress_hosts'), '*')::VARCHAR;   -- hosts whose text may leave, a comma list (default all)

-- A filter on the session reaches the lines; a join would not.
SELECT
    session_id,
    any_value(label) AS label
FROM session_labels
WHERE session_id IN (SELECT unnest(from_json(getvariable('sessions'), '["VARCHAR"]')))
    AND (getvariable('egress_hosts') = '*' OR list_contains(string_split(getvariable('egress_hosts'), ','), host))
GROUP BY session_id;
