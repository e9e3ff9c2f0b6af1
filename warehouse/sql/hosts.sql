-- Machines, one row per host: this one, then the others by label.
SELECT
    host,
    coalesce(files, 0) AS files,
    coalesce(lines, 0) AS lines,
    first_at,
    last_at,
    coalesce(roots, '') AS roots
FROM (
    SELECT
        host,
        string_agg(root, ', ' ORDER BY root) AS roots
    FROM hosts
    GROUP BY host
)
FULL JOIN (
    SELECT
        host,
        count(DISTINCT source_file) AS files,
        count(*) AS lines,
        min(timestamp) AS first_at,
        max(timestamp) AS last_at
    FROM raw
    GROUP BY host
) USING (host)
ORDER BY host <> 'local', host
