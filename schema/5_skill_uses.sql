-- Uses of skills, one row per use, whoever chose it.
--
-- A skill is called by a model (skill_calls), on its own or while it works under another skill, or
-- typed by a person as a slash command (command_markers). Arguments say nothing of who chose it.
--
-- A typed command is a skill where the machine's skill listings name it, a model called it, a line
-- is attributed to it, or the skill's text follows it ("Base directory for this skill:"); other
-- commands are not here. A bare name is the skill of that name, else the entry skill of the plugin
-- of that name (x:x), never a skill x of another plugin.
--
-- Columns:
--   host          machine the transcript comes from
--   agent         program that wrote it
--   session_id    session
--   agent_id      sub-agent that made the call, NULL in the main thread
--   project_path  working directory
--   timestamp     time of the call or command
--   source_file   transcript it was read from
--   source_line   line in it, from 1
--   skill_name    skill, with its plugin: plugin:skill
--   chosen_by     model, skill where another skill led to it, or person
--   args          arguments
--   tool_id       id of the call, NULL for a typed command
--   is_error      true where the call failed or was refused
CREATE OR REPLACE VIEW skill_uses AS
WITH listed AS (
    SELECT DISTINCT host, name
    FROM (
        SELECT
            host,
            unnest(CASE
                WHEN json_type(attachment, '$.names') = 'ARRAY' THEN json_extract_string(attachment, '$.names[*]')
                ELSE regexp_extract_all(json_extract_string(attachment, '$.content'), '(?m)^- ([\w.-]+(?::[\w.-]+)*): ', 1)
            END) AS name
        FROM attachments
        WHERE kind = 'skill_listing'
    )
),
bodies AS (
    SELECT source_file, source_line
    FROM content_items
    WHERE is_meta
        AND record_type = 'user'
        AND item_type = 'text'
        AND source_tool_use_id IS NULL
        AND starts_with(text, 'Base directory for this skill:')
),
uses AS (
    SELECT
        host, agent, session_id, agent_id, project_path, timestamp, source_file, source_line,
        skill_name AS name,
        CASE WHEN attribution_skill <> skill_name THEN 'skill' ELSE 'model' END AS chosen_by,
        args, tool_id, is_error
    FROM skill_calls
    UNION ALL
    SELECT
        host, agent, session_id, NULL, project_path, timestamp, source_file, source_line,
        command, 'person', args, NULL, NULL
    FROM command_markers
),
resolved AS (
    SELECT
        uses.*,
        CASE
            WHEN bare.name IS NULL AND entry.name IS NOT NULL THEN entry.name
            ELSE uses.name
        END AS skill_name,
        bare.name IS NOT NULL OR entry.name IS NOT NULL AS is_listed
    FROM uses
    LEFT JOIN listed AS bare ON bare.host = uses.host AND bare.name = uses.name
    LEFT JOIN listed AS entry ON entry.host = uses.host AND entry.name = uses.name || ':' || uses.name
),
known AS (
    SELECT host, skill_name FROM resolved WHERE chosen_by <> 'person'
    UNION
    SELECT host, attribution_skill FROM content_items WHERE attribution_skill IS NOT NULL
)
SELECT
    host,
    agent,
    session_id,
    agent_id,
    project_path,
    timestamp,
    source_file,
    source_line,
    skill_name,
    chosen_by,
    args,
    tool_id,
    is_error
FROM resolved
WHERE chosen_by <> 'person'
    OR is_listed
    OR (host, skill_name) IN (SELECT (host, skill_name) FROM known)
    OR EXISTS (
        SELECT 1
        FROM bodies
        WHERE bodies.source_file = resolved.source_file
            AND bodies.source_line BETWEEN resolved.source_line + 1 AND resolved.source_line + 2
    );
