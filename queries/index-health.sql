-- Whether the warehouse can be trusted, one row per finding, alerts first.
--
-- Streams are kinds of records (see the view streams); they are looked at on the whole warehouse, up
-- to the day of its last record.
-- - stream-silent: a kind that came regularly and stopped, for longer than ever before and more than
--   two days; after forget_days it is no news
-- - stream-migrated: a kind that stopped, whose successor goes on (stream_successors)
-- - stream-new: a kind first seen lately
-- - host-staleness: an imported machine without new records
-- - disk-not-indexed: transcripts of this machine that are not in the warehouse
-- - disk-unreadable: folders of transcripts that are gone, empty or cannot be listed
-- - indexed-not-on-disk: files that are in the warehouse alone
-- - hook-deny-invisible: refusals by hooks that left no record of their own, which hook_denies finds
--   by their words, against those that did: an alert where they are more
-- - null-timestamp-kinds: kinds whose records have no time, the first five
-- - corpus-window: what there is, by machine
--
-- Columns:
--   check_name  which check
--   status      alert, info or ok
--   subject     stream, machine, folder or event it is about
--   detail      what was found
--
-- Reads: disk_transcripts
--
-- Examples:
--   warehouse query index-health
--   warehouse query index-health --new_days 30 --format markdown

SET VARIABLE min_active_days = coalesce(getvariable('min_active_days'), '5')::INTEGER;      -- days a kind was seen on before its silence counts
SET VARIABLE new_days = coalesce(getvariable('new_days'), '14')::INTEGER;                   -- how many days a thing is new
SET VARIABLE forget_days = coalesce(getvariable('forget_days'), '90')::INTEGER;             -- how many days silence is news
SET VARIABLE stale_days = coalesce(getvariable('stale_days'), '2')::INTEGER;                -- days without a record that make a machine stale
SET VARIABLE deny_window_days = coalesce(getvariable('deny_window_days'), '30')::INTEGER;   -- days for which refusals by hooks are counted
SET VARIABLE as_of = getvariable('as_of')::TIMESTAMPTZ;                                     -- time that stale machines are measured from (default now)
SET VARIABLE disk_transcripts = coalesce(getvariable('disk_transcripts'), '[]')::VARCHAR;   -- transcripts found, filled by the program

