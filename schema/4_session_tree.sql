-- Threads and where they came from, one row per thread: each session, and each sub-agent of one.
--
-- kind, and how the parent is found (linked_by):
--
-- main: a session that nothing started.
--
-- continuation: the session before says that it goes on here (continued-in).
--
-- fork, resume: the session holds copies of another's lines. forkedFrom names it (newer versions),
-- else it is the owner of the last copied line (copied lines); of two copies with equal times the
-- one that has no line of its own, or went on first, counts as the original. Where the copies do
-- not say what they are, it is a fork when the original was used again, else a resume.
--
-- plan: the choice to clear the context after a plan. The transcript begins with a line or two of
-- the old session (old session id), or its first prompt carries a plan presented there (plan text).
--
-- teammate: a member of a team: in its own session, started by the one that made the team (team
-- name), or a sub-agent.
--
-- sub-agent, sub-agent fork, workflow agent, compaction agent, side question: threads of
-- sub-agents. The call that started one is named by its result (tool result), by progress records
-- (2.1.9 to 2.1.63, progress) or by the run of a workflow (workflow run), else it is the call with
-- the same prompt in the same session (prompt text), or the only call under way all the time that
-- the thread ran (time); else only the session is known (session). In 1.0 a sub-agent's lines are
-- in the main transcript and name no agent: the chain of their parents tells them apart.
--
-- Agents beside transcripts also keep .meta.json files, which are no transcripts and not read.
--
-- Clients of DuckDB before 1.4 take minutes to plan this view, however little there is to read (1.2.0
-- and 1.3.2; 1.4.0 takes 0.1 s): use a newer one, or warehouse sql.
--
-- Columns:
--   host                   machine the transcript comes from
--   agent                  program that wrote it
--   session_id             session
--   agent_id               sub-agent; NULL in a main thread, and for sub-agents of 1.0
--   project_path           working directory, the most frequent one
--   timestamp              time of the first record that is no copy
--   source_file            transcript of the first record
--   source_line            line in it, from 1
--   thread_id              the agent_id, for sub-agents of 1.0 the uuid of the first line, else the
--                          session_id
--   kind                   see above
--   parent_session_id      session of the thread that started it
--   parent_thread_id       that thread; NULL for main
--   linked_by              how the parent was found, see above; NULL for main
--   root_session_id        session at the top
--   depth                  threads above it, 0 for main
--   tool_use_id            call that started it, where it is known
--   agent_type             type of sub-agent that the call asked for
--   description            description that the call gives
--   parent_model           model that made the call, else of most lines of the parent
--   asked_model            model that the call asked for
--   resolved_model         model that the program says it gave
--   model                  model of most of its lines
--   ended_at               time of the last record that is no copy
--   lines                  user and assistant lines that are no copies
--   copied_lines           user and assistant lines that stand elsewhere too and count there
--   responses              responses booked to the thread
--   output_tokens          output of them
--   cache_creation_tokens  input that they wrote to the cache
--   total_tokens           tokens, all kinds together
--   cost_usd               cost of those that have a price, USD
CREATE OR REPLACE VIEW session_tree AS
WITH RECURSIVE lines AS (
    SELECT
        r.host,
        r.agent,
        r.session_id,
        r.agent_id,
        r.agent_id IS NULL AND r.is_sidechain AS is_nameless,
        r.uuid,
        r.parent_uuid,
        r.timestamp,
        r.source_file,
        r.source_line,
        r.file_session_id,
        r.project_path,
        r.type,
        r.model,
        r.team_name,
        r.forked_from,
        c.source_line IS NOT NULL AS is_copy
    FROM raw AS r
    LEFT JOIN replays AS c USING (source_file, source_line)
    WHERE r.type IN ('user', 'assistant') AND r.session_id IS NOT NULL AND r.parse_status <> 'torn'
),
-- Sub-agents of 1.0: each round of climb doubles the way up the chain.
nameless AS (
    SELECT uuid, any_value(parent_uuid) AS parent_uuid
    FROM lines
    WHERE is_nameless AND uuid IS NOT NULL
    GROUP BY uuid
),
climb AS (
    SELECT
        n.uuid,
        coalesce(p.uuid, n.uuid) AS root,
        0 AS round
    FROM nameless AS n
    LEFT JOIN nameless AS p ON p.uuid = n.parent_uuid
    UNION ALL
    SELECT
        c.uuid,
        p.root,
        c.round + 1
    FROM climb AS c
    JOIN climb AS p ON p.uuid = c.root
    WHERE c.round < (SELECT ceil(log2(count(*) + 1)) FROM nameless)
),
roots AS (
    SELECT uuid, arg_max(root, round) AS root
    FROM climb
    GROUP BY uuid
),
thread_lines AS (
    SELECT *, coalesce(agent_id, session_id) AS thread_id
    FROM lines
    WHERE NOT is_nameless
    UNION ALL
    SELECT lines.*, coalesce(root, 'sidechain') AS thread_id
    FROM lines
    LEFT JOIN roots USING (uuid)
    WHERE is_nameless
),
-- Sub-agents that only progress records tell of.
reported AS (
    SELECT
        host,
        agent,
        session_id,
        agent_id,
        agent_id AS thread_id,
        min(timestamp) AS timestamp,
        max(timestamp) AS ended_at,
        min({'is_copy': false, 'is_elsewhere': true, 'file': source_file, 'line': source_line}) AS first_place,
        mode(project_path ORDER BY project_path) AS project_path,
        mode(model ORDER BY model) AS model,
        max(parent_tool_use_id) AS tool_use_id,
        coalesce(max(file_agent_id), session_id) AS reporter
    FROM raw
    WHERE progress_type = 'agent_progress' AND agent_id IS NOT NULL AND session_id IS NOT NULL AND parse_status <> 'torn'
    GROUP BY host, agent, session_id, agent_id
),
-- By folder and model first: mode() with an order took most of the time of this view.
parts AS (
    SELECT
        host,
        agent,
        session_id,
        agent_id,
        thread_id,
        project_path,
        CASE WHEN type = 'assistant' AND model <> '<synthetic>' THEN model END AS model,
        bool_or(is_nameless) AS is_nameless,
        min(timestamp) FILTER (NOT is_copy) AS own_from,
        max(timestamp) FILTER (NOT is_copy) AS own_until,
        min(timestamp) AS any_from,
        max(timestamp) AS any_until,
        min({
            'is_copy': is_copy,
            'is_elsewhere': file_session_id IS DISTINCT FROM session_id,
            'file': source_file,
            'line': source_line
        }) AS first_place,
        min({'at': coalesce(timestamp, 'infinity'), 'file': source_file, 'line': source_line})
            FILTER (type = 'user' AND NOT is_copy) AS first_user,
        count(*) AS all_lines,
        count(*) FILTER (NOT is_copy) AS lines,
        max(team_name) AS team_name,
        max(forked_from) AS forked_from
    FROM thread_lines
    GROUP BY ALL
),
weighed AS (
    SELECT
        *,
        sum(all_lines) OVER (PARTITION BY host, agent, session_id, thread_id, project_path) AS lines_there,
        sum(all_lines) OVER (PARTITION BY host, agent, session_id, thread_id, model) AS lines_of_model
    FROM parts
),
own_threads AS (
    SELECT
        host,
        agent,
        session_id,
        agent_id,
        thread_id,
        bool_or(is_nameless) AS is_nameless,
        coalesce(min(own_from), min(any_from)) AS timestamp,
        coalesce(max(own_until), max(any_until)) AS ended_at,
        min(first_place) AS first_place,
        min(first_user) AS first_user,
        arg_max(project_path, (lines_there, project_path)) FILTER (project_path IS NOT NULL) AS project_path,
        arg_max(model, (lines_of_model, model)) FILTER (model IS NOT NULL) AS model,
        sum(lines)::BIGINT AS lines,
        sum(all_lines - lines)::BIGINT AS copied_lines,
        max(team_name) AS team_name,
        max(forked_from) AS forked_from
    FROM weighed
    GROUP BY host, agent, session_id, agent_id, thread_id
),
threads AS (
    SELECT * FROM own_threads
    UNION ALL BY NAME
    SELECT
        host,
        agent,
        session_id,
        agent_id,
        thread_id,
        false AS is_nameless,
        timestamp,
        ended_at,
        first_place,
        project_path,
        model,
        0 AS lines,
        0 AS copied_lines
    FROM reported
    ANTI JOIN own_threads USING (host, agent, session_id, thread_id)
),
-- What started a main thread.
copied AS (
    SELECT
        c.host,
        c.agent,
        c.session_id AS copy_id,
        arg_max({'session_id': o.session_id, 'is_same_time': o.timestamp IS NOT DISTINCT FROM c.timestamp}, (c.source_line, o.session_id)) AS owner
    FROM thread_lines AS c
    JOIN thread_lines AS o USING (uuid)
    WHERE c.is_copy
        AND NOT o.is_copy
        AND c.forked_from IS NULL
        AND o.forked_from IS NULL
        AND c.thread_id = c.session_id
        AND o.thread_id = o.session_id
        AND c.session_id <> o.session_id
    GROUP BY c.host, c.agent, c.session_id
),
unshared AS (
    SELECT host, agent, session_id, min(timestamp) AS unshared_from, max(timestamp) AS unshared_until
    FROM thread_lines
    ANTI JOIN (SELECT uuid FROM thread_lines WHERE is_copy) AS shared USING (uuid)
    SEMI JOIN (SELECT copy_id AS session_id FROM copied UNION ALL SELECT owner.session_id FROM copied) AS involved USING (session_id)
    WHERE thread_id = session_id
    GROUP BY host, agent, session_id
),
copies AS (
    SELECT
        c.host,
        c.agent,
        coalesce(owner.is_same_time AND (a.session_id IS NULL OR a.unshared_from < b.unshared_from), false) AS is_original,
        CASE WHEN is_original THEN owner.session_id ELSE copy_id END AS session_id,
        CASE WHEN is_original THEN copy_id ELSE owner.session_id END AS parent_session_id,
        CASE WHEN is_original THEN b.unshared_from ELSE a.unshared_from END AS went_on_at,
        CASE WHEN is_original THEN a.unshared_until ELSE b.unshared_until END AS parent_until
    FROM copied AS c
    LEFT JOIN unshared AS a ON a.host = c.host AND a.agent = c.agent AND a.session_id = copy_id
    LEFT JOIN unshared AS b ON b.host = c.host AND b.agent = c.agent AND b.session_id = owner.session_id
),
first_prompts AS (
    SELECT
        host,
        agent,
        session_id,
        thread_id,
        timestamp,
        left(text, 20000) AS text
    FROM content_items
    JOIN (
        SELECT thread_id, first_user.file AS source_file, first_user.line AS source_line
        FROM own_threads
    ) AS firsts USING (source_file, source_line)
    WHERE item_type = 'text' AND item_index = 0 AND record_type = 'user'
),
presented AS (
    SELECT
        host,
        agent,
        session_id,
        timestamp,
        left(trim(json_extract_string(input, '$.plan'), E' \n\t\r'), 200) AS plan_begin
    FROM content_items
    WHERE tool_name = 'ExitPlanMode' AND item_type = 'tool_use' AND plan_begin <> ''
),
session_links AS (
    SELECT
        e.host,
        e.agent,
        json_extract_string(e.data, '$.continuedInSessionId') AS session_id,
        e.session_id AS parent_session_id,
        'continuation' AS kind,
        'continued-in' AS linked_by,
        1 AS rank,
        e.timestamp AS linked_at
    FROM event_lines AS e
    WHERE e.type = 'continued-in'
    UNION ALL
    SELECT host, agent, session_id, forked_from, 'fork', 'forkedFrom', 2, timestamp
    FROM own_threads
    WHERE thread_id = session_id
    UNION ALL
    SELECT
        host,
        agent,
        session_id,
        parent_session_id,
        CASE WHEN parent_until > went_on_at THEN 'fork' ELSE 'resume' END,
        'copied lines',
        3,
        went_on_at
    FROM copies
    UNION ALL
    SELECT
        host,
        agent,
        file_session_id,
        session_id,
        'plan',
        'old session id',
        4,
        min(timestamp)
    FROM thread_lines
    SEMI JOIN (
        SELECT host, agent, session_id AS file_session_id
        FROM first_prompts
        WHERE thread_id = session_id AND starts_with(text, 'Implement the following plan:')
    ) AS begun USING (host, agent, file_session_id)
    WHERE thread_id = session_id
    GROUP BY host, agent, file_session_id, session_id
    UNION ALL
    SELECT p.host, p.agent, p.session_id, x.session_id, 'plan', 'plan text', 5, x.timestamp
    FROM first_prompts AS p
    JOIN presented AS x ON x.host = p.host
        AND x.agent = p.agent
        AND starts_with(regexp_replace(p.text, '^Implement the following plan:\s*', ''), x.plan_begin)
        AND x.timestamp <= p.timestamp
    WHERE p.thread_id = p.session_id AND starts_with(p.text, 'Implement the following plan:')
    UNION ALL
    SELECT t.host, t.agent, t.session_id, c.session_id, 'teammate', 'team name', 6, c.timestamp
    FROM own_threads AS t
    JOIN content_items AS c ON c.host = t.host
        AND c.agent = t.agent
        AND json_extract_string(c.input, '$.team_name') = t.team_name
    WHERE c.tool_name = 'TeamCreate' AND c.item_type = 'tool_use' AND t.thread_id = t.session_id
),
main_links AS (
    SELECT
        host,
        agent,
        session_id,
        session_id AS thread_id,
        kind,
        parent_session_id,
        parent_session_id AS parent_thread_id,
        linked_by
    FROM session_links
    WHERE parent_session_id IS NOT NULL AND parent_session_id <> session_id
    QUALIFY row_number() OVER (PARTITION BY host, agent, session_id ORDER BY rank, linked_at DESC, parent_session_id) = 1
),
-- What started a sub-agent: first the calls, each in the thread that made it.
calls AS (
    SELECT
        c.host,
        c.agent,
        c.session_id,
        l.thread_id,
        c.tool_id,
        c.timestamp,
        a.answered_at,
        json_extract_string(c.input, '$.subagent_type') AS agent_type,
        coalesce(json_extract_string(c.input, '$.description'), json_extract_string(c.input, '$.name')) AS description,
        json_extract_string(c.input, '$.model') AS asked_model,
        c.model AS calling_model,
        left(json_extract_string(c.input, '$.prompt'), 20000) AS prompt
    FROM content_items AS c
    JOIN thread_lines AS l USING (source_file, source_line)
    LEFT JOIN (
        SELECT session_id, tool_id, max(timestamp) AS answered_at
        FROM content_items
        WHERE item_type = 'tool_result'
        GROUP BY session_id, tool_id
    ) AS a ON a.session_id = c.session_id AND a.tool_id = c.tool_id
    WHERE c.tool_name IN ('Task', 'Agent', 'Workflow') AND c.item_type = 'tool_use' AND c.record_type = 'assistant' AND NOT l.is_copy
    QUALIFY row_number() OVER (
        PARTITION BY c.session_id, c.tool_id
        ORDER BY l.thread_id <> l.session_id, c.timestamp, c.source_file, c.source_line, c.item_index
    ) = 1
),
results AS (
    SELECT
        l.host,
        l.agent,
        l.session_id,
        l.thread_id,
        r.result_agent_id,
        r.result_run_id,
        r.result_model,
        c.tool_id,
        l.timestamp
    FROM raw AS r
    JOIN thread_lines AS l USING (source_file, source_line)
    LEFT JOIN content_items AS c ON c.source_file = r.source_file AND c.source_line = r.source_line AND c.item_type = 'tool_result'
    WHERE (r.result_agent_id IS NOT NULL OR r.result_run_id IS NOT NULL) AND NOT l.is_copy
),
agent_links AS (
    SELECT
        t.host,
        t.agent,
        t.session_id,
        t.thread_id,
        r.thread_id AS parent_thread_id,
        r.tool_id,
        r.result_model,
        'tool result' AS linked_by,
        1 AS rank,
        r.timestamp AS linked_at
    FROM threads AS t
    JOIN results AS r ON r.host = t.host AND r.agent = t.agent AND r.session_id = t.session_id AND r.result_agent_id = t.agent_id
    UNION ALL
    SELECT host, agent, session_id, thread_id, reporter, tool_use_id, NULL, 'progress', 2, timestamp
    FROM reported
    UNION ALL
    SELECT t.host, t.agent, t.session_id, t.thread_id, r.thread_id, r.tool_id, NULL, 'workflow run', 3, r.timestamp
    FROM threads AS t
    JOIN results AS r ON r.host = t.host
        AND r.agent = t.agent
        AND r.session_id = t.session_id
        AND r.result_run_id = regexp_extract(t.first_place.file, '[/\\]workflows[/\\]([^/\\]+)[/\\][^/\\]+$', 1)
    UNION ALL
    SELECT t.host, t.agent, t.session_id, t.thread_id, c.thread_id, c.tool_id, NULL, 'prompt text', 4, c.timestamp
    FROM threads AS t
    JOIN first_prompts AS p USING (host, agent, session_id, thread_id)
    JOIN calls AS c ON c.host = t.host AND c.agent = t.agent AND c.session_id = t.session_id AND c.prompt = p.text
    WHERE t.thread_id <> t.session_id AND c.timestamp <= t.timestamp + INTERVAL 1 second
    UNION ALL
    SELECT
        t.host,
        t.agent,
        t.session_id,
        t.thread_id,
        c.thread_id,
        c.tool_id,
        NULL,
        'time',
        5,
        c.timestamp
    FROM threads AS t
    JOIN calls AS c ON c.host = t.host
        AND c.agent = t.agent
        AND c.session_id = t.session_id
        AND c.thread_id <> t.thread_id
        AND c.timestamp <= t.timestamp
        AND c.answered_at >= t.ended_at
    WHERE t.thread_id <> t.session_id AND t.timestamp IS NOT NULL
    QUALIFY count(*) OVER (PARTITION BY t.host, t.agent, t.session_id, t.thread_id) = 1
        AND count(*) OVER (PARTITION BY c.session_id, c.tool_id) = 1
    UNION ALL
    SELECT host, agent, session_id, thread_id, session_id, NULL, NULL, 'session', 6, timestamp
    FROM threads
    WHERE thread_id <> session_id
),
sub_links AS (
    SELECT
        a.host,
        a.agent,
        a.session_id,
        a.thread_id,
        a.session_id AS parent_session_id,
        a.parent_thread_id,
        a.linked_by,
        a.tool_id AS tool_use_id,
        a.result_model,
        c.agent_type,
        c.description,
        c.asked_model,
        c.calling_model
    FROM agent_links AS a
    LEFT JOIN calls AS c ON c.session_id = a.session_id AND c.tool_id = a.tool_id
    WHERE a.parent_thread_id <> a.thread_id
    QUALIFY row_number() OVER (
        PARTITION BY a.host, a.agent, a.session_id, a.thread_id
        ORDER BY a.rank, a.parent_thread_id <> a.session_id, a.linked_at DESC, a.tool_id
    ) = 1
),
forked_agents AS (
    SELECT DISTINCT host, agent, session_id, json_extract_string(data, '$.agentId') AS thread_id
    FROM event_lines
    WHERE type = 'fork-context-ref'
),
links AS (
    SELECT
        t.*,
        CASE
            WHEN t.thread_id = t.session_id THEN coalesce(m.kind, 'main')
            WHEN starts_with(t.agent_id, 'acompact-') THEN 'compaction agent'
            WHEN starts_with(t.agent_id, 'aside_question-') THEN 'side question'
            WHEN regexp_matches(t.first_place.file, '[/\\]subagents[/\\]workflows[/\\]') THEN 'workflow agent'
            WHEN f.thread_id IS NOT NULL OR s.agent_type = 'fork' OR t.copied_lines > 2 THEN 'sub-agent fork'
            WHEN t.team_name IS NOT NULL THEN 'teammate'
            ELSE 'sub-agent'
        END AS kind,
        coalesce(m.parent_session_id, s.parent_session_id) AS parent_session_id,
        coalesce(m.parent_thread_id, s.parent_thread_id) AS parent_thread_id,
        coalesce(m.linked_by, s.linked_by) AS linked_by,
        s.tool_use_id,
        s.agent_type,
        s.description,
        s.asked_model,
        s.calling_model,
        s.result_model
    FROM threads AS t
    LEFT JOIN main_links AS m USING (host, agent, session_id, thread_id)
    LEFT JOIN sub_links AS s USING (host, agent, session_id, thread_id)
    LEFT JOIN forked_agents AS f USING (host, agent, session_id, thread_id)
),
-- From the top down: threads whose parent is not there are at the top too.
depths AS (
    SELECT
        host,
        agent,
        session_id,
        thread_id,
        session_id AS root_session_id,
        0 AS depth
    FROM links AS t
    ANTI JOIN links AS p ON p.host = t.host
        AND p.agent = t.agent
        AND p.session_id = t.parent_session_id
        AND p.thread_id = t.parent_thread_id
    UNION ALL
    SELECT
        t.host,
        t.agent,
        t.session_id,
        t.thread_id,
        d.root_session_id,
        d.depth + 1
    FROM depths AS d
    JOIN links AS t ON t.host = d.host AND t.agent = d.agent AND t.parent_session_id = d.session_id AND t.parent_thread_id = d.thread_id
    WHERE d.depth < 1000
),
usage AS (
    SELECT
        u.host,
        u.agent,
        u.session_id,
        CASE WHEN u.is_sidechain AND u.agent_id IS NULL THEN coalesce(l.thread_id, 'sidechain') ELSE coalesce(u.agent_id, u.session_id) END AS thread_id,
        count(*) FILTER (u.usage_kind = 'response') AS responses,
        coalesce(sum(u.output_tokens), 0)::BIGINT AS output_tokens,
        sum(u.cache_creation_tokens)::BIGINT AS cache_creation_tokens,
        sum(u.total_tokens)::BIGINT AS total_tokens,
        sum(u.cost_usd) AS cost_usd
    FROM message_usage AS u
    LEFT JOIN (SELECT source_file, source_line, thread_id FROM thread_lines WHERE is_nameless) AS l USING (source_file, source_line)
    WHERE NOT u.is_attempt
    GROUP BY ALL
)
SELECT
    l.host,
    l.agent,
    l.session_id,
    l.agent_id,
    l.project_path,
    l.timestamp,
    l.first_place.file AS source_file,
    l.first_place.line AS source_line,
    l.thread_id,
    l.kind,
    l.parent_session_id,
    l.parent_thread_id,
    l.linked_by,
    coalesce(d.root_session_id, l.session_id) AS root_session_id,
    coalesce(d.depth, 0) AS depth,
    l.tool_use_id,
    l.agent_type,
    l.description,
    coalesce(l.calling_model, p.model) AS parent_model,
    l.asked_model,
    l.result_model AS resolved_model,
    l.model,
    l.ended_at,
    l.lines,
    l.copied_lines,
    coalesce(u.responses, 0) AS responses,
    coalesce(u.output_tokens, 0) AS output_tokens,
    coalesce(u.cache_creation_tokens, 0) AS cache_creation_tokens,
    coalesce(u.total_tokens, 0) AS total_tokens,
    CASE WHEN u.thread_id IS NULL THEN 0 ELSE u.cost_usd END AS cost_usd
FROM links AS l
LEFT JOIN depths AS d USING (host, agent, session_id, thread_id)
LEFT JOIN usage AS u USING (host, agent, session_id, thread_id)
LEFT JOIN threads AS p ON p.host = l.host
    AND p.agent = l.agent
    AND p.session_id = l.parent_session_id
    AND p.thread_id = l.parent_thread_id;
