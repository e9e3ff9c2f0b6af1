-- Installed skills against their use, one row per skill, those never used first.
--
-- Installed are, on this machine and now, the SKILL.md files of the administrator, of the person, of
-- projects that sessions ran in, and of plugins, of which one version counts. Use is what sessions of
-- this machine did: calls by models, and names typed as slash commands. A skill of a plugin is called
-- plugin:skill; one that has its plugin's own name is called by that alone too, unless a skill
-- outside plugins has the name. Of skills of one name, the administrator's comes before one's own,
-- that before a project's, and a project's counts in the project alone.
--
-- Columns:
--   source                    managed, personal, the project's folder, or plugin@marketplace
--   skill_name                name it is called by
--   description_chars         length of its description, which every session reads
--   disable_model_invocation  true where only people can call it
--   calls                     calls by models
--   sessions                  sessions that used it
--   last_seen                 time of the last use
--   typed                     times it was typed as a slash command
--   file                      its SKILL.md
--
-- Reads: disk_skills
--
-- Examples:
--   warehouse query skill-config-vs-observed
--   warehouse query skill-config-vs-observed --since 30d --skill 'review*'

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE skill   = getvariable('skill')::VARCHAR;                                -- skill, a glob (default all)
SET VARIABLE personal_glob = getvariable('personal_glob')::VARCHAR;                  -- SKILL.md files to read as one's own instead of the usual ones, a glob
SET VARIABLE project_glob = getvariable('project_glob')::VARCHAR;                    -- the same for those of projects
SET VARIABLE plugin_glob = getvariable('plugin_glob')::VARCHAR;                      -- the same for those of plugins
SET VARIABLE "limit" = coalesce(getvariable('limit'), '500')::INTEGER;               -- rows to show
SET VARIABLE disk_skills = coalesce(getvariable('disk_skills'), '[]')::VARCHAR;      -- skills found, filled by the program

WITH listed AS (
    SELECT
        generate_subscripts(skills, 1) AS skill_number,
        unnest(skills) AS skill
    FROM (
        SELECT from_json(
            getvariable('disk_skills'),
            '[{"source": "VARCHAR", "scope": "VARCHAR", "project_path": "VARCHAR", "plugin": "VARCHAR", "folder": "VARCHAR",
                "name": "VARCHAR", "description_chars": "BIGINT", "disable_model_invocation": "BOOLEAN"}]'
        ) AS skills
    )
),
installed AS (
    SELECT
        skill_number,
        skill.source AS file,
        skill.project_path AS project_path,
        CASE skill.scope
            WHEN 'plugin' THEN skill.plugin
            WHEN 'user' THEN 'personal'
            ELSE coalesce(skill.project_path, skill.scope)
        END AS source,
        CASE skill.scope WHEN 'managed' THEN 1 WHEN 'user' THEN 2 WHEN 'project' THEN 3 ELSE 4 END AS rank,
        skill.description_chars AS description_chars,
        skill.disable_model_invocation AS disable_model_invocation,
        CASE WHEN skill.plugin IS NULL THEN '' ELSE split_part(skill.plugin, '@', 1) || ':' END AS prefix,
        prefix || skill.name AS skill_name,
        list_distinct(
            [prefix || skill.name, prefix || skill.folder]
            || CASE WHEN prefix IN (skill.name || ':', skill.folder || ':') THEN [split_part(skill.plugin, '@', 1)] ELSE [] END
        ) AS names
    FROM listed
),
-- What each may be called by.
named AS (
    SELECT skill_number, project_path, rank, unnest(names) AS called
    FROM installed
),
uses AS (
    SELECT skill_name AS called, session_id, project_path, timestamp, false AS is_typed
    FROM skill_calls
    WHERE date_filter(timestamp, getvariable('since'), getvariable('until'))
        AND project_filter(project_path, getvariable('project'))
        AND session_filter(session_id, getvariable('session'))
        AND host = 'local'
    UNION ALL
    SELECT command, session_id, project_path, timestamp, true
    FROM command_markers
    WHERE date_filter(timestamp, getvariable('since'), getvariable('until'))
        AND project_filter(project_path, getvariable('project'))
        AND session_filter(session_id, getvariable('session'))
        AND host = 'local'
),
used AS (
    SELECT
        called,
        project_path,
        session_id,
        count(*) FILTER (WHERE NOT is_typed) AS calls,
        count(*) FILTER (WHERE is_typed) AS typed,
        max(timestamp) AS last_seen
    FROM uses
    GROUP BY ALL
),
-- Each use belongs to one skill.
assigned AS (
    SELECT
        named.skill_number,
        used.*
    FROM used
    JOIN named
        ON named.called = used.called
        AND (named.project_path IS NULL
            OR used.project_path = named.project_path
            OR starts_with(used.project_path, named.project_path || '/'))
    QUALIFY row_number() OVER (
        PARTITION BY used.called, used.project_path, used.session_id
        ORDER BY
            named.rank,
            length(named.project_path) DESC,
            named.skill_number
    ) = 1
),
totals AS (
    SELECT
        skill_number,
        sum(calls) AS calls,
        count(DISTINCT session_id) AS sessions,
        max(last_seen) AS last_seen,
        sum(typed) AS typed
    FROM assigned
    GROUP BY skill_number
)
SELECT
    source,
    skill_name,
    description_chars,
    disable_model_invocation,
    coalesce(totals.calls, 0)::BIGINT AS calls,
    coalesce(totals.sessions, 0) AS sessions,
    totals.last_seen,
    coalesce(totals.typed, 0)::BIGINT AS typed,
    file
FROM installed
LEFT JOIN totals USING (skill_number)
WHERE getvariable('skill') IS NULL OR skill_name GLOB getvariable('skill')
ORDER BY coalesce(totals.calls + totals.typed, 0), skill_name, source, file, skill_number
LIMIT getvariable('limit');
