-- How long plans are when first presented and when last, one row per ISO week.
--
-- A session belongs to the week of its last plan in the time asked for; of each session the first
-- and the last plan count, which are the same where there is one. Plans whose text is not known are
-- left out.
--
-- Columns:
--   week                   Monday of the week, in the zone of the session (--tz)
--   plan_sessions          sessions with a plan
--   first_p50              median length of first plans, characters
--   first_p90              nine in ten first plans are no longer
--   final_p50              median length of last plans
--   final_p90              nine in ten last plans are no longer
--   finals_over_threshold  last plans longer than --threshold
--   finals_near_threshold  last plans within a tenth below it
--
-- Totals: plan_sessions, finals_over_threshold, finals_near_threshold
-- Chart: week, final_p50
--
-- Examples:
--   warehouse query plan-sizes --since 90d
--   warehouse query plan-sizes --threshold 8000

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = getvariable('limit')::INTEGER;                                -- rows to show (default all)
SET VARIABLE threshold = coalesce(getvariable('threshold'), '12000')::INTEGER;       -- length that is too long, characters

SELECT
    date_trunc('week', last_plan_at)::DATE AS week,
    count(*) AS plan_sessions,
    round(quantile_cont(first_chars, 0.5))::BIGINT AS first_p50,
    round(quantile_cont(first_chars, 0.9))::BIGINT AS first_p90,
    round(quantile_cont(final_chars, 0.5))::BIGINT AS final_p50,
    round(quantile_cont(final_chars, 0.9))::BIGINT AS final_p90,
    count(*) FILTER (final_chars > getvariable('threshold')) AS finals_over_threshold,
    count(*) FILTER (final_chars > 0.9 * getvariable('threshold') AND final_chars <= getvariable('threshold')) AS finals_near_threshold
FROM (
    SELECT
        max(timestamp) AS last_plan_at,
        arg_min(plan_chars, plan_seq) AS first_chars,
        arg_max(plan_chars, plan_seq) AS final_chars
    FROM plan_calls
    WHERE plan_chars IS NOT NULL
        AND date_filter(timestamp, getvariable('since'), getvariable('until'))
        AND project_filter(project_path, getvariable('project'))
        AND host_filter(host, getvariable('host'))
        AND agent_filter(agent, getvariable('agent'))
        AND session_filter(session_id, getvariable('session'))
    GROUP BY host, agent, session_id
)
GROUP BY week
ORDER BY week DESC NULLS LAST
LIMIT getvariable('limit');