WITH stream_days AS MATERIALIZED (
    SELECT host, stream, is_field, day, lines, undated_lines, first_version, last_version
    FROM streams
),
kind_days AS (
    SELECT
        stream,
        day,
        sum(lines) AS lines,
        sum(undated_lines) AS undated_lines,
        arg_min(first_version, version_parts(first_version)) AS first_version,
        arg_max(last_version, version_parts(last_version)) AS last_version
    FROM stream_days
    WHERE NOT is_field
    GROUP BY ALL
),
gaps AS (
    SELECT
        *,
        day - lag(day) OVER (PARTITION BY stream ORDER BY day) AS gap
    FROM kind_days
    WHERE day IS NOT NULL
),
kinds AS (
    SELECT
        stream,
        count(*) AS active_days,
        min(day) AS first_day,
        max(day) AS last_day,
        greatest(coalesce(max(gap), 0), 2) AS usual_gap,
        sum(lines) AS lines,
        arg_min(first_version, version_parts(first_version)) AS first_version,
        arg_max(last_version, version_parts(last_version)) AS last_version
    FROM gaps
    GROUP BY stream
),
span AS (
    SELECT
        min(first_day) AS first_day,
        max(last_day) AS last_day,
        arg_max(last_version, version_parts(last_version)) AS last_version
    FROM kinds
),
-- All streams, since a successor may be a field.
last_days AS (
    SELECT stream, min(day) AS first_day, max(day) AS last_day
    FROM stream_days
    GROUP BY stream
),
migrated AS (
    SELECT
        kinds.stream,
        kinds.last_day,
        string_agg(s.successor, ', ' ORDER BY s.successor) AS successors,
        min(later.first_day) AS successor_first_day,
        max(later.last_day) AS successor_last_day,
        string_agg(DISTINCT s.note, '; ' ORDER BY s.note) AS note
    FROM kinds
    CROSS JOIN span
    JOIN (SELECT DISTINCT stream, successor, note FROM stream_successors) AS s ON s.stream = kinds.stream
    JOIN last_days AS later ON later.stream = s.successor AND later.last_day > kinds.last_day
    WHERE span.last_day - kinds.last_day > 2
    GROUP BY ALL
),
listed AS (
    SELECT unnest(from_json(
        getvariable('disk_transcripts'),
        '[{"host": "VARCHAR", "root": "VARCHAR", "source_file": "VARCHAR", "status": "VARCHAR", "reason": "VARCHAR", "size_bytes": "BIGINT"}]'
    ), recursive := true)
),
local_files AS (
    SELECT root, source_file, size_bytes
    FROM listed
    WHERE host = 'local' AND status = 'ok'
),
-- Where nothing was looked at, nothing is missing.
unseen AS (
    SELECT source_file AS folder, status, reason
    FROM listed
    WHERE host = 'local' AND status IN ('missing', 'empty', 'unreadable')
),
not_indexed AS (
    SELECT
        root,
        count(*) AS files,
        sum(size_bytes) AS size_bytes,
        array_to_string(list(source_file ORDER BY source_file)[:3], ', ') AS examples
    FROM local_files
    ANTI JOIN source_files USING (source_file)
    GROUP BY root
),
vanished AS (
    SELECT
        root,
        count(*) AS files,
        sum(lines) AS lines,
        array_to_string(list(source_file ORDER BY source_file)[:3], ', ') AS examples
    FROM source_files AS known
    ANTI JOIN local_files USING (source_file)
    WHERE known.host = 'local'
        AND known.lines > 0
        AND EXISTS (FROM listed)
        AND NOT EXISTS (FROM unseen WHERE known.source_file = unseen.folder OR starts_with(known.source_file, unseen.folder || '/'))
    GROUP BY root
),
windows AS (
    SELECT
        host,
        count(*) AS lines,
        count(DISTINCT source_file) AS files,
        min(timestamp) AS first_record,
        max(timestamp) AS last_record
    FROM raw
    WHERE parse_status <> 'torn'
    GROUP BY host
),
refusals AS (
    SELECT 'recorded' AS trace, coalesce(command, hook_name) AS hook, agent_id, timestamp
    FROM hook_blocks
    WHERE hook_event = 'PreToolUse' AND decision IN ('block', 'deny')
    UNION ALL
    SELECT 'recovered', coalesce(command, hook_name), agent_id, timestamp
    FROM hook_denies
),
recent_refusals AS (
    SELECT *
    FROM refusals
    WHERE timestamp > (SELECT max(last_record) FROM windows) - to_days(getvariable('deny_window_days'))
),
refusing_hooks AS (
    SELECT hook, count(*) AS refusals
    FROM recent_refusals
    WHERE trace = 'recovered'
    GROUP BY hook
    ORDER BY refusals DESC, hook
    LIMIT 5
),
denied AS (
    SELECT
        count(*) FILTER (WHERE trace = 'recovered') AS recovered,
        count(*) FILTER (WHERE trace = 'recorded') AS recorded,
        count(*) FILTER (WHERE trace = 'recovered' AND agent_id IS NOT NULL) AS by_agents,
        (SELECT string_agg(hook || ' ' || refusals, ', ' ORDER BY refusals DESC, hook) FROM refusing_hooks) AS hooks
    FROM recent_refusals
),
undated AS (
    SELECT stream, sum(undated_lines) AS undated_lines, sum(lines) AS lines
    FROM kind_days
    GROUP BY stream
    HAVING sum(undated_lines) > 0
    ORDER BY undated_lines DESC, stream
    LIMIT 5
),
findings AS (
    SELECT
        1 AS check_number,
        'stream-silent' AS check_name,
        'alert' AS status,
        stream AS subject,
        concat(
            format('last seen {}, {} before the last record', kinds.last_day, counted(span.last_day - kinds.last_day, 'day')),
            format('; seen on {}, never more than {} apart', counted(active_days, 'day'), counted(usual_gap, 'day')),
            format('; written by {} to {}, the program is at {}', kinds.first_version, kinds.last_version, span.last_version)
        ) AS detail
    FROM kinds
    CROSS JOIN span
    ANTI JOIN migrated USING (stream)
    WHERE active_days >= getvariable('min_active_days')
        AND span.last_day - kinds.last_day > usual_gap
        AND span.last_day - kinds.last_day <= getvariable('forget_days')
    UNION ALL
    SELECT
        5,
        'stream-migrated',
        'info',
        stream,
        concat(format('last seen {}; {} since {}, up to {}', last_day, successors, successor_first_day, successor_last_day), ': ' || note)
    FROM migrated
    UNION ALL
    SELECT
        6,
        'stream-new',
        'info',
        stream,
        concat(
            format('first seen {}, {}', kinds.first_day, counted(lines, 'record')),
            format('; written by {} to {}', kinds.first_version, kinds.last_version)
        )
    FROM kinds
    CROSS JOIN span
    WHERE span.last_day - kinds.first_day < getvariable('new_days') AND kinds.first_day > span.first_day
    UNION ALL
    SELECT
        2,
        'host-staleness',
        'alert',
        host,
        coalesce(
            format('last record {} ago, {}', counted(date_diff('day', last_record, coalesce(getvariable('as_of'), now())), 'day'), strftime(last_record, '%Y-%m-%d')),
            'no record with a time'
        )
    FROM (SELECT DISTINCT host FROM hosts WHERE host <> 'local')
    LEFT JOIN windows USING (host)
    WHERE last_record IS NULL OR last_record < coalesce(getvariable('as_of'), now()) - to_days(getvariable('stale_days'))
    UNION ALL
    SELECT
        3,
        'disk-not-indexed',
        'alert',
        root,
        format('{} of {}, such as {}', counted(files, 'file'), counted(size_bytes, 'byte'), examples)
    FROM not_indexed
    UNION ALL
    SELECT
        4,
        'disk-unreadable',
        'alert',
        folder,
        concat(unseen.status, ': ' || reason, format('; {} of the warehouse below it', counted(count(known.source_file), 'file')))
    FROM unseen
    LEFT JOIN source_files AS known ON known.lines > 0 AND starts_with(known.source_file, unseen.folder || '/')
    GROUP BY folder, unseen.status, reason
    HAVING unseen.status = 'unreadable' OR count(known.source_file) > 0
    UNION ALL
    SELECT
        7,
        'indexed-not-on-disk',
        'info',
        root,
        format('{} with {}, such as {}', counted(files, 'file'), counted(lines, 'line'), examples)
    FROM vanished
    UNION ALL
    SELECT
        8,
        'hook-deny-invisible',
        CASE WHEN recovered > recorded THEN 'alert' ELSE 'ok' END,
        'PreToolUse',
        concat(
            format('in {} {} left no record of their own, {:,} did',
                counted(getvariable('deny_window_days'), 'day'), counted(recovered, 'refusal'), recorded),
            CASE WHEN recovered > 0 THEN format('; {:.0f} % of the former by sub-agents; {}', 100 * by_agents / recovered, hooks) END
        )
    FROM denied
    UNION ALL
    SELECT
        9,
        'null-timestamp-kinds',
        'info',
        stream,
        format('{:,} of {} without a time', undated_lines::BIGINT, counted(lines, 'record'))
    FROM undated
    UNION ALL
    SELECT
        10,
        'corpus-window',
        'info',
        host,
        concat(
            format('{} of {}', counted(lines, 'line'), counted(files, 'file')),
            format(', records from {} to {}', strftime(first_record, '%Y-%m-%d'), strftime(last_record, '%Y-%m-%d')),
            (
                SELECT format(', versions {} to {}',
                    arg_min(first_version, version_parts(first_version)), arg_max(last_version, version_parts(last_version)))
                FROM stream_days
                WHERE stream_days.host = windows.host
            )
        )
    FROM windows
)
SELECT
    check_name,
    status,
    subject,
    detail
FROM findings
ORDER BY
    CASE status WHEN 'alert' THEN 1 WHEN 'info' THEN 2 ELSE 3 END,
    check_number,
    subject,
    detail;
