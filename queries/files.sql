-- Files that were read and changed, one row per machine and file.
--
-- By the tools Read, Edit, MultiEdit, NotebookEdit and Write; what shell commands touched is not
-- seen. A call that failed or was refused is in failures alone.
--
-- Columns:
--   file_path     file
--   reads         reads
--   edits         edits
--   writes        writes of the whole file
--   failures      calls that failed or were refused
--   subagent_ops  reads, edits and writes by sub-agents
--   sessions      sessions with one of these
--   read_ktokens  tokens of what was read, thousands: a token for four characters, 1,600 for an image
--   first_at      time of the first
--   last_at       time of the last
--   host          machine
--
-- Totals: reads, edits, writes, failures, subagent_ops, read_ktokens
--
-- Examples:
--   warehouse query files --since 7d
--   warehouse query files --project /home/dev/app --limit 10

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = coalesce(getvariable('limit'), '50')::INTEGER;                -- rows to show

SELECT
    file_path,
    count(*) FILTER (operation = 'Read' AND done) AS reads,
    count(*) FILTER (operation IN ('Edit', 'MultiEdit', 'NotebookEdit') AND done) AS edits,
    count(*) FILTER (operation = 'Write' AND done) AS writes,
    count(*) FILTER (NOT done) AS failures,
    count(*) FILTER (agent_id IS NOT NULL AND done) AS subagent_ops,
    count(DISTINCT session_id) AS sessions,
    coalesce(sum(result_length / 4000 + result_images * 1.6) FILTER (operation = 'Read' AND done), 0)::DECIMAL(18, 1) AS read_ktokens,
    min(timestamp) AS first_at,
    max(timestamp) AS last_at,
    host
FROM (
    SELECT
        *,
        NOT coalesce(is_error, false) AS done
    FROM file_operations
    WHERE date_filter(timestamp, getvariable('since'), getvariable('until'))
        AND project_filter(project_path, getvariable('project'))
        AND host_filter(host, getvariable('host'))
        AND agent_filter(agent, getvariable('agent'))
        AND session_filter(session_id, getvariable('session'))
)
GROUP BY host, file_path
ORDER BY reads + edits + writes + failures DESC, host, file_path
LIMIT getvariable('limit');
