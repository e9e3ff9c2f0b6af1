-- How plans changed from one presentation to the next, one row per plan of sessions with several.
--
-- Lines are compared as sets, without blanks around them and without empty ones: what a plan
-- carries over from the one before, adds and drops. The first plan of a session has nothing to
-- compare with. The newest sessions come first, their plans in order.
--
-- Columns:
--   host                machine the transcript comes from
--   session_id          session
--   project_path        working directory
--   plan_seq            number of the plan in its session, from 1
--   outcome             approved, handoff, redirected or unknown
--   plan_chars          length of the plan, characters; empty where the text is not known
--   chars_delta         characters more than in the plan before
--   lines_added         lines that the plan before did not have
--   lines_removed       lines of the plan before that are gone
--   lines_carried       lines that both have
--   carry_over_ratio    part of the lines before that were carried over, 0 to 1
--   secs_since_prev     seconds since the plan before
--   secs_to_first_plan  seconds from the start of the session, for its first plan
--   human_msgs          human prompts since the plan before, or since the start of the session
--
-- Examples:
--   warehouse query plan-iterations --since 30d
--   warehouse query plan-iterations --session 11111111

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = coalesce(getvariable('limit'), '100')::INTEGER;               -- rows to show
SET VARIABLE min_plans = coalesce(getvariable('min_plans'), '2')::INTEGER;           -- plans that a session must have

WITH plans AS (
    SELECT
        *,
        list_distinct(list_filter(list_transform(string_split(plan_text, chr(10)), line -> trim(line, E' \t\r')), line -> line <> '')) AS lines,
        count(*) OVER (PARTITION BY host, agent, session_id) AS plan_count
    FROM plan_calls
),
compared AS (
    SELECT
        *,
        lag(plan_chars) OVER in_order AS chars_before,
        lag(lines) OVER in_order AS lines_before,
        lag(timestamp) OVER in_order AS planned_before
    FROM plans
    WHERE plan_count >= getvariable('min_plans')
    WINDOW in_order AS (PARTITION BY host, agent, session_id ORDER BY plan_seq)
),
begins AS (
    SELECT host, agent, session_id, min(timestamp) AS started_at
    FROM raw
    ANTI JOIN replays USING (source_file, source_line)
    SEMI JOIN compared USING (host, agent, session_id)
    WHERE parse_status <> 'torn'
    GROUP BY host, agent, session_id
),
asked AS (
    SELECT
        c.host,
        c.agent,
        c.session_id,
        c.plan_seq,
        count(*) AS human_msgs
    FROM compared AS c
    JOIN prompts AS p ON p.host = c.host
        AND p.agent = c.agent
        AND p.session_id = c.session_id
        AND p.timestamp <= c.timestamp
        AND (c.planned_before IS NULL OR p.timestamp > c.planned_before)
    GROUP BY c.host, c.agent, c.session_id, c.plan_seq
)
SELECT
    host,
    session_id,
    project_path,
    plan_seq,
    outcome,
    plan_chars,
    plan_chars - chars_before AS chars_delta,
    len(lines) - lines_carried AS lines_added,
    len(lines_before) - lines_carried AS lines_removed,
    lines_carried,
    (lines_carried / nullif(len(lines_before), 0))::DECIMAL(5, 3) AS carry_over_ratio,
    date_diff('second', planned_before, timestamp) AS secs_since_prev,
    CASE WHEN plan_seq = 1 THEN date_diff('second', started_at, timestamp) END AS secs_to_first_plan,
    coalesce(human_msgs, 0) AS human_msgs
FROM (
    SELECT
        *,
        len(list_intersect(lines, lines_before)) AS lines_carried
    FROM compared
)
LEFT JOIN begins USING (host, agent, session_id)
LEFT JOIN asked USING (host, agent, session_id, plan_seq)
WHERE date_filter(timestamp, getvariable('since'), getvariable('until'))
    AND project_filter(project_path, getvariable('project'))
    AND host_filter(host, getvariable('host'))
    AND agent_filter(agent, getvariable('agent'))
    AND session_filter(session_id, getvariable('session'))
ORDER BY max(timestamp) OVER (PARTITION BY host, agent, session_id) DESC NULLS LAST, host, agent, session_id, plan_seq
LIMIT getvariable('limit');
