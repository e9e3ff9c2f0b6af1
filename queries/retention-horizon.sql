-- Transcripts that the agent's own clean-up will remove, one row per day.
--
-- When it starts, Claude Code removes transcripts that were last written longer ago than
-- cleanupPeriodDays, 30 unless a settings file says otherwise, without a word; what is due already
-- goes with the next start. Whether their lines stay in the warehouse is the warehouse's own setting,
-- named below the table.
--
-- Columns:
--   removed_on         day on which they are due
--   files              transcripts, those of sub-agents included
--   sessions           sessions they belong to
--   size_bytes         their size, bytes
--   not_indexed_files  how many of them were not or not wholly read, but for those that were forgotten
--   cleanup_days       days they are kept
--
-- Totals: files, size_bytes, not_indexed_files
-- Reads: disk_transcripts, disk_settings
--
-- Examples:
--   warehouse query retention-horizon
--   warehouse query retention-horizon --limit 7 --tz UTC

SET VARIABLE "limit" = coalesce(getvariable('limit'), '100')::INTEGER;               -- rows to show
SET VARIABLE disk_transcripts = coalesce(getvariable('disk_transcripts'), '[]')::VARCHAR;   -- transcripts found, filled by the program
SET VARIABLE disk_settings = coalesce(getvariable('disk_settings'), '[]')::VARCHAR;  -- settings found, filled by the program

-- The settings that count most stand first; those of one project hold for it alone.
WITH setting AS (
    SELECT coalesce(first(s.cleanup_days ORDER BY n) FILTER (WHERE s.project_path IS NULL), 30) AS cleanup_days
    FROM (
        SELECT generate_subscripts(settings, 1) AS n, unnest(settings) AS s
        FROM (SELECT from_json(getvariable('disk_settings'), '[{"project_path": "VARCHAR", "cleanup_days": "BIGINT"}]') AS settings)
    )
),
listed AS (
    SELECT unnest(from_json(
        getvariable('disk_transcripts'),
        '[{"host": "VARCHAR", "source_file": "VARCHAR", "session_id": "VARCHAR", "status": "VARCHAR", "size_bytes": "BIGINT", "modified_ms": "BIGINT"}]'
    ), recursive := true)
),
due AS (
    SELECT
        (make_timestamptz(modified_ms * 1000) + to_days(cleanup_days::INTEGER))::DATE AS removed_on,
        listed.*,
        cleanup_days,
        known.status IS DISTINCT FROM 'ignored' AND coalesce(known.size_bytes - known.lag_bytes, -1) < listed.size_bytes AS is_not_indexed
    FROM listed
    CROSS JOIN setting
    LEFT JOIN source_files AS known ON known.source_file = listed.source_file AND known.status IN ('ok', 'ignored')
    WHERE listed.host = 'local' AND listed.status = 'ok'
)
SELECT
    removed_on,
    count(*) AS files,
    count(DISTINCT session_id) AS sessions,
    sum(size_bytes)::BIGINT AS size_bytes,
    count(*) FILTER (WHERE is_not_indexed) AS not_indexed_files,
    any_value(cleanup_days) AS cleanup_days
FROM due
GROUP BY removed_on
ORDER BY removed_on
LIMIT getvariable('limit');

SELECT unnest([
    'The agent keeps transcripts for ' || coalesce(set_by.cleanup_days, 30) || ' days: '
        || coalesce('cleanupPeriodDays in ' || set_by.config_source, 'its default; cleanupPeriodDays in its settings.json changes that') || '.',
    'Other periods for single projects: ' || others.text || '.',
    CASE kept.value
        WHEN 'keep' THEN 'The warehouse keeps the lines of files that vanish.'
        ELSE 'The warehouse drops the lines of files that vanish; keep them: warehouse refresh --retention keep'
    END
]) AS note
FROM (
    SELECT first(s ORDER BY n) FILTER (WHERE s.project_path IS NULL) AS set_by
    FROM (
        SELECT generate_subscripts(settings, 1) AS n, unnest(settings) AS s
        FROM (SELECT from_json(getvariable('disk_settings'), '[{"config_source": "VARCHAR", "project_path": "VARCHAR", "cleanup_days": "BIGINT"}]') AS settings)
    )
)
CROSS JOIN (
    SELECT string_agg(s.config_source || ' ' || s.cleanup_days, ', ' ORDER BY s.config_source) FILTER (WHERE s.project_path IS NOT NULL) AS text
    FROM (SELECT unnest(from_json(getvariable('disk_settings'), '[{"config_source": "VARCHAR", "project_path": "VARCHAR", "cleanup_days": "BIGINT"}]')) AS s)
) AS others
CROSS JOIN (SELECT coalesce(max(value), 'mirror') AS value FROM settings WHERE name = 'retention') AS kept;
