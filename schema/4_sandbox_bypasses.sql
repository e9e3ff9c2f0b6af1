-- Shell commands that asked to run outside the sandbox, one row per call.
--
-- Calls of Bash whose dangerouslyDisableSandbox is true. Each is linked to the command it repeats:
-- the latest call with byte for byte the same command that ran in the sandbox and had failed by
-- then, on the same machine, in the same session and thread. A call that was refused did not run,
-- so it is nothing to repeat. By then means earlier in the same file, else earlier in time.
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
)
SELECT
    b.host,
    b.agent,
    b.session_id,
    b.agent_id,
    b.project_path,
    b.timestamp,
    b.source_file,
    b.source_line,
    b.tool_id,
    b.command,
    b.description,
    f.tool_id AS retried_tool_id,
    f.error_text AS retried_error
FROM runs AS b
LEFT JOIN (
    SELECT * FROM runs WHERE NOT is_bypass AND is_error AND denial_kind IS NULL
) AS f
    ON f.host = b.host
    AND f.agent = b.agent
    AND f.command = b.command
    AND f.session_id IS NOT DISTINCT FROM b.session_id
    AND f.agent_id IS NOT DISTINCT FROM b.agent_id
    AND CASE
        WHEN f.result_file = b.source_file THEN f.result_line < b.source_line
        ELSE f.result_at < b.timestamp
    END
WHERE b.is_bypass
QUALIFY row_number() OVER (
    PARTITION BY b.source_file, b.source_line, b.item_index
    ORDER BY
        f.result_file = b.source_file DESC NULLS LAST,
        CASE WHEN f.result_file = b.source_file THEN f.result_line END DESC NULLS LAST,
        f.result_at DESC NULLS LAST,
        f.source_file,
        f.source_line DESC,
        f.item_index DESC
) = 1;
