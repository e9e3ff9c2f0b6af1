-- How fast the context of sessions grew, one row per session, the largest context first.
--
-- The context is what a response was sent: input, cache reads and cache writes. Followed are the
-- responses of the main thread; where the context shrank (a compaction, a start anew) the growth
-- begins again. Refused attempts and advisors are left out.
--
-- Columns:
--   session_id           session
--   title                name it was given, by hand or by the agent
--   responses            responses of the main thread
--   first_tokens         context of the first one
--   peak_tokens          largest context
--   last_tokens          context of the last one
--   grown_tokens         tokens by which it grew, over all its steps
--   tokens_per_response  those by response
--   largest_step_tokens  most that it grew from one response to the next
--   largest_step_line    line of the response behind that step
--   source_file          transcript with that line
--   compactions          compactions of the main thread
--   peak_at              time of the largest context
--   project_path         working directory of most of its responses
--   host                 machine the transcript comes from
--
-- Chart: session_id, peak_tokens
--
-- Examples:
--   warehouse query context-growth --since 7d
--   warehouse query context-growth --project /home/dev/app --limit 10

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = coalesce(getvariable('limit'), '20')::INTEGER;                -- rows to show

WITH contexts AS (
    SELECT
        host,
        agent,
        session_id,
        project_path,
        timestamp,
        source_file,
        source_line,
        coalesce(input_tokens, 0) + cache_read_tokens + cache_creation_tokens AS context_tokens
    FROM message_usage
    WHERE usage_kind = 'response'
        AND NOT is_sidechain
        AND date_filter(timestamp, getvariable('since'), getvariable('until'))
        AND project_filter(project_path, getvariable('project'))
        AND host_filter(host, getvariable('host'))
        AND agent_filter(agent, getvariable('agent'))
        AND session_filter(session_id, getvariable('session'))
),
-- Lines are in order, their times need not be.
ordered AS (
    SELECT
        *,
        row_number() OVER (PARTITION BY host, agent, session_id ORDER BY file_from, source_file, source_line) AS place
    FROM (
        SELECT
            *,
            min(timestamp) OVER (PARTITION BY host, agent, session_id, source_file) AS file_from
        FROM contexts
        WHERE context_tokens > 0
    )
),
steps AS (
    SELECT
        *,
        greatest(context_tokens - lag(context_tokens) OVER (PARTITION BY host, agent, session_id ORDER BY place), 0) AS step_tokens
    FROM ordered
),
compacted AS (
    SELECT host, agent, session_id, count(*) AS compactions
    FROM compactions
    WHERE kind = 'compaction'
        AND agent_id IS NULL
        AND date_filter(timestamp, getvariable('since'), getvariable('until'))
        AND project_filter(project_path, getvariable('project'))
        AND host_filter(host, getvariable('host'))
        AND agent_filter(agent, getvariable('agent'))
        AND session_filter(session_id, getvariable('session'))
    GROUP BY host, agent, session_id
),
grown AS (
    SELECT
        host,
        agent,
        session_id,
        mode(project_path ORDER BY project_path) AS project_path,
        count(*) AS responses,
        arg_min(context_tokens, place) AS first_tokens,
        max(context_tokens) AS peak_tokens,
        arg_max(context_tokens, place) AS last_tokens,
        coalesce(sum(step_tokens), 0)::BIGINT AS grown_tokens,
        max(step_tokens) AS largest_step_tokens,
        arg_max({'file': source_file, 'line': source_line}, (step_tokens, -place)) FILTER (step_tokens > 0) AS largest_step,
        arg_max(timestamp, (context_tokens, -place)) AS peak_at
    FROM steps
    GROUP BY host, agent, session_id
)
SELECT
    session_id,
    label AS title,
    responses,
    first_tokens,
    peak_tokens,
    last_tokens,
    grown_tokens,
    round(grown_tokens / responses)::BIGINT AS tokens_per_response,
    largest_step_tokens,
    largest_step.line AS largest_step_line,
    largest_step.file AS source_file,
    coalesce(compactions, 0) AS compactions,
    peak_at,
    project_path,
    host
FROM grown
LEFT JOIN compacted USING (host, agent, session_id)
LEFT JOIN session_labels USING (host, agent, session_id)
ORDER BY peak_tokens DESC, grown_tokens DESC, host, agent, session_id
LIMIT getvariable('limit');
