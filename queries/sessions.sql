-- Sessions, the last active first, one row per session.
--
-- A session is shown when it was going on in the time asked for: it ended no earlier than --since
-- and began no later than --until. The counts are those of the whole session. Its project is the
-- one most of its lines were written in.
--
-- Columns:
--   session_id      session
--   title           name it was given, by hand or by the agent
--   project_path    working directory
--   start_time      time of the first record
--   active_minutes  minutes from first to last record without gaps of more than 5 minutes
--   prompts         human prompts
--   responses       responses of models, sub-agents' included
--   tool_calls      tool calls, sub-agents' included
--   end_time        time of the last record
--   agent_threads   sub-agents
--   agent           program that wrote it
--   host            machine the transcript comes from
--
-- Examples:
--   warehouse query sessions --since 7d
--   warehouse query sessions --project /home/dev/app --format csv

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = coalesce(getvariable('limit'), '20')::INTEGER;                -- rows to show

SELECT
    session_id,
    label AS title,
    project_path,
    start_time,
    active_minutes,
    prompts,
    responses,
    tool_calls,
    end_time,
    agent_threads,
    agent,
    host
FROM sessions
WHERE date_filter(end_time, getvariable('since'), NULL)
    AND date_filter(start_time, NULL, getvariable('until'))
    AND project_filter(project_path, getvariable('project'))
    AND host_filter(host, getvariable('host'))
    AND agent_filter(agent, getvariable('agent'))
    AND session_filter(session_id, getvariable('session'))
ORDER BY end_time DESC NULLS LAST, host, agent, session_id
LIMIT getvariable('limit');
