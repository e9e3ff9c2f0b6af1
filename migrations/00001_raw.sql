-- +goose Up
CREATE TABLE raw (
    host            VARCHAR,
    agent           VARCHAR,
    source_file     VARCHAR,
    source_line     BIGINT,
    byte_offset     BIGINT,
    generation      BIGINT,
    file_session_id VARCHAR,
    file_agent_id   VARCHAR,
    parse_status    VARCHAR,
    parse_reason    VARCHAR,
    data            JSON USING COMPRESSION zstd,
    bytes           BLOB
);
COMMENT ON TABLE raw IS 'Every line of every transcript, one row per physical line; original bytes are coalesce(bytes, encode(data)).';
COMMENT ON COLUMN raw.host IS 'machine the transcript comes from; this one is local';
COMMENT ON COLUMN raw.agent IS 'program that wrote it: claude-code';
COMMENT ON COLUMN raw.source_file IS 'path of the transcript';
COMMENT ON COLUMN raw.source_line IS 'line in it, from 1';
COMMENT ON COLUMN raw.byte_offset IS 'bytes of the file before the line';
COMMENT ON COLUMN raw.generation IS 'number of the refresh that wrote the row';
COMMENT ON COLUMN raw.file_session_id IS 'session the path names';
COMMENT ON COLUMN raw.file_agent_id IS 'sub-agent the path names';
COMMENT ON COLUMN raw.parse_status IS 'ok, repaired, invalid, blank or torn';
COMMENT ON COLUMN raw.parse_reason IS 'what is wrong with a line that is not ok';
COMMENT ON COLUMN raw.data IS 'the line as JSON, its repaired text, or NULL';
COMMENT ON COLUMN raw.bytes IS 'the original bytes, only where data is not exactly them';

CREATE TABLE indexed_files (
    source_file      VARCHAR,
    host             VARCHAR,
    agent            VARCHAR,
    root             VARCHAR,
    device           UBIGINT,
    inode            UBIGINT,
    mtime_ns         BIGINT,
    size_bytes       BIGINT,
    consumed_bytes   BIGINT,
    consumed_lines   BIGINT,
    tail_bytes       BIGINT,
    prefix_hash      VARCHAR,
    window_hash      VARCHAR,
    hash_state       BLOB,
    file_session_id  VARCHAR,
    file_agent_id    VARCHAR,
    status           VARCHAR,
    error            VARCHAR,
    vanished_at      TIMESTAMPTZ,
    first_generation BIGINT,
    generation       BIGINT
);
COMMENT ON TABLE indexed_files IS 'Catalogue of source files, one row per path seen under a root.';
COMMENT ON COLUMN indexed_files.source_file IS 'path';
COMMENT ON COLUMN indexed_files.host IS 'machine the file is on';
COMMENT ON COLUMN indexed_files.agent IS 'program that wrote it';
COMMENT ON COLUMN indexed_files.root IS 'folder it was found under';
COMMENT ON COLUMN indexed_files.device IS 'device of the file';
COMMENT ON COLUMN indexed_files.inode IS 'inode of the file';
COMMENT ON COLUMN indexed_files.size_bytes IS 'size when it was read';
COMMENT ON COLUMN indexed_files.consumed_lines IS 'line ends read';
COMMENT ON COLUMN indexed_files.file_session_id IS 'session the path names';
COMMENT ON COLUMN indexed_files.file_agent_id IS 'sub-agent the path names';
COMMENT ON COLUMN indexed_files.error IS 'why status is not ok';
COMMENT ON COLUMN indexed_files.mtime_ns IS 'modification time when it was read, nanoseconds; -1 when it changed meanwhile';
COMMENT ON COLUMN indexed_files.consumed_bytes IS 'bytes up to and with the last line end read';
COMMENT ON COLUMN indexed_files.tail_bytes IS 'bytes behind the last line end, kept as one row and read again when the file changes';
COMMENT ON COLUMN indexed_files.prefix_hash IS 'XXH64 of the consumed bytes';
COMMENT ON COLUMN indexed_files.window_hash IS 'XXH64 of the first 4 KiB and the last 4 KiB of the consumed bytes';
COMMENT ON COLUMN indexed_files.hash_state IS 'state of prefix_hash, so that an append continues it';
COMMENT ON COLUMN indexed_files.status IS 'ok; failed (could not be read); skipped (not a regular file); unreadable (a folder)';
COMMENT ON COLUMN indexed_files.vanished_at IS 'when the file was first found missing, under retention keep';
COMMENT ON COLUMN indexed_files.first_generation IS 'refresh that read the file from its start';
COMMENT ON COLUMN indexed_files.generation IS 'refresh that last changed this row';

CREATE TABLE hosts (
    host       VARCHAR,
    root       VARCHAR,
    generation BIGINT
);
COMMENT ON TABLE hosts IS 'Machines whose transcripts are here, one row per root.';
COMMENT ON COLUMN hosts.host IS 'label of the machine; this one is local';
COMMENT ON COLUMN hosts.root IS 'folder its transcripts lie under';
COMMENT ON COLUMN hosts.generation IS 'refresh that first read it';

CREATE TABLE settings (
    name       VARCHAR,
    value      VARCHAR,
    generation BIGINT
);
COMMENT ON TABLE settings IS 'Choices that stick, and the text of a person''s own CSV files.';
COMMENT ON COLUMN settings.name IS 'retention, standby, redact, prices_file, or own_ and the name of a table';
COMMENT ON COLUMN settings.value IS 'what was chosen';
COMMENT ON COLUMN settings.generation IS 'refresh that stored it';

-- One row. is_complete goes down before the first write of a refresh and up after its last.
CREATE TABLE index_meta (
    warehouse_id VARCHAR,
    version      INTEGER,
    generation   BIGINT,
    refreshed_at TIMESTAMPTZ,
    import_hash  VARCHAR,
    views_hash   VARCHAR,
    index_hash   VARCHAR,
    is_complete  BOOLEAN
);
COMMENT ON TABLE index_meta IS 'State of this file, one row: refresh number and fingerprints of what it was derived with.';
COMMENT ON COLUMN index_meta.warehouse_id IS 'identity that the published file and its second copy share';
COMMENT ON COLUMN index_meta.version IS 'layout of the durable tables';
COMMENT ON COLUMN index_meta.generation IS 'number of the last refresh that wrote';
COMMENT ON COLUMN index_meta.refreshed_at IS 'when it began';
COMMENT ON COLUMN index_meta.import_hash IS 'fingerprint of the projection';
COMMENT ON COLUMN index_meta.views_hash IS 'fingerprint of derived tables, views and macros';
COMMENT ON COLUMN index_meta.index_hash IS 'fingerprint of the word index';
COMMENT ON COLUMN index_meta.is_complete IS 'false while a refresh writes the file';

-- +goose Down
DROP TABLE index_meta;
DROP TABLE settings;
DROP TABLE hosts;
DROP TABLE indexed_files;
DROP TABLE raw;
