-- Time spent in hooks of one's own and of repositories, one row per origin.
--
-- project_local is a hook of the repository: its command names the project's folder
-- ($CLAUDE_PROJECT_DIR, the top of the working tree, a path in the working directory or in a .claude
-- folder above it) or runs a script by a relative path. shared_config is a command with any other
-- path or a variable in it: a person's own settings and plugins. Where the command tells nothing (a
-- program's name alone, a hook inside the program, none recorded) the origin is empty.
--
-- Columns:
--   origin   shared_config, project_local, or empty
--   fires    runs
--   total_s  time of those that are timed, seconds
--   avg_ms   their mean, milliseconds
--   p95_ms   time that 95 in a hundred do not exceed, milliseconds
--
-- Totals: fires, total_s
--
-- Examples:
--   warehouse query hook-origin-split --since 30d

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)

WITH runs AS (
    SELECT
        coalesce(command, '') AS command,
        coalesce(project_path, '') AS project_path,
        duration_ms
    FROM hook_runs
    WHERE date_filter(timestamp, getvariable('since'), getvariable('until'))
        AND project_filter(project_path, getvariable('project'))
        AND host_filter(host, getvariable('host'))
        AND agent_filter(agent, getvariable('agent'))
        AND session_filter(session_id, getvariable('session'))
),
-- Commands are few, and judging one costs more than finding it.
paths AS (
    SELECT
        command,
        project_path,
        replace(project_path, '\', '/') AS folder,
        replace(command, '\', '/') AS path,
        -- The folder whose .claude the command names, unless it is somebody's home.
        regexp_extract(path, '((?:/|[A-Za-z]:/)[^\s"'']*?)/\.claude/', 1) AS claude_parent,
        '^(|/home/[^/]+|/Users/[^/]+|/root|[A-Za-z]:/Users/[^/]+|/)$' AS home
    FROM (SELECT DISTINCT command, project_path FROM runs)
),
origins AS (
    SELECT
        command,
        project_path,
        CASE
            WHEN command IN ('', 'callback') THEN NULL
            WHEN contains(path, 'CLAUDE_PROJECT_DIR')
                OR contains(path, 'git rev-parse --show-toplevel')
                OR regexp_matches(path, '(^|[\s"''=])\.claude/')
                OR regexp_matches(path, '^(?:(?:bash|sh|zsh|node|bun|deno|python3?|ruby|uv|run|exec)\s+)*["'']?[\w.-]+/')
                OR (NOT regexp_matches(claude_parent, home) AND starts_with(folder || '/', claude_parent || '/'))
                OR (NOT regexp_matches(folder, home) AND contains(path, folder || '/')) THEN 'project_local'
            WHEN regexp_matches(path, '(^|[\s"''=(])(/|~|\$|[A-Za-z]:/)') THEN 'shared_config'
        END AS origin
    FROM paths
)
SELECT
    origin,
    count(*) AS fires,
    (sum(duration_ms) / 1000)::DECIMAL(12, 1) AS total_s,
    round(avg(duration_ms))::BIGINT AS avg_ms,
    round(quantile_cont(duration_ms, 0.95))::BIGINT AS p95_ms
FROM runs
JOIN origins USING (command, project_path)
GROUP BY origin
ORDER BY total_s DESC NULLS LAST, origin NULLS LAST;
