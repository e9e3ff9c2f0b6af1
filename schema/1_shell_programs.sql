-- What is known of shell programs, one row per program, role and source.
--
-- Tells how shell_commands reads a command. Filled from shell_programs.csv, which the program
-- brings, and from a person's own file of the same form and name in the configuration directory
-- (~/.config/warehouse). Roles:
--
--   preamble: sets the scene and is not what the call is for, as cd and echo.
--   wrapper: runs the program that follows, as sudo and timeout.
--   subcommands: its first word tells what it does, as git and docker.
--   modules: runs a module that -m names, as python.
--
-- Columns:
--   program  name without folder
--   role     preamble, wrapper, subcommands or modules
--   source   built-in, or own for a person's file
CREATE TABLE shell_programs (
    program VARCHAR NOT NULL,
    role    VARCHAR NOT NULL,
    source  VARCHAR
);
