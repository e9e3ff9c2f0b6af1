-- Lines that are not plain JSON, one row per line.
--
-- Such a line is kept byte for byte in raw like any other. Where it could be repaired its text is
-- read by the views; an invalid or torn one is in none of them, so what it said is missing from
-- every other report.
--
-- Columns:
--   host          machine the transcript came from
--   source_file   transcript the line is in
--   source_line   line in it, from 1
--   parse_status  repaired, invalid, blank or torn
--   reason        what is wrong with the line
--   length_bytes  length of the line as it stands in the file
--
-- Examples:
--   warehouse query broken-lines
--   warehouse query broken-lines --host local --limit 10

SET VARIABLE host = getvariable('host')::VARCHAR;                         -- machine (default all)
SET VARIABLE "limit" = coalesce(getvariable('limit'), '100')::INTEGER;    -- rows to show

SELECT
    host,
    source_file,
    source_line,
    parse_status,
    reason,
    length_bytes
FROM broken_lines
WHERE getvariable('host') IS NULL OR host = getvariable('host')
ORDER BY source_file, source_line
LIMIT getvariable('limit');
