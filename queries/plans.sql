-- Sessions with plans and how the plans fared, one row per session, the most plans first.
--
-- Counted are the plans presented in the time asked for (see plan_calls for what became of each). A
-- plan that was replaced often says that the task was not clear, or not to be planned.
--
-- Columns:
--   host            machine the transcript comes from
--   session_id      session
--   project_path    working directory of the first plan
--   plan_count      plans presented
--   redirect_count  plans that were rejected, and work on them went on
--   approved_count  plans that were approved
--   handoff_count   plans that another start carried out, or that ended the session
--   unknown_count   plans that were never answered, or whose call failed
--   replan_tier     single for one plan, replan for two or three, off-rails for more
--   first_plan      time of the first plan
--   last_plan       time of the last plan
--   title           name the session was given, by hand or by the agent
--
-- Totals: plan_count, redirect_count, approved_count, handoff_count, unknown_count
--
-- Examples:
--   warehouse query plans --since 30d
--   warehouse query plans --min_plans 2 --project /home/dev/app

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = coalesce(getvariable('limit'), '50')::INTEGER;                -- rows to show
SET VARIABLE min_plans = coalesce(getvariable('min_plans'), '1')::INTEGER;           -- plans that a session must have

SELECT
    host,
    session_id,
    arg_min(project_path, plan_seq) AS project_path,
    count(*) AS plan_count,
    count(*) FILTER (outcome = 'redirected') AS redirect_count,
    count(*) FILTER (outcome = 'approved') AS approved_count,
    count(*) FILTER (outcome = 'handoff') AS handoff_count,
    count(*) FILTER (outcome = 'unknown') AS unknown_count,
    CASE WHEN plan_count = 1 THEN 'single' WHEN plan_count <= 3 THEN 'replan' ELSE 'off-rails' END AS replan_tier,
    min(timestamp) AS first_plan,
    max(timestamp) AS last_plan,
    any_value(label) AS title
FROM plan_calls
LEFT JOIN session_labels USING (host, agent, session_id)
WHERE date_filter(timestamp, getvariable('since'), getvariable('until'))
    AND project_filter(project_path, getvariable('project'))
    AND host_filter(host, getvariable('host'))
    AND agent_filter(agent, getvariable('agent'))
    AND session_filter(session_id, getvariable('session'))
GROUP BY host, agent, session_id
HAVING plan_count >= getvariable('min_plans')
ORDER BY plan_count DESC, last_plan DESC NULLS LAST, host, agent, session_id
LIMIT getvariable('limit');
