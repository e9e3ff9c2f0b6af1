-- What language servers and type checkers reported, one row per diagnostic.
--
-- Attachments of the kind diagnostics: a list of files, each with a list of diagnostics, which the
-- program sends when they changed. Not here are the <new-diagnostics> blocks that old versions
-- wrote as text. Shapes as other readers of transcripts have them (2.1.x, 2025 and 2026): the file
-- is uri or filePath; the code a text, a number or an object with its value.
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
--   file          file that is diagnosed, without file://
--   file_line     line in it, from 1
--   severity      Error, Warning, Info or Hint
--   source        program that reported it: typescript, eslint, rustc, …
--   code          its code for it
--   message       what it says
CREATE OR REPLACE VIEW diagnostics AS
SELECT
    host,
    agent,
    session_id,
    agent_id,
    project_path,
    timestamp,
    source_file,
    source_line,
    CASE
        WHEN uri LIKE 'file://%' THEN regexp_replace(url_decode(uri[8:]), '^/([A-Za-z]:)', '\1')
        ELSE uri
    END AS file,
    try_cast(json_extract_string(item, '$.range.start.line') AS BIGINT) + 1 AS file_line,
    json_extract_string(item, '$.severity') AS severity,
    json_extract_string(item, '$.source') AS source,
    coalesce(json_extract_string(item, '$.code.value'), json_extract_string(item, '$.code')) AS code,
    json_extract_string(item, '$.message') AS message
FROM (
    SELECT
        *,
        coalesce(json_extract_string(diagnosed, '$.uri'), json_extract_string(diagnosed, '$.filePath')) AS uri,
        unnest(json_extract(diagnosed, '$.diagnostics[*]')) AS item
    FROM (
        SELECT
            *,
            unnest(json_extract(attachment, '$.files[*]')) AS diagnosed
        FROM attachments
        WHERE kind = 'diagnostics'
    )
);
