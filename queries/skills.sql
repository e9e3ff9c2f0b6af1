-- Which skills were used, how, and by whom, one row per skill.
--
-- Columns:
--   skill_name      skill, with its plugin: plugin:skill
--   uses            uses in all
--   by_model        chosen by the model of the main thread
--   by_subagents    chosen by sub-agents
--   by_skills       chosen while another skill was at work, in any thread
--   by_people       typed as a slash command
--   failures        calls that failed or were refused
--   sessions        sessions with a use
--   projects        working directories with one
--   hosts           machines with one
--   first_used_at   time of the first use
--   last_used_at    time of the last
--
-- Totals: uses, by_model, by_subagents, by_skills, by_people, failures
-- Chart: skill_name, uses
--
-- Examples:
--   warehouse query skills --since 30d

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = getvariable('limit')::INTEGER;                                -- rows to show (default all)

SELECT
    skill_name,
    count(*) AS uses,
    count(*) FILTER (chosen_by = 'model' AND agent_id IS NULL) AS by_model,
    count(*) FILTER (chosen_by = 'model' AND agent_id IS NOT NULL) AS by_subagents,
    count(*) FILTER (chosen_by = 'skill') AS by_skills,
    count(*) FILTER (chosen_by = 'person') AS by_people,
    count(*) FILTER (is_error) AS failures,
    count(DISTINCT (host, session_id)) AS sessions,
    count(DISTINCT (host, project_path)) AS projects,
    count(DISTINCT host) AS hosts,
    min(timestamp) AS first_used_at,
    max(timestamp) AS last_used_at
FROM skill_uses
WHERE date_filter(timestamp, getvariable('since'), getvariable('until'))
    AND project_filter(project_path, getvariable('project'))
    AND host_filter(host, getvariable('host'))
    AND agent_filter(agent, getvariable('agent'))
    AND session_filter(session_id, getvariable('session'))
GROUP BY skill_name
ORDER BY uses DESC, skill_name
LIMIT getvariable('limit');
