-- What became of sessions, one row per outcome.
--
-- Each session with a record in the time asked for has the first outcome that fits:
--   shipped               a pull request was linked
--   ongoing               its last record is within --ongoing_hours of the last one of all sessions
--   handed-off            its last plan was handed to a new start
--   abandoned-with-edits  a file was edited, plan files aside
--   no-artifact           none of these
-- Links, plans and edits count where they fall into that time. The last two rows are about pull
-- requests: how many there are, and how many of them several sessions linked.
--
-- Columns:
--   metric  sessions for all, an outcome, pull-requests, or multi-session-prs
--   count   sessions, or pull requests
--
-- Examples:
--   warehouse query outcomes --since 30d
--   warehouse query outcomes --project /home/dev/app --ongoing_hours 12

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = getvariable('limit')::INTEGER;                                -- rows to show (default all)
SET VARIABLE ongoing_hours = coalesce(getvariable('ongoing_hours'), '48')::INTEGER;  -- hours of rest after which a session is over

WITH spoken AS (
    SELECT
        host,
        agent,
        session_id,
        project_path,
        timestamp,
        type = 'user' AND NOT is_meta AS is_spoken
    FROM raw
    ANTI JOIN replays USING (source_file, source_line)
    WHERE type IN ('user', 'assistant') AND session_id IS NOT NULL AND parse_status <> 'torn'
),
asked_for AS (
    SELECT
        host,
        agent,
        session_id,
        max(timestamp) AS ended_at,
        bool_or(
            date_filter(timestamp, getvariable('since'), getvariable('until'))
            AND project_filter(project_path, getvariable('project'))
            AND host_filter(host, getvariable('host'))
            AND agent_filter(agent, getvariable('agent'))
            AND session_filter(session_id, getvariable('session'))
        ) AS is_asked_for
    FROM spoken
    GROUP BY host, agent, session_id
    HAVING bool_or(is_spoken)
),
links AS (
    SELECT host, agent, session_id, url
    FROM pr_links
    WHERE date_filter(timestamp, getvariable('since'), getvariable('until'))
        AND project_filter(project_path, getvariable('project'))
        AND host_filter(host, getvariable('host'))
        AND agent_filter(agent, getvariable('agent'))
        AND session_filter(session_id, getvariable('session'))
),
handed AS (
    SELECT host, agent, session_id
    FROM plan_calls
    WHERE outcome = 'handoff'
        AND date_filter(timestamp, getvariable('since'), getvariable('until'))
),
edited AS (
    SELECT host, agent, session_id
    FROM content_items
    ANTI JOIN replays USING (source_file, source_line)
    WHERE item_type = 'tool_use'
        AND tool_name IN ('Edit', 'Write', 'MultiEdit', 'NotebookEdit')
        AND NOT coalesce(regexp_matches(json_extract_string(input, '$.file_path'), '[/\\]\.claude[/\\]plans[/\\]'), false)
        AND date_filter(timestamp, getvariable('since'), getvariable('until'))
),
outcomes AS (
    SELECT
        CASE
            WHEN EXISTS (FROM links AS l WHERE l.host = s.host AND l.agent = s.agent AND l.session_id = s.session_id) THEN 'shipped'
            WHEN s.ended_at >= (SELECT max(timestamp) FROM spoken) - to_hours(getvariable('ongoing_hours')) THEN 'ongoing'
            WHEN EXISTS (FROM handed AS h WHERE h.host = s.host AND h.agent = s.agent AND h.session_id = s.session_id) THEN 'handed-off'
            WHEN EXISTS (FROM edited AS e WHERE e.host = s.host AND e.agent = s.agent AND e.session_id = s.session_id) THEN 'abandoned-with-edits'
            ELSE 'no-artifact'
        END AS outcome
    FROM asked_for AS s
    WHERE is_asked_for
)
SELECT
    metric,
    count
FROM (
    SELECT 1 AS place, 'sessions' AS metric, count(*) AS count FROM outcomes
    UNION ALL
    SELECT
        1 + list_position(metrics, metric),
        metric,
        (SELECT count(*) FROM outcomes WHERE outcome = metric)
    FROM (
        SELECT
            ['shipped', 'ongoing', 'handed-off', 'abandoned-with-edits', 'no-artifact'] AS metrics,
            unnest(metrics) AS metric
    )
    UNION ALL
    SELECT 7, 'pull-requests', count(DISTINCT url) FROM links
    UNION ALL
    SELECT 8, 'multi-session-prs', count(*)
    FROM (SELECT url FROM links GROUP BY url HAVING count(DISTINCT (host, agent, session_id)) > 1)
)
WHERE (SELECT count(*) FROM outcomes) > 0
ORDER BY place
LIMIT getvariable('limit');
