-- Compactions of the context, newest first, one row per compaction.
--
-- What a compaction left is recorded by new versions only (2.1.232 and later); for others it is the
-- context of the first response behind it. 1.0 wrote no more than a summary: no trigger, and the
-- context of the response before it. Micro-compactions drop old tool results alone.
--
-- Columns:
--   timestamp      time of it
--   kind           compaction or micro-compaction
--   trigger        auto or manual
--   tokens_before  tokens in the context before it
--   tokens_after   tokens after it
--   seconds        how long it took, where it is recorded
--   session_id     session
--   title          name the session was given, by hand or by the agent
--   source_line    line of the boundary, else of the summary
--   summary_line   line of the summary; empty where there is none
--   source_file    transcript
--   agent_id       sub-agent, empty in the main thread
--   project_path   working directory
--   host           machine the transcript comes from
--
-- Examples:
--   warehouse query compactions --since 7d
--   warehouse query compactions --session 11111111 --limit 5

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = coalesce(getvariable('limit'), '50')::INTEGER;                -- rows to show

SELECT
    timestamp,
    kind,
    trigger,
    coalesce(tokens_before, context_before) AS tokens_before,
    coalesce(tokens_after, CASE WHEN kind = 'micro-compaction' THEN tokens_before - tokens_saved ELSE context_after END) AS tokens_after,
    round(duration_ms / 1000, 1) AS seconds,
    session_id,
    label AS title,
    source_line,
    summary_line,
    source_file,
    agent_id,
    project_path,
    host
FROM compactions
LEFT JOIN session_labels USING (host, agent, session_id)
WHERE date_filter(timestamp, getvariable('since'), getvariable('until'))
    AND project_filter(project_path, getvariable('project'))
    AND host_filter(host, getvariable('host'))
    AND agent_filter(agent, getvariable('agent'))
    AND session_filter(session_id, getvariable('session'))
ORDER BY timestamp DESC NULLS LAST, source_file, source_line
LIMIT getvariable('limit');
