-- Lines that are not plain JSON, one row per line.
--
-- Such a line is kept byte for byte in raw like any other. Where it could be repaired its text is
-- read by the views; an invalid or torn one is in none of them, so what it said is missing from
-- every other report. A blank one says nothing.
--
-- Columns:
--   host          machine the transcript came from
--   source_file   transcript the line is in
--   source_line   line in it, from 1
--   parse_status  repaired, invalid, blank or torn
--   reason        what is wrong with the line
--   length_bytes  length of the line as it stands in the file
--   session_id    session of the line, else of its file
--
-- Examples:
--   warehouse query broken-lines
--   warehouse query broken-lines --status invalid --limit 10

SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE status  = getvariable('status')::VARCHAR;                               -- repaired, invalid, blank or torn (default all)
SET VARIABLE "limit" = coalesce(getvariable('limit'), '100')::INTEGER;               -- rows to show

SELECT
    host,
    source_file,
    source_line,
    parse_status,
    reason,
    length_bytes,
    session_id
FROM broken_lines
WHERE (getvariable('status') IS NULL OR parse_status = getvariable('status'))
    AND host_filter(host, getvariable('host'))
    AND agent_filter(agent, getvariable('agent'))
    AND session_filter(session_id, getvariable('session'))
ORDER BY source_file, source_line
LIMIT getvariable('limit');
