-- Tools whose failures are no failures, one row per tool and source.
--
-- They put something to a person, so that an error is an answer: reports of failure rates leave
-- them out. Filled from unrated_tools.csv, which the program brings, and from a person's own file
-- of the same form and name in the configuration directory (~/.config/warehouse).
--
-- Columns:
--   tool_name  name as models write it
--   reason     why it is not rated
--   source     built-in, or own for a person's file
CREATE TABLE unrated_tools (
    tool_name VARCHAR NOT NULL,
    reason    VARCHAR,
    source    VARCHAR
);
