-- The catalogue of source files, one row per path.
--
-- Paths that could not be read are here with the reason: status failed (its lines of earlier
-- refreshes stay), skipped (a pipe, a folder or a link to nowhere with a transcript's name) or
-- unreadable (a folder; nothing of its host is taken for deleted meanwhile). ignored are files that
-- were forgotten and are still there; of others single lines may have been.
--
-- Columns:
--   host           machine the file is on
--   agent          program that wrote it
--   source_file    path
--   root           folder it was found under
--   session_id     session the path names
--   agent_id       sub-agent the path names
--   status         ok, failed, skipped, ignored or unreadable
--   error          why it is not ok
--   size_bytes     size when it was last read
--   indexed_bytes  bytes of it that are in raw
--   lag_bytes      bytes it had then that were not read
--   lines          lines of it that are in raw
--   ignored_lines  lines of it that are kept out because they were forgotten
--   modified_at    modification time when it was last read; NULL where it changed meanwhile
--   vanished_at    when it was first found missing, under retention keep
--   generation     refresh that last changed this row
CREATE OR REPLACE VIEW source_files AS
SELECT
    host,
    agent,
    source_file,
    root,
    file_session_id AS session_id,
    file_agent_id AS agent_id,
    status,
    error,
    size_bytes,
    consumed_bytes - ignored_bytes + CASE WHEN ignored_tail THEN 0 ELSE tail_bytes END AS indexed_bytes,
    size_bytes - consumed_bytes - tail_bytes AS lag_bytes,
    consumed_lines - ignored_lines + (tail_bytes > 0 AND NOT ignored_tail)::BIGINT AS lines,
    ignored_lines + (tail_bytes > 0 AND ignored_tail)::BIGINT AS ignored_lines,
    CASE WHEN mtime_ns > 0 THEN make_timestamptz(mtime_ns // 1000) END AS modified_at,
    vanished_at,
    generation
FROM indexed_files;
