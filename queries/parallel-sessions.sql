-- How many sessions ran at once, one row per day.
--
-- A session runs from one of its records to the next where they are at most 5 minutes apart,
-- sub-agents included; a record alone takes no time. Copies are left out.
--
-- Columns:
--   day               day in the zone of the session (--tz)
--   sessions          sessions with a record
--   peak_sessions     most that ran at once
--   peak_at           when that began
--   session_minutes   minutes that sessions ran, added up
--   busy_minutes      minutes in which at least one ran
--   parallel_minutes  minutes in which two or more ran
--   parallel_pct      those in a hundred busy minutes
--
-- Totals: session_minutes, busy_minutes, parallel_minutes
-- Chart: day, peak_sessions
--
-- Examples:
--   warehouse query parallel-sessions --since 14d
--   warehouse query parallel-sessions --since 14d --chart

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = getvariable('limit')::INTEGER;                                -- rows to show (default all)

WITH records AS (
    SELECT
        host,
        agent,
        session_id,
        timestamp,
        lag(timestamp) OVER (PARTITION BY host, agent, session_id ORDER BY timestamp) AS before
    FROM raw
    ANTI JOIN replays USING (source_file, source_line)
    WHERE type IN ('user', 'assistant')
        AND timestamp IS NOT NULL
        AND session_id IS NOT NULL
        AND parse_status <> 'torn'
        AND date_filter(timestamp, getvariable('since'), getvariable('until'))
        AND project_filter(project_path, getvariable('project'))
        AND host_filter(host, getvariable('host'))
        AND agent_filter(agent, getvariable('agent'))
        AND session_filter(session_id, getvariable('session'))
),
-- A session that goes on opens a span where it began to run and closes it where it came to rest.
edges AS (
    SELECT
        timestamp AS moment,
        CASE WHEN is_begin THEN 1 ELSE -1 END AS change
    FROM (
        SELECT
            timestamp,
            before IS NULL OR timestamp - before > INTERVAL 5 minutes AS is_begin,
            lead(timestamp) OVER in_order IS NULL OR lead(timestamp) OVER in_order - timestamp > INTERVAL 5 minutes AS is_end
        FROM records
        WINDOW in_order AS (PARTITION BY host, agent, session_id ORDER BY timestamp)
    )
    WHERE is_begin <> is_end
),
levels AS (
    SELECT
        moment,
        lead(moment) OVER (ORDER BY moment) AS next_moment,
        sum(sum(change)) OVER (ORDER BY moment)::BIGINT AS running
    FROM edges
    GROUP BY moment
),
-- What runs over midnight has its part on each day.
parts AS (
    SELECT
        day::DATE AS day,
        running,
        greatest(moment, day) AS part_from,
        least(next_moment, day + INTERVAL 1 day) AS part_until
    FROM (
        SELECT
            *,
            unnest(generate_series(date_trunc('day', moment), date_trunc('day', next_moment), INTERVAL 1 day)) AS day
        FROM levels
        WHERE running > 0
    )
    WHERE least(next_moment, day + INTERVAL 1 day) > greatest(moment, day)
),
ran AS (
    SELECT
        day,
        max(running) AS peak_sessions,
        arg_max(part_from, (running, -epoch_us(part_from))) AS peak_at,
        sum(running * epoch(part_until - part_from)) / 60 AS session_minutes,
        sum(epoch(part_until - part_from)) / 60 AS busy_minutes,
        coalesce(sum(epoch(part_until - part_from)) FILTER (running > 1), 0) / 60 AS parallel_minutes
    FROM parts
    GROUP BY day
),
seen AS (
    SELECT timestamp::DATE AS day, count(DISTINCT (host, agent, session_id)) AS sessions
    FROM records
    GROUP BY day
)
SELECT
    day,
    coalesce(sessions, 0) AS sessions,
    coalesce(peak_sessions, 1) AS peak_sessions,
    peak_at,
    coalesce(session_minutes, 0)::DECIMAL(18, 1) AS session_minutes,
    coalesce(busy_minutes, 0)::DECIMAL(18, 1) AS busy_minutes,
    coalesce(parallel_minutes, 0)::DECIMAL(18, 1) AS parallel_minutes,
    (100 * parallel_minutes / nullif(busy_minutes, 0))::DECIMAL(5, 1) AS parallel_pct
FROM seen
FULL JOIN ran USING (day)
ORDER BY day DESC
LIMIT getvariable('limit');
