-- How commands fail in a sandbox, one row per class, pattern and source.
--
-- A failed shell command belongs to a class when a line of its error matches one of the class's
-- patterns: as LIKE takes them (% is any text, _ any character), matched without regard to case.
-- Filled from sandbox_failure_patterns.csv, which the program brings, and from a person's own file
-- of the same form and name in the configuration directory (~/.config/warehouse).
--
-- Columns:
--   category  class: worktree-write, process-substitution, mktemp, tls, ssh-agent
--   pattern   LIKE pattern of a line of the error
--   source    built-in, or own for a person's file
CREATE TABLE sandbox_failure_patterns (
    category VARCHAR NOT NULL,
    pattern  VARCHAR NOT NULL,
    source   VARCHAR
);
