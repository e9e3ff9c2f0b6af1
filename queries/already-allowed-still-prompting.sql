-- Refused shell commands that permission rules allow, one row per command.
--
-- A person said no to these, and yet an allow rule of the settings fits: either the rule came later,
-- or it is wider than was meant, or something else made the agent ask. A compound command is cut into
-- its parts, each of which needs a rule of its own or is run without asking (unprompted_commands).
-- What was answered with yes leaves no trace, so it is not here.
--
-- Rules are this machine's as they are now, of the administrator, one's own, and those of the project
-- that the session ran in; the refusals are this machine's. A deny or ask rule comes before any allow
-- rule. bash_parts says how commands are cut; where the agent sees more in a command than that, such
-- as a variable set before it, a rule may be said to fit where the agent asks.
--
-- Columns:
--   verdict        allowed where every part is, partly where some are and no rule refuses any, overruled where a
--                  deny or ask rule fits a part
--   command        command, its first 200 characters on one line
--   refusals       times it was refused
--   parts          commands it is made of
--   allowed_parts  parts that an allow rule fits or that are run without asking
--   other_parts    the others
--   rules          allow rules that fit a part
--   overruled_by   deny and ask rules that fit a part
--   rule_files     files of these rules
--   sessions       sessions with a refusal
--   last_refused   time of the last
--   project_path   working directory of the last
--
-- Reads: disk_permissions
--
-- Examples:
--   warehouse query already-allowed-still-prompting
--   warehouse query already-allowed-still-prompting --since 30d --project app

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = coalesce(getvariable('limit'), '100')::INTEGER;               -- rows to show
SET VARIABLE disk_permissions = coalesce(getvariable('disk_permissions'), '[]')::VARCHAR;   -- rules found, filled by the program

WITH rules AS (
    SELECT unnest(from_json(
        getvariable('disk_permissions'),
        '[{"config_source": "VARCHAR", "project_path": "VARCHAR", "behavior": "VARCHAR", "rule": "VARCHAR", "tool": "VARCHAR", "matches": "VARCHAR"}]'
    )) AS rule
),
refused AS (
    SELECT
        command,
        project_path,
        count(*) AS refusals,
        list(DISTINCT session_id) AS session_ids,
        max(timestamp) AS last_refused
    FROM permission_requests
    WHERE tool_name = 'Bash'
        AND denial_kind = 'user-rejected'
        AND command IS NOT NULL
        AND date_filter(timestamp, getvariable('since'), getvariable('until'))
        AND project_filter(project_path, getvariable('project'))
        AND session_filter(session_id, getvariable('session'))
        AND host = 'local'
    GROUP BY ALL
),
parts AS (
    SELECT
        command,
        project_path,
        generate_subscripts(found, 1) AS part_number,
        unnest(found) AS part
    FROM (SELECT command, project_path, bash_parts(command) AS found FROM refused)
),
fitting AS (
    SELECT
        parts.command,
        parts.project_path,
        parts.part_number,
        any_value(parts.part) AS part,
        list(rules.rule ORDER BY rules.rule.rule, rules.rule.config_source) FILTER (WHERE rules.rule.behavior = 'allow') AS allowing,
        list(rules.rule ORDER BY rules.rule.rule, rules.rule.config_source) FILTER (WHERE rules.rule.behavior <> 'allow') AS refusing
    FROM parts
    LEFT JOIN rules
        ON rules.rule.tool = 'Bash'
        AND (rules.rule.matches IS NULL OR regexp_matches(parts.part, rules.rule.matches))
        AND (rules.rule.project_path IS NULL
            OR parts.project_path = rules.rule.project_path
            OR starts_with(parts.project_path, rules.rule.project_path || '/'))
    GROUP BY ALL
),
judged AS (
    SELECT
        *,
        allowing IS NOT NULL OR EXISTS (
            FROM unprompted_commands AS u
            WHERE fitting.part = u.command OR starts_with(fitting.part, u.command || ' ')
        ) AS is_allowed
    FROM fitting
),
commands AS (
    SELECT
        command,
        project_path,
        count(*) AS parts,
        count(*) FILTER (WHERE is_allowed) AS allowed_parts,
        list(part ORDER BY part_number) FILTER (WHERE NOT is_allowed) AS other_parts,
        coalesce(flatten(list(allowing) FILTER (WHERE allowing IS NOT NULL)), []) AS allowing,
        coalesce(flatten(list(refusing) FILTER (WHERE refusing IS NOT NULL)), []) AS refusing
    FROM judged
    GROUP BY ALL
    HAVING count(allowing) > 0
)
SELECT
    CASE WHEN len(refusing) > 0 THEN 'overruled' WHEN allowed_parts = parts THEN 'allowed' ELSE 'partly' END AS verdict,
    regexp_replace(command[:1000], '\s+', ' ', 'g')[:200] AS command,
    sum(refusals)::BIGINT AS refusals,
    parts,
    allowed_parts,
    array_to_string(other_parts, '; ') AS other_parts,
    array_to_string(list_sort(list_distinct([r.rule FOR r IN allowing])), '; ') AS rules,
    array_to_string(list_sort(list_distinct([r.behavior || ' ' || r.rule FOR r IN refusing])), '; ') AS overruled_by,
    array_to_string(list_sort(list_distinct([r.config_source FOR r IN allowing || refusing])), '; ') AS rule_files,
    len(list_distinct(flatten(list(session_ids)))) AS sessions,
    max(last_refused) AS last_refused,
    arg_max(project_path, last_refused) AS project_path
FROM commands
JOIN refused USING (command, project_path)
GROUP BY commands.command, parts, allowed_parts, other_parts, allowing, refusing
ORDER BY
    CASE verdict WHEN 'allowed' THEN 1 WHEN 'partly' THEN 2 ELSE 3 END,
    refusals DESC,
    last_refused DESC,
    commands.command,
    rule_files
LIMIT getvariable('limit');
