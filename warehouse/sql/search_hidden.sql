-- What a search finds and its default filters hide, one row per kind and reason.
--
-- SET VARIABLE asked as for the search. A passage is counted for the first reason that hides it; those
-- of hosts whose text may not leave only where nothing else hides them.
--
-- Columns:
--   kind    prose, summary, thinking or tool-input
--   reason  injected, automated, subagents or blocked; empty where only the kind hides it
--   hits    passages, copies counted once
--
-- Examples:
--   warehouse search retry budget

SET VARIABLE asked        = getvariable('asked')::VARCHAR;                               -- words as search_words gives them, a JSON list (required)
SET VARIABLE since        = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;   -- from, inclusive
SET VARIABLE until        = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;   -- to, inclusive (a bare date with its whole day)
SET VARIABLE project      = getvariable('project')::VARCHAR;                             -- folder, its last component, or a glob (default all)
SET VARIABLE host         = getvariable('host')::VARCHAR;                                -- machine (default all)
SET VARIABLE agent        = getvariable('agent')::VARCHAR;                               -- agent program (default all)
SET VARIABLE egress_hosts = coalesce(getvariable('egress_hosts'), '*')::VARCHAR;         -- hosts whose text may leave, a comma list (default all)
SET VARIABLE session      = getvariable('session')::VARCHAR;                             -- session id or the beginning of one (default all)
SET VARIABLE role         = getvariable('role')::VARCHAR;                                -- user or assistant (default both)
SET VARIABLE kind         = coalesce(getvariable('kind'), 'prose')::VARCHAR;             -- kinds of passages, a comma list
SET VARIABLE subagents    = coalesce(getvariable('subagents'), 'false')::BOOLEAN;        -- text of sub-agents too
SET VARIABLE injected     = coalesce(getvariable('injected'), 'false')::BOOLEAN;         -- text the program wrote too
SET VARIABLE automated    = coalesce(getvariable('automated'), 'false')::BOOLEAN;        -- sessions no person sat at too
SET VARIABLE "any"        = coalesce(getvariable('any'), 'false')::BOOLEAN;              -- any of the words is enough

SELECT
    kind,
    CASE
        WHEN is_injected AND NOT getvariable('injected') THEN 'injected'
        WHEN is_automated AND NOT getvariable('automated') THEN 'automated'
        WHEN is_subagent AND NOT getvariable('subagents') THEN 'subagents'
        WHEN is_blocked THEN 'blocked'
        ELSE ''
    END AS reason,
    count(DISTINCT (text_key, timestamp)) AS hits
FROM (
    SELECT
        passage_id,
        words_missing
    FROM search_found(from_json(getvariable('asked'), '[{"word_number":"BIGINT","word":"VARCHAR","term_number":"BIGINT","term":"VARCHAR","term_count":"BIGINT","literal":"VARCHAR","pattern":"VARCHAR"}]'), getvariable('any'), 'prose,summary,thinking,tool-input')
) AS found
JOIN (
    SELECT
        *,
        getvariable('egress_hosts') <> '*' AND NOT list_contains(string_split(getvariable('egress_hosts'), ','), host) AS is_blocked,
        list_contains(string_split(getvariable('kind'), ','), kind) AS is_searched
    FROM passages
) USING (passage_id)
WHERE (getvariable('any') OR len(words_missing) = 0)
    AND date_filter(timestamp, getvariable('since'), getvariable('until'))
    AND project_filter(project_path, getvariable('project'))
    AND host_filter(host, getvariable('host'))
    AND agent_filter(agent, getvariable('agent'))
    AND session_filter(session_id, getvariable('session'))
    AND (getvariable('role') IS NULL OR role = getvariable('role'))
    AND (NOT is_blocked OR is_searched)
GROUP BY kind, reason, is_blocked, is_searched
HAVING CASE WHEN is_blocked THEN reason = 'blocked' ELSE reason <> '' OR NOT is_searched END
ORDER BY kind, reason;
