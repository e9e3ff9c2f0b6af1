-- Lines that repeat a record which stands elsewhere, one row per repeating line.
--
-- Resumes, forks, compaction and side-question agents copy history: the same uuid in several files,
-- or several times in one. One line of a record counts, the others are here, and every view but
-- records leaves them out. A line of a main thread counts before one of a sub-agent's file; then
-- the earliest (the resume of 1.0 rewrote times to its own); then the one in the file that began
-- first; then one that does not say it is a copy (forkedFrom); then this machine's; then by path
-- and line. Seen in 1.0.24 to 2.1.237: 17,544 of 299,582 uuids.
--
-- Columns:
--   source_file  transcript of the repeating line
--   source_line  line in it, from 1
--   uuid         identity of the record
CREATE OR REPLACE VIEW replays AS
WITH copied AS (
    SELECT uuid
    FROM raw
    WHERE uuid IS NOT NULL AND parse_status <> 'torn'
    GROUP BY uuid
    HAVING count(*) > 1
),
copies AS (
    SELECT host, source_file, source_line, uuid, agent_id, is_sidechain, timestamp, forked_from
    FROM raw
    SEMI JOIN copied USING (uuid)
    WHERE parse_status <> 'torn'
),
starts AS (
    SELECT source_file, min(timestamp) AS started_at
    FROM raw
    SEMI JOIN copies USING (source_file)
    GROUP BY source_file
)
SELECT
    source_file,
    source_line,
    uuid
FROM copies
LEFT JOIN starts USING (source_file)
QUALIFY row_number() OVER (
    PARTITION BY uuid
    ORDER BY
        agent_id IS NOT NULL OR is_sidechain,
        timestamp,
        started_at,
        forked_from IS NOT NULL,
        host <> 'local',
        source_file,
        source_line
) > 1;
