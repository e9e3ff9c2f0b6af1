-- Skills that models called, one row per call of the tool Skill.
--
-- The name is the input's skill (seen in 2.0.74 to 2.1.237), in older versions its command,
-- without a leading slash; a call that names none is left out. A skill that a person typed as a
-- slash command has no call: see command_markers.
--
-- Columns:
--   host               machine the transcript comes from
--   agent              program that wrote it
--   session_id         session
--   agent_id           sub-agent that made the call, NULL in the main thread
--   project_path       working directory
--   timestamp          time of the call
--   source_file        transcript the call was read from
--   source_line        line in it, from 1
--   tool_id            id of the call
--   call_key           what a call and its result share
--   model              model that made the call
--   skill_name         skill, with its plugin: plugin:skill
--   args               arguments of the call
--   is_error           true where the call failed or was refused; NULL where it was never answered
--   denial_kind        why it was refused
--   attribution_skill  skill under which the call was made, NULL where there was none
CREATE OR REPLACE VIEW skill_calls AS
SELECT
    host,
    agent,
    session_id,
    agent_id,
    project_path,
    timestamp,
    source_file,
    source_line,
    tool_id,
    call_key,
    model,
    skill_name,
    args,
    is_error,
    denial_kind,
    attribution_skill
FROM (
    SELECT
        *,
        nullif(ltrim(trim(CASE
            WHEN json_type(input, '$.skill') = 'VARCHAR' THEN json_extract_string(input, '$.skill')
            WHEN json_type(input, '$.command') = 'VARCHAR' THEN json_extract_string(input, '$.command')
        END), '/'), '') AS skill_name,
        nullif(json_extract_string(input, '$.args'), '') AS args
    FROM tool_runs
    WHERE tool_name = 'Skill'
)
WHERE skill_name IS NOT NULL;
