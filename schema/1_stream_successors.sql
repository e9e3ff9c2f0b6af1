-- Streams that others took the place of, one row per stream, successor and source.
--
-- When a stream ends and its successor goes on, nothing is wrong: the agent program writes the same
-- elsewhere. Streams are named as in the view streams. Filled from stream_successors.csv, which the
-- program brings, and from a person's own file of that name in ~/.config/warehouse.
--
-- Columns:
--   stream     stream that ended
--   successor  stream that says the same now
--   note       what happened
--   source     built-in, or own for a person's file
CREATE TABLE stream_successors (
    stream    VARCHAR NOT NULL,
    successor VARCHAR NOT NULL,
    note      VARCHAR,
    source    VARCHAR
);
