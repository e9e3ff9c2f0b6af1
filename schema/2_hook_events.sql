-- What hooks did, one row per record that a hook left.
--
-- Three eras, by kind:
--   hook_message, hook_running  1.0.72 to 1.0.83, and 2.1.222 for a prompt that a hook refused: a
--     system record whose text says that a hook finished, failed, was cancelled or refused, or that
--     it is running
--   hook_progress  2.1.9 to 2.1.63: a hook began; how it ended is not recorded
--   hook_success, hook_blocking_error, …  2.1.90 and later: attachments, by their type
-- Only attachments know how long a hook took. A refusal of a tool call often leaves none (see
-- hook_denies), and a Stop hook without output none either (see stop_hook_runs). One run can leave
-- several records: hook_success, and hook_additional_context for what it gave the model.
--
-- stdout is any text. Where it is a JSON object, decision, reason and additional context are read
-- from it, after those of the attachment itself. Copies of a record are one row.
--
-- Columns:
--   host                machine the transcript comes from
--   agent               program that wrote it
--   session_id          session
--   agent_id            sub-agent of the line, NULL in the main thread
--   project_path        working directory
--   timestamp           time of the record
--   source_file         transcript
--   source_line         line in it, from 1
--   version             version of the agent program
--   kind                hook_success, hook_additional_context, hook_blocking_error, …, see above
--   hook_event          event: PreToolUse, Stop, SessionStart, …
--   hook_name           event with the tool or source that matched: PreToolUse:Bash
--   command             command of the hook; callback for one inside the program
--   tool_use_id         tool call it is about, or another identity of the moment
--   exit_code           exit code
--   duration_ms         how long it took, milliseconds; NULL where the record does not say
--   decision            block, deny, ask, allow, approve, …: what the hook decided; NULL for none
--   reason              why, in the hook's words, else what it wrote to stderr
--   additional_context  what it gave the model to read
--   blocked             true where it stopped something, false where it let pass or asked; NULL where
--                       it decided nothing, which is most of the time
--   stdout              what it wrote to stdout
--   stderr              what it wrote to stderr
--   content             text of the record
--   blocking_error      text of a blocking error as recorded, [command] in front
--   attachment          the attachment as JSON, of hook_progress its data; NULL for a message
CREATE OR REPLACE VIEW hook_events AS
WITH lines AS (
    SELECT
        *,
        type = 'system' AS is_message,
        from_json(data, '{"content": "VARCHAR", "toolUseID": "VARCHAR", "parentToolUseID": "VARCHAR",
            "data": {"hookEvent": "VARCHAR", "hookName": "VARCHAR", "command": "VARCHAR"},
            "attachment": {"hookEvent": "VARCHAR", "hookName": "VARCHAR", "toolUseID": "VARCHAR", "command": "VARCHAR",
                "exitCode": "VARCHAR", "durationMs": "VARCHAR", "stdout": "VARCHAR", "stderr": "VARCHAR", "content": "VARCHAR",
                "message": "VARCHAR", "decision": "VARCHAR", "permissionDecision": "VARCHAR", "reason": "VARCHAR",
                "hookSpecificOutput": {"permissionDecision": "VARCHAR"},
                "response": "VARCHAR", "blockingError": "VARCHAR"}}') AS line
    FROM event_lines
    ANTI JOIN replays USING (source_file, source_line)
    WHERE (type = 'attachment' AND (starts_with(attachment_type, 'hook_') OR attachment_type = 'async_hook_response'))
        OR type = 'progress'
        OR (type = 'system' AND (subtype IS NULL OR subtype = 'informational'))
),
-- A message is "PostToolUse:Edit [gofmt -l .] completed successfully: …", the name in bold.
plain AS (
    SELECT
        *,
        CASE WHEN is_message THEN regexp_replace(line.content, '\x1b\[[0-9;]*m?', '', 'g') END AS message
    FROM lines
),
parts AS (
    SELECT
        *,
        CASE WHEN is_message THEN
            regexp_extract(
                message,
                '(?s)^(Running )?([A-Za-z]+(?::[^\s\[\]]+?)?)(?: \[(.*?)\] (completed successfully|cancelled|failed[^:\n]*)|( operation blocked by hook):\s*(?:- )?(?:\[(.*?)\]: )?|\.\.\.$)(?:: *)?(.*)$',
                ['running', 'name', 'command', 'outcome', 'refused', 'refusing', 'rest']
            )
        END AS said
    FROM plain
),
-- The texts that may be JSON.
texts AS (
    SELECT
        *,
        CASE
            WHEN NOT is_message THEN line.attachment.stdout
            WHEN said.outcome = 'completed successfully' THEN nullif(said.rest, '')
        END AS stdout,
        CASE
            WHEN NOT is_message THEN line.attachment.stderr
            WHEN said.outcome LIKE 'failed%' THEN nullif(said.rest, '')
        END AS stderr,
        CASE
            WHEN is_message AND said.refused <> '' THEN trim(regexp_replace(said.rest, '(?s)\s*Original prompt: .*$', ''), E' \n')
            WHEN json_valid(line.attachment.blockingError) AND json_type(line.attachment.blockingError) = 'OBJECT' THEN
                coalesce(
                    json_extract_string(line.attachment.blockingError, '$.blockingError.blockingError'),
                    json_extract_string(line.attachment.blockingError, '$.blockingError')
                )
            ELSE line.attachment.blockingError
        END AS blocking_error,
        coalesce(
            line.attachment.command,
            line.data.command,
            nullif(said.command, ''),
            nullif(said.refusing, ''),
            CASE WHEN json_valid(line.attachment.blockingError) THEN json_extract_string(line.attachment.blockingError, '$.command') END
        ) AS command
    FROM parts
    WHERE NOT is_message OR said.name <> ''
),
answers AS (
    SELECT
        *,
        try_cast(CASE
            WHEN starts_with(ltrim(stdout, E' \n\t\r'), '{') THEN stdout
            WHEN starts_with(line.attachment.response, '{') THEN line.attachment.response
        END AS JSON) AS answer,
        CASE
            WHEN starts_with(blocking_error, '[' || command || ']: ') THEN blocking_error[length(command) + 5:]
            ELSE blocking_error
        END AS refusal
    FROM texts
),
decided AS (
    SELECT
        *,
        coalesce(
            line.attachment.permissionDecision,
            line.attachment.decision,
            line.attachment.hookSpecificOutput.permissionDecision,
            json_extract_string(answer, '$.hookSpecificOutput.permissionDecision'),
            json_extract_string(answer, '$.hookSpecificOutput.decision.behavior'),
            json_extract_string(answer, '$.permissionDecision'),
            json_extract_string(answer, '$.decision')
        ) AS answered,
        -- What is no word is no decision.
        CASE WHEN regexp_matches(answered, '^[A-Za-z_-]+$') THEN answered END AS decision,
        try_cast(CASE WHEN starts_with(refusal, '{') THEN refusal END AS JSON) AS refusal_json
    FROM answers
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
    version,
    CASE
        WHEN type = 'attachment' THEN attachment_type
        WHEN type = 'progress' THEN 'hook_progress'
        WHEN said.running <> '' THEN 'hook_running'
        ELSE 'hook_message'
    END AS kind,
    coalesce(line.attachment.hookEvent, line.data.hookEvent, split_part(coalesce(line.attachment.hookName, line.data.hookName, said.name), ':', 1)) AS hook_event,
    coalesce(line.attachment.hookName, line.data.hookName, said.name, line.attachment.hookEvent, line.data.hookEvent) AS hook_name,
    command,
    coalesce(line.attachment.toolUseID, line.toolUseID, line.parentToolUseID) AS tool_use_id,
    try_cast(coalesce(line.attachment.exitCode, nullif(regexp_extract(said.outcome, 'status code (\d+)', 1), '')) AS INTEGER) AS exit_code,
    try_cast(line.attachment.durationMs AS BIGINT) AS duration_ms,
    decision,
    coalesce(
        json_extract_string(refusal_json, '$.hookSpecificOutput.permissionDecisionReason'),
        json_extract_string(refusal_json, '$.reason'),
        nullif(refusal, ''),
        line.attachment.reason,
        json_extract_string(answer, '$.hookSpecificOutput.permissionDecisionReason'),
        json_extract_string(answer, '$.hookSpecificOutput.decision.message'),
        json_extract_string(answer, '$.reason'),
        line.attachment.message,
        json_extract_string(answer, '$.stopReason'),
        nullif(stderr, '')
    ) AS reason,
    CASE
        WHEN attachment_type = 'hook_additional_context' THEN
            CASE
                WHEN starts_with(line.attachment.content, '[') THEN array_to_string(json_extract_string(data, '$.attachment.content[*]'), chr(10))
                ELSE line.attachment.content
            END
        -- What these print is given to the model as it is.
        WHEN answer IS NULL AND attachment_type = 'hook_success' AND line.attachment.hookEvent IN ('SessionStart', 'UserPromptSubmit') THEN
            nullif(line.attachment.content, '')
        ELSE json_extract_string(answer, '$.hookSpecificOutput.additionalContext')
    END AS additional_context,
    CASE
        WHEN attachment_type IN ('hook_blocking_error', 'hook_stopped_continuation') THEN true
        WHEN said.refused <> '' THEN true
        WHEN decision IN ('block', 'deny') THEN true
        WHEN json_extract_string(answer, '$.continue') = 'false' THEN true
        WHEN decision IN ('allow', 'approve', 'ask') THEN false
    END AS blocked,
    stdout,
    stderr,
    CASE
        WHEN is_message THEN message
        WHEN attachment_type = 'hook_additional_context' AND starts_with(line.attachment.content, '[') THEN
            array_to_string(json_extract_string(data, '$.attachment.content[*]'), chr(10))
        ELSE coalesce(line.attachment.content, line.attachment.message)
    END AS content,
    blocking_error,
    CASE
        WHEN type = 'attachment' THEN json_extract(data, '$.attachment')
        WHEN type = 'progress' THEN json_extract(data, '$.data')
    END AS attachment
FROM decided;
