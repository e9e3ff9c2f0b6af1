-- Shell commands that the agent runs without asking, one row per command and source.
--
-- They need no permission rule. From Claude Code's documentation of October 2026; a command line
-- that begins with these words counts. Filled from unprompted_commands.csv, which the program brings,
-- and from a person's own file of that name in ~/.config/warehouse.
--
-- Columns:
--   command  first words of the command line
--   source   built-in, or own for a person's file
CREATE TABLE unprompted_commands (
    command VARCHAR NOT NULL,
    source  VARCHAR
);
