-- Hooks, how often they ran, what they stopped and how long they took, one row per hook.
--
-- Counted are the runs that transcripts tell of: records of hooks, rosters of stops, and errors of
-- calls that a hook refused. A hook is its command without folders; one without a known command is
-- its event and tool. Times are recorded since 2.1.88, outcomes not from 2.1.9 to 2.1.63: a run
-- without one counts as a run, and for nothing else here.
--
-- A slow machine makes every hook slow. The ambient time of an hour is the median, over the other
-- hooks of the machine, of their median times in it; there are at least three of them, and what
-- the report leaves out counts for it. excess_p95_ms is what remains of a run's time above it.
--
-- Columns:
--   hook            hook
--   events          events it ran for
--   runs            runs
--   blocks          runs that stopped something
--   asks            runs that had a person asked
--   errors          runs that failed and stopped nothing
--   cancelled       runs that were cancelled or took too long
--   context_adds    runs that gave the model something to read
--   friction_pct    blocks and asks in a hundred runs whose outcome is known
--   p50_ms          median time, milliseconds
--   p95_ms          time that 95 in a hundred runs do not exceed, milliseconds
--   ambient_p50_ms  median of the ambient time of its runs, milliseconds
--   excess_p95_ms   excess over it that 95 in a hundred runs do not exceed, milliseconds
--   last_seen       time of the last run
--
-- Totals: runs, blocks, asks, errors, cancelled, context_adds
-- Chart: hook, runs
--
-- Examples:
--   warehouse query hooks --since 30d
--   warehouse query hooks --event PreToolUse --hook '*.sh'

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE event   = getvariable('event')::VARCHAR;                                -- hook event, such as PreToolUse (default all)
SET VARIABLE hook    = getvariable('hook')::VARCHAR;                                 -- glob for the hook or its event and tool, such as PreToolUse:* (default all)
SET VARIABLE "limit" = coalesce(getvariable('limit'), '100')::INTEGER;               -- rows to show

WITH named AS (
    SELECT
        *,
        coalesce(label, hook_label(command, hook_name)) AS hook,
        epoch_ms(timestamp) // 3600000 AS hour
    FROM hook_runs
),
hourly AS (
    SELECT
        host,
        hour,
        hook,
        median(duration_ms) AS p50_ms
    FROM named
    WHERE duration_ms IS NOT NULL AND hour IS NOT NULL
    GROUP BY host, hour, hook
),
ambient AS (
    SELECT
        own.host,
        own.hour,
        own.hook,
        median(peer.p50_ms) AS ambient_ms
    FROM hourly AS own
    JOIN hourly AS peer ON peer.host = own.host AND peer.hour = own.hour AND peer.hook <> own.hook
    GROUP BY own.host, own.hour, own.hook
    HAVING count(*) >= 3
)
SELECT
    hook,
    string_agg(DISTINCT hook_event, ', ' ORDER BY hook_event) AS events,
    count(*) AS runs,
    count(*) FILTER (outcome = 'block') AS blocks,
    count(*) FILTER (outcome = 'ask') AS asks,
    count(*) FILTER (outcome = 'error') AS errors,
    count(*) FILTER (outcome = 'cancelled') AS cancelled,
    count(*) FILTER (has_context) AS context_adds,
    (100 * (blocks + asks) / nullif(count(outcome), 0))::DECIMAL(5, 1) AS friction_pct,
    round(quantile_cont(duration_ms, 0.5))::BIGINT AS p50_ms,
    round(quantile_cont(duration_ms, 0.95))::BIGINT AS p95_ms,
    round(median(ambient_ms) FILTER (duration_ms IS NOT NULL))::BIGINT AS ambient_p50_ms,
    round(quantile_cont(duration_ms - ambient_ms, 0.95))::BIGINT AS excess_p95_ms,
    max(timestamp) AS last_seen
FROM named
LEFT JOIN ambient USING (host, hour, hook)
WHERE date_filter(timestamp, getvariable('since'), getvariable('until'))
    AND project_filter(project_path, getvariable('project'))
    AND host_filter(host, getvariable('host'))
    AND agent_filter(agent, getvariable('agent'))
    AND session_filter(session_id, getvariable('session'))
    AND (getvariable('event') IS NULL OR lower(hook_event) = lower(getvariable('event')))
    AND (getvariable('hook') IS NULL OR hook GLOB getvariable('hook') OR hook_name GLOB getvariable('hook'))
GROUP BY hook
ORDER BY runs DESC, hook
LIMIT getvariable('limit');
