-- Lines that are not plain JSON, one row per line.
--
-- The bytes of each are kept and come back with warehouse restore. A repaired line is shown by
-- the other views with the text that the repair made; an invalid, blank or torn one is not. A
-- torn line is the last of its file, without a line end, and is read again when the file grows.
--
-- Columns:
--   host          machine the transcript comes from
--   agent         program that wrote it
--   session_id    session of the line, else of its file
--   source_file   transcript
--   source_line   line in it, from 1
--   byte_offset   bytes of the file before the line
--   parse_status  repaired, invalid, blank or torn
--   reason        what is wrong with it
--   length_bytes  length of the line, bytes
--   head          its first bytes, as text
CREATE OR REPLACE VIEW broken_lines AS
SELECT
    host,
    agent,
    session_id,
    source_file,
    source_line,
    byte_offset,
    parse_status,
    parse_reason AS reason,
    octet_length(bytes) AS length_bytes,
    bytes[1:120]::VARCHAR AS head
FROM raw
WHERE parse_status <> 'ok';
