-- What hooks refuse, and how often, one row per hook and wording.
--
-- Refusals and questions with a record of their own, and refusals that only the error of the call
-- shows (recovered_denies). A wording is the reason with what it quotes left out, its first 80
-- characters. A burst is the same wording again and again in one thread, no more than five minutes
-- apart; three or more are a storm, the sign of a hook that fires too often or is not understood.
--
-- Columns:
--   hook              hook: its command without folders, else event and tool
--   signature         reason without what it quotes
--   blocks            blocked, and not by the word deny
--   denies            denied
--   asks              had a person asked
--   recovered_denies  refused calls that only their error shows
--   subagent_blocks   all of these in sub-agents
--   sessions          sessions with one
--   agent_threads     sub-agents with one
--   storm_threads     threads, main or sub-agent, with a burst of three or more
--   max_burst         the longest burst
--   events            events it was for
--   first_seen        time of the first
--   last_seen         time of the last
--
-- Totals: blocks, denies, asks, recovered_denies, subagent_blocks
--
-- Examples:
--   warehouse query hook-blocks --since 30d
--   warehouse query hook-blocks --hook 'PreToolUse:*' --limit 10

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE hook    = getvariable('hook')::VARCHAR;                                 -- glob for the hook or its event and tool, such as PreToolUse:* (default all)
SET VARIABLE "limit" = coalesce(getvariable('limit'), '50')::INTEGER;                -- rows to show

WITH refusals AS (
    SELECT
        host,
        agent,
        session_id,
        agent_id,
        project_path,
        timestamp,
        source_file,
        source_line,
        hook_event,
        hook_name,
        hook_label(command, hook_name) AS hook,
        tool_use_id,
        decision,
        reason
    FROM hook_blocks
    UNION ALL
    SELECT
        host,
        agent,
        session_id,
        agent_id,
        project_path,
        timestamp,
        source_file,
        source_line,
        hook_event,
        hook_event || ':' || denied_tool AS hook_name,
        -- A name from hook_deny_messages is shown as it is.
        CASE WHEN starts_with(d.hook_name, hook_event) THEN hook_label(command, d.hook_name) ELSE d.hook_name END AS hook,
        tool_use_id,
        'recovered' AS decision,
        reason
    FROM hook_denies AS d
),
signed AS (
    SELECT
        *,
        coalesce(session_id, '') || '/' || coalesce(agent_id, '') AS thread,
        coalesce(
            trim(regexp_replace(
                regexp_replace(
                    regexp_replace(reason[:2000], '"[^"\n]*"|`[^`\n]*`|“[^”\n]*”', '"…"', 'g'),
                    -- An apostrophe is no quote.
                    '(^|[\s(=:,])''[^''\n]+''',
                    '\1"…"',
                    'g'
                ),
                '\s+',
                ' ',
                'g'
            )),
            ''
        )[:80] AS signature
    FROM refusals
    WHERE date_filter(timestamp, getvariable('since'), getvariable('until'))
        AND project_filter(project_path, getvariable('project'))
        AND host_filter(host, getvariable('host'))
        AND agent_filter(agent, getvariable('agent'))
        AND session_filter(session_id, getvariable('session'))
        AND (getvariable('hook') IS NULL OR hook GLOB getvariable('hook') OR hook_name GLOB getvariable('hook'))
),
steps AS (
    SELECT
        *,
        coalesce(
            timestamp - lag(timestamp) OVER (PARTITION BY host, thread, hook, signature ORDER BY timestamp, source_file, source_line, tool_use_id) > INTERVAL '5 minutes',
            true
        ) AS is_first
    FROM signed
),
bursts AS (
    SELECT
        *,
        sum(is_first::INTEGER) OVER (PARTITION BY host, thread, hook, signature ORDER BY timestamp, source_file, source_line, tool_use_id) AS burst
    FROM steps
),
counted AS (
    SELECT
        *,
        count(*) OVER (PARTITION BY host, thread, hook, signature, burst) AS burst_length
    FROM bursts
)
SELECT
    hook,
    nullif(signature, '') AS signature,
    count(*) FILTER (decision = 'block') AS blocks,
    count(*) FILTER (decision = 'deny') AS denies,
    count(*) FILTER (decision = 'ask') AS asks,
    count(*) FILTER (decision = 'recovered') AS recovered_denies,
    count(agent_id) AS subagent_blocks,
    count(DISTINCT (host, session_id)) AS sessions,
    count(DISTINCT (host, thread)) FILTER (agent_id IS NOT NULL) AS agent_threads,
    count(DISTINCT (host, thread)) FILTER (burst_length >= 3) AS storm_threads,
    max(burst_length) AS max_burst,
    string_agg(DISTINCT hook_event, ', ' ORDER BY hook_event) AS events,
    min(timestamp) AS first_seen,
    max(timestamp) AS last_seen
FROM counted
GROUP BY hook, signature
ORDER BY count(*) DESC, hook, signature
LIMIT getvariable('limit');
