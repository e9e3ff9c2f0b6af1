-- How long the lines of the source (p) are that are newer than a generation.
--
--   SET VARIABLE from_generation = 0;
--
-- A line is as long as the way to the next one of its file.
SELECT
    r.rowid AS id,
    coalesce(lead(byte_offset) OVER (PARTITION BY r.source_file ORDER BY source_line), size_bytes, byte_offset) - byte_offset AS length_bytes
FROM p.main.raw AS r
LEFT JOIN p.main.indexed_files AS f ON r.source_file = f.source_file
WHERE r.generation > getvariable('from_generation')
