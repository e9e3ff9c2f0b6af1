-- Plans that were presented, one row per ExitPlanMode call.
--
-- outcome is approved where the result says so ("User has approved your plan…", "User has approved
-- exiting plan mode…" for an empty one, "User has approved the plan…" in a sub-agent). The choice
-- to clear the context rejects the plan and starts anew with it, mostly in a new session: handoff,
-- for a rejected plan that a later prompt carries ("Implement the following plan:"), or that is the
-- last of its session, without an edit of a file after it. redirected are other rejections, unknown
-- is what was never answered or failed otherwise.
--
-- The text of a plan is in the call, in early 2.1 versions only in the result, of which the first
-- 500 characters are kept, or in the plan file, when the last change of it wrote it whole. Seen in
-- Claude Code 1.0.72 to 2.1.261.
--
-- Reads content_items instead of tool_calls, which would put all calls in order to find these few.
--
-- Columns:
--   host            machine the transcript comes from
--   agent           program that wrote it
--   session_id      session
--   agent_id        sub-agent that presented the plan, NULL in the main thread
--   project_path    working directory
--   timestamp       time of the call
--   source_file     transcript of the call
--   source_line     line in it, from 1
--   tool_use_id     id of the call
--   plan_file       file the plan was saved to, where the call or its result tells
--   plan_chars      length of the plan, characters; NULL where it is not known
--   outcome         approved, handoff, redirected or unknown
--   plan_seq        number of the plan in its session, from 1
--   answered_at     time of the result
--   has_feedback    true where the rejection carries words of the person
--   plan_text       the plan, where the whole of it is known
CREATE OR REPLACE VIEW plan_calls AS
WITH calls AS (
    SELECT
        host,
        agent,
        session_id,
        agent_id,
        project_path,
        timestamp,
        source_file,
        source_line,
        item_index,
        tool_id,
        nullif(json_extract_string(input, '$.plan'), '') AS plan_in_call,
        nullif(json_extract_string(input, '$.planFilePath'), '') AS file_in_call
    FROM content_items
    ANTI JOIN replays USING (source_file, source_line)
    WHERE tool_name = 'ExitPlanMode' AND item_type = 'tool_use' AND record_type = 'assistant'
    -- As in tool_calls.
    QUALIFY row_number() OVER (
        PARTITION BY CASE
            WHEN starts_with(tool_id, 'toolu_') THEN tool_id
            ELSE concat_ws('/', session_id, tool_id, message_id, source_file, source_line, item_index)
        END
        ORDER BY
            agent_id IS NOT NULL OR is_sidechain,
            timestamp,
            source_file,
            source_line,
            item_index
    ) = 1
),
answers AS (
    SELECT
        session_id AS answer_session_id,
        tool_id AS answer_id,
        timestamp AS answered_at,
        source_file AS answer_file,
        source_line AS answer_line,
        text AS answer,
        text_length AS answer_length,
        is_error,
        coalesce(
            tool_denial_kind = 'user-rejected'
                OR (is_error AND (
                    starts_with(text, 'The user doesn''t want to proceed with this tool use.')
                    OR starts_with(text, 'The user doesn''t want to take this action right now.')
                    OR contains(text, '[Request interrupted by user'))),
            false
        ) AS is_rejected
    FROM content_items
    ANTI JOIN replays USING (source_file, source_line)
    SEMI JOIN calls USING (tool_id)
    WHERE item_type = 'tool_result'
),
-- A recycled id has several results in its session: the next one behind the call is its own.
answered AS (
    SELECT *
    FROM calls
    LEFT JOIN answers ON answer_id = tool_id
        AND (starts_with(tool_id, 'toolu_') OR answer_session_id IS NOT DISTINCT FROM session_id)
    QUALIFY row_number() OVER (
        PARTITION BY source_file, source_line, item_index
        ORDER BY
            answer_file = source_file DESC,
            answer_line > source_line DESC,
            answered_at,
            answer_file,
            answer_line
    ) = 1
),
files AS (
    SELECT source_file, min(timestamp) AS plans_from
    FROM calls
    GROUP BY source_file
),
plans AS (
    SELECT
        *,
        row_number() OVER (PARTITION BY host, agent, session_id ORDER BY plans_from, source_file, source_line, item_index) AS plan_seq,
        count(*) OVER (PARTITION BY host, agent, session_id) AS plan_count,
        coalesce(NOT is_error AND starts_with(answer, 'User has approved '), false) AS is_approved,
        coalesce(file_in_call, nullif(trim(regexp_extract(answer, 'Your plan has been saved to: ([^\n]+)', 1)), '')) AS named_file,
        -- What stands before the plan in a result that repeats it.
        nullif(length(regexp_extract(answer, '^.*?\n## Approved Plan[^\n]*\n', 0, 's')), 0) AS preamble_chars
    FROM answered
    JOIN files USING (source_file)
),
-- What changed files in a session with plans: the plan file before a call, others after it.
changes AS (
    SELECT
        host,
        agent,
        session_id,
        timestamp AS changed_at,
        source_file AS change_file,
        source_line AS change_line,
        json_extract_string(input, '$.file_path') AS path,
        CASE WHEN tool_name = 'Write' THEN json_extract_string(input, '$.content') END AS content
    FROM content_items
    ANTI JOIN replays USING (source_file, source_line)
    SEMI JOIN calls USING (host, agent, session_id)
    WHERE tool_name IN ('Edit', 'Write', 'MultiEdit', 'NotebookEdit') AND item_type = 'tool_use' AND record_type = 'assistant'
),
changed AS (
    SELECT
        source_file,
        source_line,
        item_index,
        arg_max({'path': path, 'content': content}, {'a': change_file = source_file, 'b': changed_at, 'c': change_line})
            FILTER (NOT is_later AND CASE WHEN named_file IS NULL THEN regexp_matches(path, '[/\\]plans[/\\][^/\\]*\.md$') ELSE path = named_file END) AS written,
        bool_or(is_later) AS has_later_edit
    FROM (
        SELECT
            *,
            CASE
                WHEN change_file = source_file THEN change_line > source_line
                ELSE coalesce(changed_at > timestamp, false)
            END AS is_later
        FROM plans
        JOIN changes USING (host, agent, session_id)
    )
    GROUP BY source_file, source_line, item_index
),
-- Prompts that carry a plan, by the beginning of it.
starts AS (
    SELECT DISTINCT
        host,
        agent,
        timestamp AS started_at,
        left(regexp_replace(text, '^Implement the following plan:\s*', ''), 200) AS started_with
    FROM content_items
    ANTI JOIN replays USING (source_file, source_line)
    WHERE record_type = 'user' AND item_type = 'text' AND starts_with(text, 'Implement the following plan:')
)
SELECT
    host,
    agent,
    session_id,
    agent_id,
    project_path,
    timestamp,
    source_file,
    source_line,
    tool_id AS tool_use_id,
    coalesce(named_file, written.path) AS plan_file,
    coalesce(length(plan_in_call), CASE WHEN is_approved THEN answer_length - preamble_chars END, length(written.content)) AS plan_chars,
    CASE
        WHEN is_approved THEN 'approved'
        WHEN NOT coalesce(is_rejected, false) THEN 'unknown'
        WHEN plan_seq = plan_count AND NOT coalesce(has_later_edit, false) THEN 'handoff'
        WHEN EXISTS (
            FROM starts
            WHERE starts.host = p.host
                AND starts.agent = p.agent
                AND started_at >= p.timestamp
                AND started_with <> ''
                AND starts_with(started_with, left(trim(coalesce(plan_in_call, written.content), E' \n\t\r'), 200))
        ) THEN 'handoff'
        ELSE 'redirected'
    END AS outcome,
    plan_seq,
    answered_at,
    coalesce(is_rejected AND contains(answer, 'the user said:'), false) AS has_feedback,
    coalesce(
        plan_in_call,
        CASE WHEN is_approved AND answer_length <= 500 THEN substr(answer, preamble_chars + 1) END,
        written.content
    ) AS plan_text
FROM plans AS p
LEFT JOIN changed USING (source_file, source_line, item_index);
