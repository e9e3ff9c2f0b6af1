-- Copies of files that the program kept to undo edits, one row per session, file and version of it.
--
-- A file-history-snapshot record repeats the map of all files tracked so far: the first line that
-- has a version counts. A file-history-delta record (2.1.220 and later) adds one file. The copies
-- lie outside the transcripts (file-history beside projects); a version without one says that the
-- file did not exist. The maps are read from raw, so this view reads much.
--
-- Columns:
--   host          machine the transcript comes from
--   agent         program that wrote it
--   session_id    session of the file, the records name none
--   timestamp     time of the copy, else of the record
--   source_file   transcript
--   source_line   first line that has the version, from 1
--   message_id    uuid of the prompt before which the file was copied
--   file_path     file, as it is recorded: often relative to the working directory
--   version       number of the version
--   backup_file   name of the copy; NULL where the file did not exist
--   record_type   file-history-snapshot or file-history-delta
CREATE OR REPLACE VIEW file_snapshots AS
WITH snapshots AS (
    SELECT
        host,
        agent,
        session_id,
        source_file,
        source_line,
        type AS record_type,
        json_extract_string(data, '$.messageId') AS message_id,
        coalesce(json_extract_string(data, '$.snapshot.timestamp'), json_extract_string(data, '$.timestamp')) AS recorded_at,
        unnest(map_entries(try_cast(json_extract(data, '$.snapshot.trackedFileBackups') AS MAP(VARCHAR, JSON)))) AS entry
    FROM raw
    WHERE type = 'file-history-snapshot' AND parse_status <> 'torn'
),
deltas AS (
    SELECT
        host,
        agent,
        session_id,
        source_file,
        source_line,
        type AS record_type,
        json_extract_string(data, '$.messageId') AS message_id,
        json_extract_string(data, '$.timestamp') AS recorded_at,
        {'key': json_extract_string(data, '$.trackingPath'), 'value': json_extract(data, '$.backup')} AS entry
    FROM event_lines
    WHERE type = 'file-history-delta'
)
SELECT
    host,
    agent,
    session_id,
    try_cast(coalesce(json_extract_string(entry.value, '$.backupTime'), recorded_at) AS TIMESTAMPTZ) AS timestamp,
    source_file,
    source_line,
    message_id,
    entry.key AS file_path,
    try_cast(json_extract_string(entry.value, '$.version') AS BIGINT) AS version,
    json_extract_string(entry.value, '$.backupFileName') AS backup_file,
    record_type
FROM (
    FROM snapshots
    UNION ALL
    FROM deltas
)
WHERE entry.key IS NOT NULL
QUALIFY row_number() OVER (
    PARTITION BY host, agent, session_id, entry.key, json_extract_string(entry.value, '$.version'), json_extract_string(entry.value, '$.backupFileName')
    ORDER BY record_type DESC, source_file, source_line
) = 1;
