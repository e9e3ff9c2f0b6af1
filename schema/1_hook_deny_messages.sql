-- Words by which hooks refuse, one row per beginning of a text and source.
--
-- A hook that refuses a tool call often leaves no record but the error of the call, in the hook's
-- own words; a text that begins like a row here was a hook's (see hook_denies). What the program
-- itself writes before them is known without a row. Filled from hook_deny_messages.csv, which the
-- program brings, and from a person's own file of that name in ~/.config/warehouse. Where several
-- rows fit, an own one counts before a built-in one, then the longest.
--
-- Columns:
--   prefix  how the text begins, letter for letter
--   hook    name to show for the hook; NULL is event and tool, PreToolUse:Bash
--   source  built-in, or own for a person's file
CREATE TABLE hook_deny_messages (
    prefix VARCHAR NOT NULL,
    hook   VARCHAR,
    source VARCHAR
);
