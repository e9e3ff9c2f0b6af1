-- Whether dear models give work to cheaper ones, one row per family, way and family that worked.
--
-- Counted are the calls (Task, Agent) made in the time asked for, and the sub-agents of workflows
-- that began in it. Forks go on with the caller's context and are left out, and so are calls that
-- were refused or failed before a sub-agent ran. A call overrides when it asks for a model. What a
-- sub-agent ran on is what the program says it resolved, else the model of most of its lines, else
-- unknown. Families from dear to cheap: fable, opus, sonnet, haiku.
--
-- Columns:
--   parent_family                    family of the model that made the call
--   path                             pinned: the type of agent names a model (pinned_agents);
--                                    workflow: a workflow started it; generic: any other
--   actual_family                    family that the sub-agent ran on; unknown where nothing tells
--   spawns                           sub-agents of the row
--   path_spawns                      sub-agents of that parent family and path
--   pct_of_path                      spawns in a hundred path_spawns
--   override_rate_pct                calls that asked for a model in a hundred path_spawns
--   cheaper_override_rate_pct        calls that asked for a cheaper one in a hundred path_spawns
--   expensive_output_tokens          output of the row's sub-agents that ran on fable or opus
--   expensive_cache_creation_tokens  input that those wrote to the cache
--
-- Totals: spawns, expensive_output_tokens, expensive_cache_creation_tokens
--
-- Examples:
--   warehouse query delegation --since 30d

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = getvariable('limit')::INTEGER;                                -- rows to show (default all)

WITH pinned AS (
    SELECT agent_type, model
    FROM pinned_agents
    WHERE source = 'own' OR agent_type NOT IN (SELECT agent_type FROM pinned_agents WHERE source = 'own')
),
calls AS (
    SELECT
        host,
        agent,
        session_id,
        project_path,
        timestamp,
        tool_id,
        model AS parent_model,
        json_extract_string(input, '$.subagent_type') AS agent_type,
        json_extract_string(input, '$.model') AS asked_model
    FROM content_items
    ANTI JOIN replays USING (source_file, source_line)
    WHERE tool_name IN ('Task', 'Agent') AND item_type = 'tool_use' AND record_type = 'assistant'
    -- A sub-agent's file may echo the call that started it.
    QUALIFY row_number() OVER (
        PARTITION BY tool_id, CASE WHEN NOT starts_with(tool_id, 'toolu_') THEN session_id END
        ORDER BY agent_id IS NOT NULL OR is_sidechain, timestamp, source_file, source_line, item_index
    ) = 1
),
results AS (
    SELECT
        c.session_id,
        c.tool_id,
        bool_or(c.is_error) AS is_error,
        max(r.result_model) AS result_model
    FROM content_items AS c
    JOIN raw AS r USING (source_file, source_line)
    SEMI JOIN calls ON calls.tool_id = c.tool_id
    WHERE c.item_type = 'tool_result'
    GROUP BY c.session_id, c.tool_id
),
threads AS MATERIALIZED (
    SELECT
        host,
        agent,
        session_id,
        project_path,
        timestamp,
        tool_use_id,
        kind,
        parent_model,
        coalesce(resolved_model, model) AS actual_model,
        output_tokens,
        cache_creation_tokens
    FROM session_tree
    WHERE thread_id <> session_id
),
spawned AS (
    SELECT
        coalesce(model_family(c.parent_model), 'unknown') AS parent_family,
        CASE WHEN pinned.model IS NOT NULL THEN 'pinned' ELSE 'generic' END AS path,
        coalesce(model_family(coalesce(r.result_model, t.actual_model)), 'unknown') AS actual_family,
        model_family(c.asked_model) AS asked_family,
        t.output_tokens,
        t.cache_creation_tokens
    FROM calls AS c
    LEFT JOIN results AS r USING (session_id, tool_id)
    LEFT JOIN (
        SELECT
            host,
            agent,
            session_id,
            tool_use_id,
            any_value(kind) AS kind,
            mode(actual_model ORDER BY actual_model) AS actual_model,
            sum(output_tokens) AS output_tokens,
            sum(cache_creation_tokens) AS cache_creation_tokens
        FROM threads
        WHERE tool_use_id IS NOT NULL AND kind <> 'workflow agent'
        GROUP BY host, agent, session_id, tool_use_id
    ) AS t ON t.host = c.host AND t.agent = c.agent AND t.session_id = c.session_id AND t.tool_use_id = c.tool_id
    LEFT JOIN pinned USING (agent_type)
    WHERE c.agent_type IS DISTINCT FROM 'fork'
        AND t.kind IS DISTINCT FROM 'sub-agent fork'
        AND NOT (coalesce(r.is_error, false) AND t.tool_use_id IS NULL)
        AND date_filter(c.timestamp, getvariable('since'), getvariable('until'))
        AND project_filter(c.project_path, getvariable('project'))
        AND host_filter(c.host, getvariable('host'))
        AND agent_filter(c.agent, getvariable('agent'))
        AND session_filter(c.session_id, getvariable('session'))
    UNION ALL
    SELECT
        coalesce(model_family(parent_model), 'unknown'),
        'workflow',
        coalesce(model_family(actual_model), 'unknown'),
        NULL,
        output_tokens,
        cache_creation_tokens
    FROM threads
    WHERE kind = 'workflow agent'
        AND date_filter(timestamp, getvariable('since'), getvariable('until'))
        AND project_filter(project_path, getvariable('project'))
        AND host_filter(host, getvariable('host'))
        AND agent_filter(agent, getvariable('agent'))
        AND session_filter(session_id, getvariable('session'))
),
ways AS (
    SELECT
        parent_family,
        path,
        count(*) AS path_spawns,
        count(asked_family) AS overrides,
        count(*) FILTER (
            list_position(['haiku', 'sonnet', 'opus', 'fable'], asked_family) < list_position(['haiku', 'sonnet', 'opus', 'fable'], parent_family)
        ) AS cheaper_overrides
    FROM spawned
    GROUP BY parent_family, path
)
SELECT
    parent_family,
    path,
    actual_family,
    count(*) AS spawns,
    any_value(path_spawns) AS path_spawns,
    (100 * count(*) / any_value(path_spawns))::DECIMAL(5, 1) AS pct_of_path,
    (100 * any_value(overrides) / any_value(path_spawns))::DECIMAL(5, 1) AS override_rate_pct,
    (100 * any_value(cheaper_overrides) / any_value(path_spawns))::DECIMAL(5, 1) AS cheaper_override_rate_pct,
    coalesce(sum(output_tokens) FILTER (actual_family IN ('fable', 'opus')), 0)::BIGINT AS expensive_output_tokens,
    coalesce(sum(cache_creation_tokens) FILTER (actual_family IN ('fable', 'opus')), 0)::BIGINT AS expensive_cache_creation_tokens
FROM spawned
JOIN ways USING (parent_family, path)
GROUP BY parent_family, path, actual_family
ORDER BY
    list_position(['fable', 'opus', 'sonnet', 'haiku'], parent_family) NULLS LAST,
    parent_family,
    path,
    spawns DESC,
    actual_family
LIMIT getvariable('limit');
