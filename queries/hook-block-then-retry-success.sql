-- Refusals of hooks that a second try got past, one row per machine and hook.
--
-- After a refusal the same hook let the same kind of call pass, in the same thread and within the
-- time given: the tool was called again and nothing stopped it. For a Stop hook it is the next
-- stop that nothing refused, whichever hooks ran. A hook with a high share costs a turn each time
-- and rarely changes the outcome. Refusals found by the error of the call count; where hooks leave
-- no record of letting pass, as before 2.1.90, no success can be seen.
--
-- Columns:
--   host                 machine the transcript comes from
--   hook                 hook: its command without folders, else event and tool
--   total_blocks         refusals
--   followed_by_success  refusals with a success soon after
--   retry_pct            those in a hundred refusals
--
-- Totals: total_blocks, followed_by_success
--
-- Examples:
--   warehouse query hook-block-then-retry-success --since 30d
--   warehouse query hook-block-then-retry-success --within-seconds 60

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE hook    = getvariable('hook')::VARCHAR;                                 -- glob for the hook or its event and tool, such as PreToolUse:* (default all)
SET VARIABLE within_seconds = coalesce(getvariable('within_seconds'), '300')::INTEGER;   -- how soon the success comes
SET VARIABLE "limit" = coalesce(getvariable('limit'), '100')::INTEGER;               -- rows to show

WITH named AS (
    SELECT
        *,
        coalesce(label, hook_label(command, hook_name)) AS hook,
        coalesce(session_id, '') || '/' || coalesce(agent_id, '') AS thread,
        hook_event IN ('Stop', 'SubagentStop') AS is_stop,
        CASE WHEN is_stop THEN hook_event ELSE hook_name END AS subject,
        -- NULL where any hook of the subject will do.
        CASE WHEN NOT is_stop THEN command END AS known,
        coalesce(tool_use_id, source_file || '/' || source_line) AS moment
    FROM hook_runs
    WHERE outcome IN ('ok', 'block')
),
-- A pass answers refusals of its hook, and those that name none; one that names none answers all.
passed AS (
    SELECT
        host,
        thread,
        subject,
        timestamp,
        unnest(['any', coalesce('of ' || hook_label(known, ''), 'unknown')]) AS answers
    FROM named
    -- What one hook lets pass another one may stop.
    QUALIFY NOT bool_or(outcome = 'block') OVER (PARTITION BY host, thread, subject, moment)
),
blocked AS (
    SELECT
        *,
        unnest(CASE WHEN known IS NULL THEN ['any'] ELSE ['of ' || hook_label(known, ''), 'unknown'] END) AS asks
    FROM named
    WHERE outcome = 'block'
        AND date_filter(timestamp, getvariable('since'), getvariable('until'))
        AND project_filter(project_path, getvariable('project'))
        AND host_filter(host, getvariable('host'))
        AND agent_filter(agent, getvariable('agent'))
        AND session_filter(session_id, getvariable('session'))
        AND (getvariable('hook') IS NULL OR hook GLOB getvariable('hook') OR hook_name GLOB getvariable('hook'))
),
retried AS (
    SELECT
        b.host,
        b.hook,
        b.source_file,
        b.source_line,
        b.moment,
        coalesce(bool_or(p.timestamp <= b.timestamp + to_seconds(getvariable('within_seconds'))), false) AS is_passed
    FROM blocked AS b
    ASOF LEFT JOIN passed AS p
        ON p.host = b.host
            AND p.thread = b.thread
            AND p.subject = b.subject
            AND p.answers = b.asks
            AND p.timestamp > b.timestamp
    GROUP BY b.host, b.hook, b.source_file, b.source_line, b.moment
)
SELECT
    host,
    hook,
    count(*) AS total_blocks,
    count(*) FILTER (is_passed) AS followed_by_success,
    (100 * followed_by_success / total_blocks)::DECIMAL(5, 1) AS retry_pct
FROM retried
GROUP BY host, hook
ORDER BY total_blocks DESC, host, hook
LIMIT getvariable('limit');
