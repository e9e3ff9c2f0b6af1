-- Failed and refused tool calls, one row per result that is an error.
--
-- error_type is rejection where a person refused the call, and failure for everything else, rules
-- and modes that refuse among it (see denial_kind).
--
-- Columns:
--   host           machine the transcript comes from
--   agent          program that wrote it
--   session_id     session of the result
--   agent_id       sub-agent of the result, NULL in the main thread
--   project_path   working directory
--   timestamp      time of the result
--   source_file    transcript of the result
--   source_line    line in it, from 1
--   tool_id        id of the call
--   tool_name      tool called; unknown where the call is not there
--   error_content  the whole error
--   error_type     rejection or failure
--   denial_kind    why the call was refused, NULL where it was not
--   kind_source    field or result-string: where the kind was read
--   file_path      file the call names
--   command        command of a shell call
--   description    description the model gave
CREATE OR REPLACE VIEW tool_errors AS
SELECT
    r.host,
    r.agent,
    r.session_id,
    r.agent_id,
    r.project_path,
    r.timestamp,
    r.source_file,
    r.source_line,
    r.tool_id,
    coalesce(c.tool_name, 'unknown') AS tool_name,
    r.text AS error_content,
    CASE WHEN r.denial_kind = 'user-rejected' THEN 'rejection' ELSE 'failure' END AS error_type,
    r.denial_kind,
    r.denial_kind_source AS kind_source,
    -- From the input of these calls alone; tool_calls would read that of each call: half of the time.
    coalesce(json_extract_string(c.input, '$.file_path'), json_extract_string(c.input, '$.notebook_path'), json_extract_string(c.input, '$.path')) AS file_path,
    json_extract_string(c.input, '$.command') AS command,
    json_extract_string(c.input, '$.description') AS description
FROM tool_results AS r
LEFT JOIN tool_calls AS c USING (call_key)
WHERE r.is_error
-- A recycled id has several calls in its session: the last one before the result is its own.
QUALIFY row_number() OVER (
    PARTITION BY r.source_file, r.source_line, r.item_index
    ORDER BY
        c.source_file = r.source_file DESC,
        c.source_line < r.source_line DESC,
        c.timestamp DESC,
        c.source_file,
        c.source_line DESC,
        c.item_index
) = 1;
