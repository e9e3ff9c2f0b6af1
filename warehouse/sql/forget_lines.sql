-- Lines of raw that rules keep out, one row per line:
--
--   SET VARIABLE rules = '[{"kind": "session", "value": "1b7e0c52-…", "host": null}]';
--
-- A session is its own lines and all of the files that are named for it. Before a time, a line
-- without one goes with the last line before it that has one; at the head of a file, with the
-- first one behind.
WITH rules AS (
    SELECT
        rule.kind,
        rule.value,
        rule.host
    FROM (SELECT unnest(from_json(getvariable('rules'), '[{"kind": "VARCHAR", "value": "VARCHAR", "host": "VARCHAR"}]')) AS rule)
),
lines AS (
    SELECT
        host,
        source_file,
        source_line,
        timestamp,
        coalesce(host IN (SELECT value FROM rules WHERE kind = 'host'), false)
            OR source_file IN (SELECT value FROM rules WHERE kind = 'file')
            OR coalesce(session_id IN (SELECT value FROM rules WHERE kind = 'session'), false)
            OR coalesce(file_session_id IN (SELECT value FROM rules WHERE kind = 'session'), false) AS is_named
    FROM raw
),
timed AS (
    SELECT
        host,
        source_file,
        source_line,
        coalesce(
            last_value(timestamp IGNORE NULLS) OVER (PARTITION BY source_file ORDER BY source_line ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW),
            first_value(timestamp IGNORE NULLS) OVER (PARTITION BY source_file ORDER BY source_line ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING)
        ) AS line_time
    FROM lines
    WHERE NOT is_named AND EXISTS (FROM rules WHERE kind = 'before')
)
SELECT
    source_file,
    source_line
FROM lines
WHERE is_named
UNION ALL
SELECT
    source_file,
    source_line
FROM timed
WHERE EXISTS (
    FROM rules
    WHERE kind = 'before' AND line_time < try_cast(value AS TIMESTAMPTZ) AND (rules.host IS NULL OR rules.host = timed.host)
)
