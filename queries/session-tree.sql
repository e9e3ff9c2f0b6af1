-- Sessions with all they started, one row per thread: sub-agents, forks, resumes, plans begun.
--
-- A tree is shown whole when one of its threads began in the time asked for and passes the other
-- filters, so --session shows what a session came from and led to. The tree that was used last
-- comes first; within one, a thread stands below the one that started it. Tokens and cost are those
-- of the thread alone.
--
-- Columns:
--   thread         kind of thread, what it was asked to do, indented by depth
--   timestamp      time of its first record
--   minutes        from its first record to its last
--   lines          user and assistant lines, copies left out
--   copied_lines   lines that it took over from another thread
--   responses      responses of models
--   output_tokens  output, reasoning included
--   cost_usd       cost of the responses that have a price, USD
--   model          model of most of its lines
--   linked_by      how it is known what started it
--   session_id     session
--   agent_id       sub-agent, empty in a main thread and for those of 1.0
--   tool_use_id    call that started it
--   project_path   working directory
--   host           machine the transcript comes from
--
-- Totals: lines, copied_lines, responses, output_tokens, cost_usd
--
-- Examples:
--   warehouse query session-tree --since 1d
--   warehouse query session-tree --session 11111111 --limit 500

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = coalesce(getvariable('limit'), '100')::INTEGER;               -- rows to show

WITH RECURSIVE tree AS MATERIALIZED (
    SELECT * FROM session_tree
),
shown AS (
    SELECT
        host,
        agent,
        root_session_id,
        max(ended_at) AS tree_ended_at,
        bool_or(
            date_filter(timestamp, getvariable('since'), getvariable('until'))
            AND project_filter(project_path, getvariable('project'))
            AND host_filter(host, getvariable('host'))
            AND agent_filter(agent, getvariable('agent'))
            AND session_filter(session_id, getvariable('session'))
        ) AS is_asked_for
    FROM tree
    GROUP BY host, agent, root_session_id
    HAVING is_asked_for
),
placed AS (
    SELECT
        host,
        agent,
        session_id,
        thread_id,
        [strftime(coalesce(timestamp, 'epoch'::TIMESTAMPTZ), '%Y%m%d%H%M%S%f') || session_id || thread_id] AS place
    FROM tree
    WHERE depth = 0
    UNION ALL
    SELECT
        t.host,
        t.agent,
        t.session_id,
        t.thread_id,
        list_append(p.place, strftime(coalesce(t.timestamp, 'epoch'::TIMESTAMPTZ), '%Y%m%d%H%M%S%f') || t.session_id || t.thread_id)
    FROM placed AS p
    JOIN tree AS t ON t.host = p.host
        AND t.agent = p.agent
        AND t.parent_session_id = p.session_id
        AND t.parent_thread_id = p.thread_id
        AND t.depth = len(p.place)
)
SELECT
    repeat('  ', t.depth::INTEGER)
        || concat_ws(
            ': ',
            concat_ws(' ', t.kind, CASE WHEN t.agent_type <> 'fork' THEN t.agent_type END),
            regexp_replace(coalesce(t.description, CASE WHEN t.thread_id = t.session_id THEN label END)[:200], '\s+', ' ', 'g')[:60]
        ) AS thread,
    t.timestamp,
    round(epoch(t.ended_at - t.timestamp) / 60, 1)::DECIMAL(18, 1) AS minutes,
    t.lines,
    t.copied_lines,
    t.responses,
    t.output_tokens,
    t.cost_usd,
    t.model,
    t.linked_by,
    t.session_id,
    t.agent_id,
    t.tool_use_id,
    t.project_path,
    t.host
FROM tree AS t
JOIN shown AS s USING (host, agent, root_session_id)
JOIN placed AS p USING (host, agent, session_id, thread_id)
LEFT JOIN session_labels AS n USING (host, agent, session_id)
ORDER BY s.tree_ended_at DESC NULLS LAST, t.host, t.agent, t.root_session_id, p.place
LIMIT getvariable('limit');
