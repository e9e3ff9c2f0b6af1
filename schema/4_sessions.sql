-- Sessions, one row per host, agent and session id.
--
-- Only sessions in which somebody spoke: at least one user line that is not meta. Sub-agents are
-- threads of their session. Copies of records count for the session they first stood in, so the
-- parts of forks add up. Project and branch are the most frequent of the session's lines.
--
-- Columns:
--   host                machine the transcript comes from
--   agent               program that wrote it
--   session_id          session
--   project_id          host:project_path
--   project_path        working directory
--   git_branch          branch checked out
--   label               name of the session
--   label_source        custom-title, ai-title or agent-name
--   start_time          time of the first record
--   end_time            time of the last record
--   duration            from first to last
--   active_minutes      the same without gaps of more than 5 minutes
--   user_messages       human prompts
--   assistant_messages  responses of models, sub-agents' included
--   prompts             human prompts, the same as user_messages
--   responses           responses, the same as assistant_messages
--   tool_calls          tool calls, sub-agents' included
--   lines               lines
--   agent_threads       sub-agents
--   version             last version of the agent program
CREATE OR REPLACE VIEW sessions AS
WITH lines AS (
    SELECT
        host,
        agent,
        session_id,
        agent_id,
        project_path,
        git_branch,
        timestamp,
        type,
        is_meta,
        version,
        source_file,
        source_line
    FROM raw
    ANTI JOIN replays USING (source_file, source_line)
    WHERE session_id IS NOT NULL AND parse_status IN ('ok', 'repaired')
),
steps AS (
    SELECT
        *,
        date_diff('millisecond', lag(timestamp) OVER (PARTITION BY host, agent, session_id ORDER BY timestamp), timestamp) AS gap_ms
    FROM lines
),
grouped AS (
    SELECT
        host,
        agent,
        session_id,
        mode(project_path ORDER BY project_path) AS project_path,
        mode(git_branch ORDER BY git_branch) AS git_branch,
        min(timestamp) AS start_time,
        max(timestamp) AS end_time,
        coalesce(sum(gap_ms) FILTER (WHERE gap_ms <= 300000), 0) AS active_ms,
        count(*) AS lines,
        count(DISTINCT agent_id) AS agent_threads,
        arg_max(version, (timestamp, source_file, source_line)) FILTER (WHERE timestamp IS NOT NULL) AS version
    FROM steps
    GROUP BY host, agent, session_id
    HAVING bool_or(type = 'user' AND NOT is_meta)
),
asked AS (
    SELECT host, agent, session_id, count(*) AS prompts
    FROM prompts
    GROUP BY host, agent, session_id
),
answered AS (
    SELECT host, agent, session_id, count(*) AS responses
    FROM message_usage
    WHERE usage_kind = 'response'
    GROUP BY host, agent, session_id
),
called AS (
    SELECT host, agent, session_id, count(*) AS tool_calls
    FROM tool_calls
    GROUP BY host, agent, session_id
)
SELECT
    host,
    agent,
    session_id,
    host || ':' || project_path AS project_id,
    project_path,
    git_branch,
    label,
    label_source,
    start_time,
    end_time,
    end_time - start_time AS duration,
    round(active_ms / 60000, 1) AS active_minutes,
    coalesce(prompts, 0) AS user_messages,
    coalesce(responses, 0) AS assistant_messages,
    coalesce(prompts, 0) AS prompts,
    coalesce(responses, 0) AS responses,
    coalesce(tool_calls, 0) AS tool_calls,
    lines,
    agent_threads,
    version
FROM grouped
LEFT JOIN asked USING (host, agent, session_id)
LEFT JOIN answered USING (host, agent, session_id)
LEFT JOIN called USING (host, agent, session_id)
LEFT JOIN session_labels USING (host, agent, session_id);
