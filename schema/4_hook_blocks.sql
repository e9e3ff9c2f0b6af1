-- What hooks stopped or asked about, one row per refusal or question.
--
-- Those with a record of their own, and Stop hooks whose objection the roster of the stop has
-- (stop_hook_runs). Most refusals of a tool call have none and show in the call's error alone: they
-- are in hook_denies, and no row is in both. A refusal that left several records is one row.
--
-- Columns:
--   host          machine the transcript comes from
--   agent         program that wrote it
--   session_id    session
--   agent_id      sub-agent of the line, NULL in the main thread
--   project_path  working directory
--   timestamp     time of the record
--   source_file   transcript
--   source_line   line in it, from 1
--   hook_event    event: PreToolUse, Stop, …
--   hook_name     event with the tool or source that matched: PreToolUse:Bash
--   command       command of the hook
--   tool_use_id   tool call it is about, or another identity of the moment
--   kind          kind of the record, see hook_events, or stop_hook_summary
--   decision      block, deny or ask; block where a record shows a refusal and names no decision
--   reason        why, in the hook's words
CREATE OR REPLACE VIEW hook_blocks AS
WITH records AS (
    SELECT
        host,
        agent,
        session_id,
        agent_id,
        project_path,
        timestamp,
        source_file,
        source_line,
        hook_event,
        hook_name,
        command,
        tool_use_id,
        kind,
        CASE WHEN decision IN ('block', 'deny', 'ask') THEN decision ELSE 'block' END AS decision,
        reason
    FROM hook_events
    WHERE blocked OR decision = 'ask'
    UNION ALL
    SELECT
        host,
        agent,
        session_id,
        agent_id,
        project_path,
        timestamp,
        source_file,
        source_line,
        CASE WHEN agent_id IS NULL THEN 'Stop' ELSE 'SubagentStop' END AS hook_event,
        hook_event AS hook_name,
        command,
        tool_use_id,
        'stop_hook_summary' AS kind,
        'block' AS decision,
        error AS reason
    FROM stop_hook_runs
    WHERE error IS NOT NULL
),
-- The records of one refusal name the same moment. The first of these kinds says most.
ranked AS (
    SELECT
        *,
        CASE kind
            WHEN 'hook_blocking_error' THEN 1
            WHEN 'stop_hook_summary' THEN 3
            WHEN 'hook_stopped_continuation' THEN 4
            ELSE 2
        END AS place,
        session_id || '/' || hook_event || '/' || coalesce(tool_use_id, source_file || '/' || source_line) AS moment
    FROM records
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
    hook_event,
    hook_name,
    command,
    tool_use_id,
    kind,
    decision,
    reason
FROM ranked
QUALIFY place = 1
    OR (place = 4 AND min(place) OVER (PARTITION BY moment) = 4)
    OR (place IN (2, 3) AND min(place) OVER (PARTITION BY moment, command) = place);
