-- Kinds of records and fields of messages that are new, one row per stream, the newest first.
--
-- What a new version of the agent program begins to write shows here on its first day. Streams are
-- those of the view streams: kinds, and the fields of messages that are pinned columns; for any other
-- key see field-drift. New is what was first seen in the last days before the last record of all,
-- unless it is as old as the first record.
--
-- Columns:
--   stream         kind of record, or kind.field
--   first_day      day it was first seen (UTC)
--   last_day       day it was last seen
--   days           days it was seen on
--   lines          records
--   first_version  lowest version of the agent program that wrote it
--   last_version   highest version
--   successor_of   stream it took the place of (stream_successors)
--   hosts          machines it was seen on
--
-- Examples:
--   warehouse query stream-new
--   warehouse query stream-new --new_days 45
--   warehouse query stream-new --cutoff_date 2026-11-01 --host laptop

SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE new_days = coalesce(getvariable('new_days'), '14')::INTEGER;            -- how many days a thing is new
SET VARIABLE cutoff_date = getvariable('cutoff_date')::DATE;                         -- first day of what is new, instead of new_days
SET VARIABLE "limit" = coalesce(getvariable('limit'), '100')::INTEGER;               -- rows to show

WITH seen AS (
    SELECT
        stream,
        min(day) AS first_day,
        max(day) AS last_day,
        count(DISTINCT day) AS days,
        sum(lines)::BIGINT AS lines,
        arg_min(first_version, version_parts(first_version)) AS first_version,
        arg_max(last_version, version_parts(last_version)) AS last_version,
        string_agg(DISTINCT host, ', ' ORDER BY host) AS hosts
    FROM streams
    WHERE host_filter(host, getvariable('host'))
        AND agent_filter(agent, getvariable('agent'))
    GROUP BY stream
),
span AS (
    SELECT
        min(first_day) AS first_day,
        coalesce(getvariable('cutoff_date'), max(last_day) - getvariable('new_days')) AS cutoff
    FROM seen
)
SELECT
    stream,
    seen.first_day,
    last_day,
    days,
    lines,
    first_version,
    last_version,
    (SELECT string_agg(DISTINCT s.stream, ', ' ORDER BY s.stream) FROM stream_successors AS s WHERE s.successor = seen.stream) AS successor_of,
    hosts
FROM seen
CROSS JOIN span
WHERE seen.first_day >= span.cutoff AND seen.first_day > span.first_day
ORDER BY seen.first_day DESC, lines DESC, stream
LIMIT getvariable('limit');
