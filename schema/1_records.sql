-- Every line, one row per line.
--
-- Blank and broken lines are here too, with NULL where a record would say something; a torn last
-- line is not, since the agent may still be writing it (see broken_lines). kind is the type with
-- the subtype of a system record or the type of an attachment behind it.
--
-- Columns:
--   host             machine the transcript comes from
--   agent            program that wrote it
--   session_id       session of the line, else of its file
--   agent_id         sub-agent, NULL in the main thread
--   project_path     working directory
--   timestamp        time of the record
--   git_branch       branch checked out
--   source_file      transcript
--   source_line      line in it, from 1
--   is_meta          true on lines the program wrote for the model
--   is_sidechain     true on lines of a sub-agent
--   type             record type
--   subtype          subtype of a system record
--   attachment_kind  attachment.type of an attachment record
--   kind             type:subtype or type:attachment.type
--   uuid             identity of the record
--   parent_uuid      record this one follows
--   permission_mode  permission mode the line names
--   version          version of the agent program
--   slug             three-word name of the session
--   parse_status     ok, repaired, invalid or blank
--   data             the line as JSON
CREATE OR REPLACE VIEW records AS
SELECT
    host,
    agent,
    session_id,
    agent_id,
    project_path,
    timestamp,
    git_branch,
    source_file,
    source_line,
    is_meta,
    is_sidechain,
    type,
    subtype,
    attachment_type AS attachment_kind,
    concat_ws(':', type, CASE WHEN type = 'attachment' THEN attachment_type ELSE subtype END) AS kind,
    uuid,
    parent_uuid,
    permission_mode,
    version,
    slug,
    parse_status,
    data
FROM raw
WHERE parse_status <> 'torn';
