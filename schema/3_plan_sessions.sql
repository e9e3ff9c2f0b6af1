-- Sessions in which a plan was presented, one row per session.
--
-- Columns:
--   host            machine the transcript comes from
--   agent           program that wrote it
--   session_id      session
--   project_path    working directory of the first plan
--   plan_count      plans presented
--   redirect_count  plans that were rejected, and work on them went on
--   approved_count  plans that were approved
--   handoff_count   1 where the last plan was rejected and no file was edited after it
--   unknown_count   plans that were never answered, or whose call failed
--   first_plan_ts   time of the first plan
--   last_plan_ts    time of the last plan
CREATE OR REPLACE VIEW plan_sessions AS
SELECT
    host,
    agent,
    session_id,
    arg_min(project_path, plan_seq) AS project_path,
    count(*) AS plan_count,
    count(*) FILTER (outcome = 'redirected') AS redirect_count,
    count(*) FILTER (outcome = 'approved') AS approved_count,
    count(*) FILTER (outcome = 'handoff') AS handoff_count,
    count(*) FILTER (outcome = 'unknown') AS unknown_count,
    min(timestamp) AS first_plan_ts,
    max(timestamp) AS last_plan_ts
FROM plan_calls
GROUP BY host, agent, session_id;
