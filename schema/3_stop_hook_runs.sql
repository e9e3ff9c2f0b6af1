-- Runs of Stop hooks, one row per entry in the roster of a stop.
--
-- When the agent wanted to stop, the program noted which hooks ran (stop_hook_summary, 2.0.64 and
-- later). It is the only trace of a hook that said nothing. How long each took is noted since
-- 2.1.88. An entry with prompt_text is a queued prompt that was put in again, not a hook. Copies
-- of a summary are one.
--
-- Columns:
--   host                    machine the transcript comes from
--   agent                   program that wrote it
--   session_id              session
--   agent_id                sub-agent that wanted to stop, NULL in the main thread
--   project_path            working directory
--   timestamp               time of the stop
--   source_file             transcript
--   source_line             line in it, from 1
--   run_index               place in the roster, from 0
--   tool_use_id             identity of the stop, which its hook_events share
--   command                 command of the hook; callback for one inside the program
--   duration_ms             how long it took, milliseconds
--   prompt_text             the queued prompt, NULL for a hook
--   error                   what the summary says this hook objected, NULL for nothing
--   prevented_continuation  true where a hook of the roster ended the turn
--   has_output              true where a hook of the roster said something
CREATE OR REPLACE VIEW stop_hook_runs AS
WITH stops AS (
    SELECT
        *,
        unnest(range(json_array_length(hook_infos)::BIGINT)) AS run_index
    FROM system_events
    WHERE subtype = 'stop_hook_summary' AND json_type(hook_infos) = 'ARRAY'
),
runs AS (
    SELECT
        *,
        json_extract_string(hook_infos, '$[' || run_index || '].command') AS command,
        -- Objections begin with the command that made them, other errors do not.
        chr(30) || array_to_string(json_extract_string(data, '$.hookErrors[*]'), chr(30)) AS errors
    FROM stops
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
    run_index,
    tool_use_id,
    command,
    try_cast(json_extract_string(hook_infos, '$[' || run_index || '].durationMs') AS BIGINT) AS duration_ms,
    json_extract_string(hook_infos, '$[' || run_index || '].promptText') AS prompt_text,
    nullif(split_part(split_part(errors, chr(30) || '[' || command || ']: ', 2), chr(30), 1), '') AS error,
    coalesce(prevented_continuation, false) AS prevented_continuation,
    coalesce(try_cast(json_extract_string(data, '$.hasOutput') AS BOOLEAN), false) AS has_output
FROM runs;
