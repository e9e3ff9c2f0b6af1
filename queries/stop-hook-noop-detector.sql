-- Stop hooks, what they cost and whether they ever did something, one row per machine and command.
--
-- Runs from the rosters of stops put together with the records that hooks left: a hook that fires at
-- every stop, takes its time, and has zeros behind it is one to remove or to narrow. Queued prompts
-- in a roster are no hooks. A record of a stop whose roster is not there is a run as well.
--
-- Some transcripts do not say which hook refused a stop or ended the turn. gated_stops counts every
-- such stop whose roster has the hook, unless another one is named for it: zero there means that
-- this hook never did it. Refusals without a command are a row with an empty one.
--
-- Columns:
--   host           machine the transcript comes from
--   command        command, its first 120 characters on one line; callback for one inside the program
--   fires          runs
--   total_ms       time of those that are timed, milliseconds
--   events         runs with a record of their own
--   with_stdout    of these, runs that wrote something to stdout
--   with_decision  runs that decided something
--   nonzero_exit   runs with an exit code other than 0
--   blocks         runs that refused the stop
--   gated_stops    stops refused or cut short that may be this hook's
--
-- Totals: fires, total_ms, events, with_stdout, with_decision, nonzero_exit, blocks
--
-- Examples:
--   warehouse query stop-hook-noop-detector --since 30d

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = coalesce(getvariable('limit'), '100')::INTEGER;               -- rows to show

WITH gates AS (
    SELECT
        host,
        session_id,
        tool_use_id,
        bool_or(prevented_continuation) AS is_prevented
    FROM stop_hook_runs
    GROUP BY host, session_id, tool_use_id
),
runs AS (
    SELECT
        host,
        command,
        kind,
        duration_ms,
        has_output,
        decision,
        exit_code,
        outcome,
        session_id || '/' || coalesce(tool_use_id, source_file || '/' || source_line) AS stop,
        coalesce(is_prevented, false) AS is_prevented
    FROM hook_runs
    LEFT JOIN gates USING (host, session_id, tool_use_id)
    WHERE hook_event IN ('Stop', 'SubagentStop')
        AND date_filter(timestamp, getvariable('since'), getvariable('until'))
        AND project_filter(project_path, getvariable('project'))
        AND host_filter(host, getvariable('host'))
        AND agent_filter(agent, getvariable('agent'))
        AND session_filter(session_id, getvariable('session'))
),
stops AS (
    SELECT
        *,
        bool_or(is_prevented OR outcome = 'block') OVER (PARTITION BY host, stop) AS is_gated,
        bool_or(command IS NOT NULL AND outcome = 'block') OVER (PARTITION BY host, stop) AS is_named
    FROM runs
)
SELECT
    host,
    regexp_replace(command[:500], '\s+', ' ', 'g')[:120] AS command,
    count(*) AS fires,
    sum(duration_ms)::BIGINT AS total_ms,
    count(*) FILTER (kind NOT IN ('stop_hook_summary', 'hook_progress')) AS events,
    count(*) FILTER (has_output) AS with_stdout,
    count(decision) AS with_decision,
    count(*) FILTER (exit_code <> 0) AS nonzero_exit,
    count(*) FILTER (outcome = 'block') AS blocks,
    count(DISTINCT stop) FILTER (is_gated AND (outcome = 'block' OR NOT coalesce(is_named, false))) AS gated_stops
FROM stops
GROUP BY ALL
ORDER BY total_ms DESC NULLS LAST, fires DESC, host, command
LIMIT getvariable('limit');
