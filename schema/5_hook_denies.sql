-- Tool calls that a hook refused, found by the call's error, one row per call.
--
-- A PreToolUse hook that refuses a call often leaves no record of its own. The call's error is in
-- the program's words ("PreToolUse:Bash hook error: [guard.sh]: …" for an exit code of 2, and since
-- September 2026 for an answer in JSON too; "Hook PreToolUse:Bash denied this tool"; "Execution
-- stopped by PreToolUse hook: …"; "Permission denied by hook"; in 1.0 "PreToolUse:Bash operation
-- blocked by hook: …"), or in the hook's own, which hook_deny_messages knows by their beginning.
-- What hook_blocks has is left out, so the two can be put together.
--
-- Columns:
--   host            machine the transcript comes from
--   agent           program that wrote it
--   session_id      session of the error
--   agent_id        sub-agent, NULL in the main thread
--   project_path    working directory
--   timestamp       time of the error
--   source_file     transcript of the error
--   source_line     line in it, from 1
--   hook_event      PreToolUse, or PermissionRequest where the error says so
--   hook_name       name in hook_deny_messages, else event and tool: PreToolUse:Bash
--   command         command of the hook, where the error names it
--   tool_use_id     id of the call
--   denied_tool     tool called
--   denied_command  command of a shell call
--   reason          why, in the hook's words
CREATE OR REPLACE VIEW hook_denies AS
WITH errors AS (
    SELECT
        *,
        regexp_extract(
            regexp_replace(error_content[:4000], '^(<tool_use_error>|Error: )+', ''),
            '(?s)^(?:((?:PreToolUse|PermissionRequest)(?::\S+)?) (?:hook error|hook returned blocking error|hook blocking error|operation blocked by hook):\s*(?:- )?|Hook ((?:PreToolUse|PermissionRequest)(?::\S+)?) denied this tool(?:: )?|(Execution stopped by PreToolUse hook)(?:: )?|(Permission denied by hook)(?:: )?)?(?:\[(.*?)\]: )?(.*?)(?:</tool_use_error>)?\s*$',
            ['failed', 'denied', 'stopped', 'refused', 'command', 'text']
        ) AS said
    FROM tool_errors
    WHERE denial_kind IS DISTINCT FROM 'user-rejected'
),
wrapped AS (
    SELECT
        *,
        said.failed <> '' OR said.denied <> '' OR said.stopped <> '' OR said.refused <> '' AS is_wrapped,
        -- The program puts brackets around a command; a hook's own words may begin with some.
        CASE WHEN is_wrapped THEN nullif(said.command, '') END AS hook_command,
        CASE
            WHEN is_wrapped THEN said.text
            ELSE regexp_replace(error_content[:4000], '^(<tool_use_error>|Error: )+', '')
        END AS words,
        CASE
            WHEN said.refused <> '' THEN 'PermissionRequest:' || tool_name
            ELSE coalesce(nullif(said.failed, ''), nullif(said.denied, ''), 'PreToolUse:' || tool_name)
        END AS called
    FROM errors
),
matched AS (
    SELECT
        w.*,
        m.prefix,
        m.hook
    FROM wrapped AS w
    LEFT JOIN hook_deny_messages AS m ON starts_with(w.words, m.prefix)
    WHERE w.is_wrapped OR m.prefix IS NOT NULL
    QUALIFY row_number() OVER (
        PARTITION BY w.source_file, w.source_line, w.tool_id
        ORDER BY
            m.source = 'own' DESC NULLS LAST,
            length(m.prefix) DESC NULLS LAST,
            m.prefix
    ) = 1
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
    split_part(called, ':', 1) AS hook_event,
    coalesce(hook, called) AS hook_name,
    hook_command AS command,
    tool_id AS tool_use_id,
    tool_name AS denied_tool,
    matched.command AS denied_command,
    nullif(words, '') AS reason
FROM matched
ANTI JOIN (SELECT DISTINCT session_id, tool_use_id FROM hook_blocks WHERE tool_use_id IS NOT NULL) AS recorded
    ON recorded.session_id = matched.session_id AND recorded.tool_use_id = matched.tool_id;
