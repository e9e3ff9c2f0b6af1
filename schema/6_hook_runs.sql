-- Runs of hooks, one row per run, from wherever a transcript tells of it.
--
-- The records that say a hook ran (hook_events), rosters of stops for hooks that said nothing
-- (stop_hook_runs), and errors of calls for refusals that left no record (hook_denies). What one run
-- left besides, such as the context it gave, is no run of its own, unless nothing else tells of it:
-- hooks inside the program leave no hook_success.
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
--   kind          kind of the record, see hook_events, or stop_hook_summary, or tool_error
--   hook_event    event: PreToolUse, Stop, …
--   hook_name     event with the tool or source that matched: PreToolUse:Bash
--   command       command of the hook, NULL where the record does not name it
--   label         name that hook_deny_messages gives the hook, else NULL
--   tool_use_id   tool call it is about, or another identity of the moment
--   duration_ms   how long it took, milliseconds; NULL where that is not recorded
--   exit_code     exit code, where it is recorded
--   decision      what the hook decided, see hook_events
--   has_output    true where it wrote something to stdout
--   outcome       block, ask, error, cancelled or ok; NULL where it is not recorded
--   has_context   true where it gave the model something to read
CREATE OR REPLACE VIEW hook_runs AS
WITH events AS (
    SELECT
        host,
        agent,
        session_id,
        agent_id,
        project_path,
        timestamp,
        source_file,
        source_line,
        kind,
        hook_event,
        hook_name,
        command,
        tool_use_id,
        duration_ms,
        exit_code,
        decision,
        coalesce(trim(stdout, E' \n\t\r') <> '', false) AS has_output,
        additional_context IS NOT NULL AS has_context,
        coalesce(blocked, false) AS is_block,
        kind IN ('hook_additional_context', 'hook_system_message', 'hook_stopped_continuation', 'hook_permission_decision', 'hook_deferred_tool') AS is_effect,
        CASE
            WHEN blocked THEN 'block'
            WHEN decision = 'ask' THEN 'ask'
            WHEN kind = 'hook_cancelled' OR (kind = 'hook_message' AND content LIKE '%] cancelled%') THEN 'cancelled'
            WHEN kind IN ('hook_non_blocking_error', 'hook_error_during_execution') OR exit_code <> 0 THEN 'error'
            WHEN kind = 'hook_message' AND stdout IS NULL AND content LIKE '%] failed%' THEN 'error'
            WHEN is_effect OR kind IN ('hook_success', 'hook_message', 'async_hook_response') THEN 'ok'
        END AS outcome,
        session_id || '/' || hook_event || '/' || coalesce(tool_use_id, source_file || '/' || source_line) AS moment
    FROM hook_events
    WHERE kind <> 'hook_running'
),
-- A blocking error beside an answer that blocks is of the same run.
runs AS (
    SELECT *
    FROM events
    ANTI JOIN (
        SELECT moment, command
        FROM events
        WHERE NOT is_effect AND is_block AND kind <> 'hook_blocking_error'
    ) AS answers
        ON events.kind = 'hook_blocking_error' AND events.moment = answers.moment AND events.command = answers.command
    WHERE NOT is_effect
),
effects AS (
    SELECT *
    FROM events
    WHERE is_effect
),
explained AS (
    SELECT
        moment,
        bool_or(is_block) AS by_block,
        bool_or(has_context) AS by_context
    FROM runs
    SEMI JOIN effects USING (moment)
    GROUP BY moment
),
-- Of what no run explains, all that has one name is one run.
lone AS (
    SELECT effects.*
    FROM effects
    LEFT JOIN explained USING (moment)
    WHERE CASE kind
        WHEN 'hook_stopped_continuation' THEN NOT coalesce(by_block, false)
        WHEN 'hook_additional_context' THEN NOT coalesce(by_context, false)
        ELSE by_block IS NULL
    END
    QUALIFY row_number() OVER (PARTITION BY moment, hook_name ORDER BY is_block DESC, has_context DESC, source_file, source_line) = 1
),
told AS (
    SELECT * FROM runs
    UNION ALL
    SELECT * FROM lone
),
-- The same hook can stand in a roster twice.
rosters AS (
    SELECT
        *,
        session_id || '/' || tool_use_id AS stop,
        row_number() OVER (PARTITION BY session_id, tool_use_id, command ORDER BY source_file, source_line, run_index) AS place
    FROM stop_hook_runs
    WHERE prompt_text IS NULL
),
recorded AS (
    SELECT
        source_file,
        source_line,
        command,
        session_id || '/' || tool_use_id AS stop,
        row_number() OVER (PARTITION BY session_id, tool_use_id, command ORDER BY source_file, source_line) AS place
    FROM told
    WHERE hook_event IN ('Stop', 'SubagentStop')
),
timed AS (
    SELECT
        recorded.source_file,
        recorded.source_line,
        rosters.duration_ms AS roster_ms
    FROM recorded
    JOIN rosters USING (stop, command, place)
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
    kind,
    hook_event,
    hook_name,
    command,
    NULL AS label,
    tool_use_id,
    coalesce(duration_ms, roster_ms) AS duration_ms,
    exit_code,
    decision,
    has_output,
    outcome,
    has_context
FROM told
LEFT JOIN timed USING (source_file, source_line)
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
    'stop_hook_summary' AS kind,
    CASE WHEN agent_id IS NULL THEN 'Stop' ELSE 'SubagentStop' END AS hook_event,
    hook_event AS hook_name,
    command,
    NULL AS label,
    tool_use_id,
    duration_ms,
    NULL AS exit_code,
    NULL AS decision,
    false AS has_output,
    CASE
        WHEN error IS NOT NULL THEN 'block'
        WHEN NOT prevented_continuation THEN 'ok'
    END AS outcome,
    false AS has_context
FROM rosters
ANTI JOIN recorded USING (stop, command, place)
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
    'tool_error' AS kind,
    hook_event,
    CASE WHEN starts_with(hook_name, hook_event) THEN hook_name ELSE hook_event || ':' || denied_tool END AS hook_name,
    command,
    CASE WHEN NOT starts_with(hook_name, hook_event) THEN hook_name END AS label,
    tool_use_id,
    NULL AS duration_ms,
    NULL AS exit_code,
    NULL AS decision,
    false AS has_output,
    'block' AS outcome,
    false AS has_context
FROM hook_denies;
