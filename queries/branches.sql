-- Work by branch, the last used first, one row per repository and branch.
--
-- A response belongs to the branch that was checked out when it was first written; worktrees that
-- the agent made count for their repository. HEAD stands for a commit without a branch, empty for
-- no repository.
--
-- Columns:
--   repository       working directory; of a worktree its repository
--   git_branch       branch
--   sessions         sessions with a response
--   days             days with one, in the zone of the session (--tz)
--   responses        responses of models, sub-agents' included
--   output_tokens    output, reasoning included
--   cost_usd         cost of the responses that have a price, USD
--   unpriced_tokens  tokens of those that have none
--   pull_requests    pull requests that sessions linked while it was checked out
--   first_used_at    time of the first response
--   last_used_at     time of the last one
--   host             machine the transcript comes from
--
-- Totals: responses, output_tokens, cost_usd, unpriced_tokens
-- Chart: git_branch, cost_usd
--
-- Examples:
--   warehouse query branches --since 30d
--   warehouse query branches --project /home/dev/app

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = coalesce(getvariable('limit'), '50')::INTEGER;                -- rows to show

WITH used AS (
    SELECT
        host,
        repository(project_path) AS repository,
        nullif(git_branch, '') AS git_branch,
        count(DISTINCT (agent, session_id)) AS sessions,
        count(DISTINCT timestamp::DATE) AS days,
        count(*) FILTER (usage_kind = 'response') AS responses,
        coalesce(sum(output_tokens), 0)::BIGINT AS output_tokens,
        sum(cost_usd) AS cost_usd,
        coalesce(sum(total_tokens) FILTER (cost_usd IS NULL), 0)::BIGINT AS unpriced_tokens,
        min(timestamp) AS first_used_at,
        max(timestamp) AS last_used_at
    FROM message_usage
    WHERE NOT is_attempt
        AND date_filter(timestamp, getvariable('since'), getvariable('until'))
        AND project_filter(project_path, getvariable('project'))
        AND host_filter(host, getvariable('host'))
        AND agent_filter(agent, getvariable('agent'))
        AND session_filter(session_id, getvariable('session'))
    GROUP BY ALL
),
linked AS (
    SELECT
        host,
        repository(project_path) AS repository,
        nullif(git_branch, '') AS git_branch,
        count(DISTINCT url) AS pull_requests
    FROM pr_links
    WHERE date_filter(timestamp, getvariable('since'), getvariable('until'))
        AND project_filter(project_path, getvariable('project'))
        AND host_filter(host, getvariable('host'))
        AND agent_filter(agent, getvariable('agent'))
        AND session_filter(session_id, getvariable('session'))
    GROUP BY ALL
)
SELECT
    u.repository,
    u.git_branch,
    u.sessions,
    u.days,
    u.responses,
    u.output_tokens,
    u.cost_usd,
    u.unpriced_tokens,
    coalesce(l.pull_requests, 0) AS pull_requests,
    u.first_used_at,
    u.last_used_at,
    u.host
FROM used AS u
LEFT JOIN linked AS l ON l.host = u.host
    AND l.repository IS NOT DISTINCT FROM u.repository
    AND l.git_branch IS NOT DISTINCT FROM u.git_branch
ORDER BY u.last_used_at DESC NULLS LAST, u.host, u.repository, u.git_branch
LIMIT getvariable('limit');

SELECT note
FROM usage_notes(
    getvariable('since'),
    getvariable('until'),
    getvariable('project'),
    getvariable('host'),
    getvariable('agent'),
    getvariable('session')
);
