-- Files with lines written by refreshes behind a generation, cut into spans of so many bytes: the last
-- path of each. A file is never cut.
--
--   SET VARIABLE from_generation = -1;
--   SET VARIABLE span_bytes = 134217728;
SELECT max(source_file) AS last_file
FROM (
    SELECT
        source_file,
        (sum(size_bytes) OVER (ORDER BY source_file) - 1) // getvariable('span_bytes') AS span
    FROM indexed_files
    WHERE generation > getvariable('from_generation')
)
GROUP BY span
ORDER BY span
