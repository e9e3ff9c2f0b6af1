-- +goose Up
CREATE TABLE forgotten (
    kind            VARCHAR,
    value           VARCHAR,
    host            VARCHAR,
    forgotten_at    TIMESTAMPTZ,
    forgotten_files BIGINT,
    forgotten_lines BIGINT,
    generation      BIGINT
);
COMMENT ON TABLE forgotten IS 'What was forgotten and is kept out, one row per rule.';
COMMENT ON COLUMN forgotten.kind IS 'what the rule names: host, session, file, or before (a time)';
COMMENT ON COLUMN forgotten.value IS 'label of the host, id of the session, path of the file, or time before which lines are kept out';
COMMENT ON COLUMN forgotten.host IS 'machine that a time is for, NULL for all';
COMMENT ON COLUMN forgotten.forgotten_at IS 'when it was asked for';
COMMENT ON COLUMN forgotten.forgotten_files IS 'files that lost lines then';
COMMENT ON COLUMN forgotten.forgotten_lines IS 'lines that went then';
COMMENT ON COLUMN forgotten.generation IS 'refresh that stored it';

ALTER TABLE indexed_files ADD COLUMN ignored_lines BIGINT DEFAULT 0;
ALTER TABLE indexed_files ADD COLUMN ignored_bytes BIGINT DEFAULT 0;
ALTER TABLE indexed_files ADD COLUMN ignored_tail BOOLEAN DEFAULT false;
COMMENT ON COLUMN indexed_files.ignored_lines IS 'of consumed_lines, those that are kept out because they were forgotten';
COMMENT ON COLUMN indexed_files.ignored_bytes IS 'of consumed_bytes, those of such lines';
COMMENT ON COLUMN indexed_files.ignored_tail IS 'true where what is behind the last line end is kept out too';
COMMENT ON COLUMN indexed_files.status IS 'ok; failed (could not be read); skipped (not a regular file); ignored (forgotten); unreadable (a folder)';

-- +goose Down
ALTER TABLE indexed_files DROP COLUMN ignored_tail;
ALTER TABLE indexed_files DROP COLUMN ignored_bytes;
ALTER TABLE indexed_files DROP COLUMN ignored_lines;
DROP TABLE forgotten;
