-- Records that are no message, one row per line: attachments, system records, titles, links, hook starts.
--
-- The line is stored a second time because the views above it (attachments, system_events,
-- hook_events, …) would else unpack every message to reach it: these lines are 1 % of the bytes,
-- and a scan of raw.data took 0.4 s for 300 MB, one of this table 10 ms. Left in raw alone are
-- queue operations but removals (the text of the others is in content_items), snapshots of the file
-- history (a map of every tracked file, on each line) and progress records other than
-- hook_progress, which repeat output.
--
-- Copies of a record are all here; the views above take one of them.
--
-- Columns:
--   host             machine the transcript comes from
--   agent            program that wrote it
--   session_id       session of the line
--   agent_id         sub-agent of the line, NULL in the main thread
--   project_path     working directory
--   timestamp        time of the line
--   source_file      transcript
--   source_line      line in it, from 1
--   generation       refresh that stored the line
--   type             record type: attachment, system, progress, pr-link, …
--   subtype          subtype of a system record
--   attachment_type  attachment.type of an attachment record
--   uuid             identity of the record
--   version          version of the agent program
--   is_meta          true on lines the program wrote for the model
--   is_sidechain     true on lines of a sub-agent
--   data             the line as JSON
CREATE TABLE event_lines (
    host            VARCHAR,
    agent           VARCHAR,
    session_id      VARCHAR,
    agent_id        VARCHAR,
    project_path    VARCHAR,
    timestamp       TIMESTAMPTZ,
    source_file     VARCHAR,
    source_line     BIGINT,
    generation      BIGINT,
    type            VARCHAR,
    subtype         VARCHAR,
    attachment_type VARCHAR,
    uuid            VARCHAR,
    version         VARCHAR,
    is_meta         BOOLEAN,
    is_sidechain    BOOLEAN,
    data            JSON USING COMPRESSION zstd
);

INSERT INTO event_lines BY NAME
SELECT
    host,
    agent,
    session_id,
    agent_id,
    project_path,
    timestamp,
    source_file,
    source_line,
    generation,
    type,
    subtype,
    attachment_type,
    uuid,
    version,
    is_meta,
    is_sidechain,
    data
FROM raw
WHERE parse_status <> 'torn'
    AND (type NOT IN ('user', 'assistant', 'progress', 'queue-operation', 'file-history-snapshot')
        OR (type = 'progress' AND progress_type = 'hook_progress')
        OR (type = 'queue-operation' AND operation = 'remove'));
