-- Configured hooks against what hooks did, one row per configured hook, those never seen first.
--
-- The configuration is this machine's as it is now: hooks of settings files (managed, own, of
-- projects that sessions ran in) and of plugins, of which one version counts. It is compared with
-- what hooks of this machine did; a hook of a project counts there alone. Not every run leaves a
-- trace: a hook that has nothing to say is seen since 2.1.220 only, on Stop since 2.0.64. Hooks that
-- skills and sub-agents bring are not read.
--
-- A run belongs to a hook when event and command are the same, or else when both name the same
-- script: the program may record a command with its variables filled in.
--
-- Columns:
--   config_source   file that configures it
--   event           event it is for: PreToolUse, Stop, …
--   matcher         tools or sources it is for, empty for all
--   command         command, or the prompt or address of a hook that is none
--   observed_fires  runs seen
--   first_observed  time of the first
--   last_observed   time of the last
--   matched_by      command or script: what the runs were known by
--
-- Reads: disk_hooks
--
-- Examples:
--   warehouse query hook-config-vs-observed
--   warehouse query hook-config-vs-observed --since 30d --hook '*guard*'
--   warehouse query hook-config-vs-observed --hook_config_glob hooks/hooks.json

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE hook    = getvariable('hook')::VARCHAR;                                 -- command, a glob (default all)
SET VARIABLE hook_config_glob = getvariable('hook_config_glob')::VARCHAR;            -- files to read instead of the usual ones, a glob
SET VARIABLE "limit" = coalesce(getvariable('limit'), '200')::INTEGER;               -- rows to show
SET VARIABLE disk_hooks = coalesce(getvariable('disk_hooks'), '[]')::VARCHAR;        -- hooks found, filled by the program

WITH configured AS (
    SELECT
        generate_subscripts(hooks, 1) AS hook_number,
        unnest(hooks) AS hook
    FROM (
        SELECT from_json(
            getvariable('disk_hooks'),
            '[{"config_source": "VARCHAR", "project_path": "VARCHAR", "event": "VARCHAR", "matcher": "VARCHAR", "command": "VARCHAR"}]'
        ) AS hooks
    )
),
observed AS (
    SELECT
        hook_event AS event,
        command,
        project_path,
        count(*) AS fires,
        min(timestamp) AS first_observed,
        max(timestamp) AS last_observed
    FROM hook_runs
    WHERE command IS NOT NULL
        AND date_filter(timestamp, getvariable('since'), getvariable('until'))
        AND project_filter(project_path, getvariable('project'))
        AND session_filter(session_id, getvariable('session'))
        AND host = 'local'
    GROUP BY ALL
),
-- Both sides under one rule: the first script that a command names.
named AS (
    SELECT
        command,
        trim(regexp_replace(command, '\s+', ' ', 'g')) AS words,
        nullif(regexp_extract(
            command,
            '([^/\s"'';|&()=]+\.(?:sh|bash|zsh|fish|py|mjs|cjs|js|mts|ts|rb|pl|php|ps1|lua|go))(?:["''\s;|&)]|$)',
            1
        ), '') AS script
    FROM (
        SELECT command FROM observed
        UNION
        SELECT hook.command FROM configured
    )
),
pairs AS (
    SELECT
        configured.hook_number,
        observed.*,
        seen.words = wanted.words AS is_same
    FROM configured
    JOIN named AS wanted ON wanted.command = configured.hook.command
    JOIN observed
        ON observed.event = configured.hook.event
        AND (configured.hook.project_path IS NULL
            OR observed.project_path = configured.hook.project_path
            OR starts_with(observed.project_path, configured.hook.project_path || '/'))
    JOIN named AS seen ON seen.command = observed.command
    WHERE seen.words = wanted.words OR seen.script = wanted.script
    -- A command that is configured letter for letter belongs to no other hook with its script.
    QUALIFY is_same OR NOT bool_or(is_same) OVER (PARTITION BY observed.event, observed.command)
)
SELECT
    configured.hook.config_source AS config_source,
    configured.hook.event AS event,
    configured.hook.matcher AS matcher,
    configured.hook.command AS command,
    coalesce(sum(pairs.fires), 0)::BIGINT AS observed_fires,
    min(pairs.first_observed) AS first_observed,
    max(pairs.last_observed) AS last_observed,
    CASE WHEN bool_or(pairs.is_same) THEN 'command' WHEN count(pairs.fires) > 0 THEN 'script' END AS matched_by
FROM configured
LEFT JOIN pairs USING (hook_number)
WHERE getvariable('hook') IS NULL OR configured.hook.command GLOB getvariable('hook')
GROUP BY configured.hook_number, configured.hook
ORDER BY observed_fires, config_source, event, matcher NULLS FIRST, command, configured.hook_number
LIMIT getvariable('limit');
