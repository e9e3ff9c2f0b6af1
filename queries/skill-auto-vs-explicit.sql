-- Whether models or people choose skills, one row per skill.
--
-- Columns:
--   skill_name  skill, with its plugin: plugin:skill
--   model_auto  calls that a model chose on its own, with arguments or without
--   chained     calls made while another skill was at work
--   explicit    slash commands that a person typed; a bare name is the skill of that name, else
--               the entry skill of the plugin of that name
--   total       the three together
--
-- Totals: model_auto, chained, explicit, total
--
-- Examples:
--   warehouse query skill-auto-vs-explicit --since 30d
--   warehouse query skill-auto-vs-explicit -p min_calls=5

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = getvariable('limit')::INTEGER;                                -- rows to show (default all)
SET VARIABLE min_calls = coalesce(getvariable('min_calls'), '1')::INTEGER;           -- fewest calls of a row

SELECT
    skill_name,
    count(*) FILTER (chosen_by = 'model') AS model_auto,
    count(*) FILTER (chosen_by = 'skill') AS chained,
    count(*) FILTER (chosen_by = 'person') AS explicit,
    count(*) AS total
FROM skill_uses
WHERE date_filter(timestamp, getvariable('since'), getvariable('until'))
    AND project_filter(project_path, getvariable('project'))
    AND host_filter(host, getvariable('host'))
    AND agent_filter(agent, getvariable('agent'))
    AND session_filter(session_id, getvariable('session'))
GROUP BY skill_name
HAVING count(*) >= getvariable('min_calls')
ORDER BY total DESC, skill_name
LIMIT getvariable('limit');
