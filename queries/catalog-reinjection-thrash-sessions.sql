-- Sessions into which catalogues of skills and tools were put again and again, one row per session.
--
-- A list of skills (skill_listing) or of changes to the tools (deferred_tools_delta) is put into
-- the context once at the start; when servers come and go or a session is compacted often, it comes
-- again, and each one is paid for. Shown are sessions with more than --min_injections. Tokens are
-- estimated, four characters each. Seen in Claude Code 2.1.90 and later.
--
-- Columns:
--   host                  machine the transcript comes from
--   session_id            session
--   repository            working directory of the first one; of a worktree its repository
--   main_injections       lists put into the main thread
--   sidechain_injections  lists put into sub-agents
--   skill_listings        lists of skills among them
--   tool_deltas           changes of tools among them
--   main_ktokens          thousand tokens of those in the main thread, estimated
--   sidechain_ktokens     thousand tokens of those in sub-agents, estimated
--   est_ktokens           both together
--
-- Examples:
--   warehouse query catalog-reinjection-thrash-sessions --since 30d
--   warehouse query catalog-reinjection-thrash-sessions --min_injections 3

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = coalesce(getvariable('limit'), '20')::INTEGER;                -- rows to show
SET VARIABLE min_injections = coalesce(getvariable('min_injections'), '6')::INTEGER; -- lists that a session must have more than

WITH injected AS (
    SELECT
        host,
        agent,
        session_id,
        repository(project_path) AS repository,
        timestamp,
        kind,
        agent_id IS NOT NULL OR is_sidechain AS is_sub,
        CASE kind
            WHEN 'skill_listing' THEN coalesce(length(json_extract_string(attachment, '$.content')), 0)
            ELSE
                coalesce(length(array_to_string(json_extract_string(attachment, '$.addedLines[*]'), chr(10))), 0)
                + coalesce(length(array_to_string(json_extract_string(attachment, '$.removedNames[*]'), chr(10))), 0)
        END AS chars
    FROM attachments
    WHERE kind IN ('skill_listing', 'deferred_tools_delta')
        AND date_filter(timestamp, getvariable('since'), getvariable('until'))
        AND project_filter(project_path, getvariable('project'))
        AND host_filter(host, getvariable('host'))
        AND agent_filter(agent, getvariable('agent'))
        AND session_filter(session_id, getvariable('session'))
)
SELECT
    host,
    session_id,
    arg_min(repository, timestamp) AS repository,
    count(*) FILTER (NOT is_sub) AS main_injections,
    count(*) FILTER (is_sub) AS sidechain_injections,
    count(*) FILTER (kind = 'skill_listing') AS skill_listings,
    count(*) FILTER (kind = 'deferred_tools_delta') AS tool_deltas,
    (coalesce(sum(chars) FILTER (NOT is_sub), 0) / 4000)::DECIMAL(12, 1) AS main_ktokens,
    (coalesce(sum(chars) FILTER (is_sub), 0) / 4000)::DECIMAL(12, 1) AS sidechain_ktokens,
    (sum(chars) / 4000)::DECIMAL(12, 1) AS est_ktokens
FROM injected
GROUP BY host, agent, session_id
HAVING count(*) > getvariable('min_injections')
ORDER BY est_ktokens DESC, count(*) DESC, host, agent, session_id
LIMIT getvariable('limit');
