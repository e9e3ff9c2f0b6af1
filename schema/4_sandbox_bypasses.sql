-- Shell commands that asked to run outside the sandbox, one row per call.
--
-- Calls of Bash whose dangerouslyDisableSandbox is true. Each is linked to the command it repeats:
-- the latest call with byte for byte the same command that ran in the sandbox and had failed by
-- then, on the same machine, in the same session and thread. A call that was refused did not run,
-- so it is nothing to repeat. Within a file lines tell what came first, else times.
--
-- Columns:
--   host             machine the transcript comes from
--   agent            program that wrote it
--   session_id       session
--   agent_id         sub-agent that made the call, NULL in the main thread
--   project_path     working directory
--   timestamp        time of the call
--   source_file      transcript the call was read from
--   source_line      line in it, from 1
--   tool_id          id of the call
--   command          the command
--   description      description the model gave
--   retried_tool_id  call that it repeats, NULL where there is none
--   retried_error    what that call's failure said
CREATE OR REPLACE VIEW sandbox_bypasses AS
WITH runs AS (
    SELECT
        *,
        coalesce(json_extract_string(input, '$.dangerouslyDisableSandbox') = 'true', false) AS is_bypass
    FROM tool_runs
    WHERE tool_name = 'Bash'
),
-- What can be linked: a bypass where it was called, a failure where it was known.
events AS (
    SELECT
        *,
        CASE WHEN is_bypass THEN source_file ELSE result_file END AS event_file,
        CASE WHEN is_bypass THEN source_line ELSE result_line END AS event_line,
        CASE WHEN is_bypass THEN timestamp ELSE result_at END AS event_at
    FROM runs
    WHERE is_bypass OR (is_error AND denial_kind IS NULL)
),
-- Times in a file may go back by moments, so its lines decide.
ordered AS (
    SELECT
        *,
        max(event_at) OVER (PARTITION BY event_file ORDER BY event_line) AS seen_at
    FROM events
),
linked AS (
    SELECT
        *,
        last_value(CASE WHEN NOT is_bypass THEN {'tool_id': tool_id, 'error': error_text} END IGNORE NULLS) OVER (
            PARTITION BY host, agent, session_id, agent_id, command
            ORDER BY seen_at NULLS FIRST, event_file, event_line, is_bypass, item_index
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) AS retried
    FROM ordered
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
    tool_id,
    command,
    description,
    retried.tool_id AS retried_tool_id,
    retried.error AS retried_error
FROM linked
WHERE is_bypass;
