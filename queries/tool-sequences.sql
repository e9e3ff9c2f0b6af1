-- Tools that are used one after the other, one row per sequence.
--
-- Calls that follow each other in one thread, prompts between them or not: with length 3 a thread
-- with the calls Read, Edit, Bash, Read has the sequences Read > Edit > Bash and Edit > Bash > Read.
--
-- Columns:
--   sequence      tools in their order
--   uses          times it occurs
--   share_pct     of a hundred times that its tools but the last occur with another behind them,
--                 those that go on with the last
--   failures      times that the last call failed
--   sessions      sessions with it
--   last_used_at  time of the last
--
-- Chart: sequence, uses
--
-- Examples:
--   warehouse query tool-sequences --since 7d
--   warehouse query tool-sequences -p length=3 --limit 20

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = coalesce(getvariable('limit'), '30')::INTEGER;                -- rows to show
SET VARIABLE length  = coalesce(getvariable('length'), '2')::INTEGER;                -- calls in a sequence, 2 to 6

WITH runs AS (
    SELECT
        host,
        session_id,
        timestamp,
        source_file,
        source_line,
        item_index,
        is_error AND denial_kind IS NULL AS is_failure,
        list(tool_name) OVER before AS tools
    FROM tool_runs
    WHERE date_filter(timestamp, getvariable('since'), getvariable('until'))
        AND project_filter(project_path, getvariable('project'))
        AND host_filter(host, getvariable('host'))
        AND agent_filter(agent, getvariable('agent'))
        AND session_filter(session_id, getvariable('session'))
    WINDOW before AS (
        PARTITION BY source_file, session_id, agent_id
        ORDER BY source_line, item_index
        ROWS BETWEEN 5 PRECEDING AND CURRENT ROW
    )
),
sequences AS (
    SELECT
        *,
        CASE
            WHEN getvariable('length') BETWEEN 2 AND 6 THEN tools[-getvariable('length'):]
            ELSE error('length is 2 to 6, not ' || getvariable('length'))
        END AS names
    FROM runs
    WHERE len(tools) >= getvariable('length')
)
SELECT
    array_to_string(names, ' > ') AS sequence,
    count(*) AS uses,
    (100 * uses / sum(count(*)) OVER (PARTITION BY names[:-2]))::DECIMAL(5, 1) AS share_pct,
    count(*) FILTER (is_failure) AS failures,
    count(DISTINCT (host, session_id)) AS sessions,
    max(timestamp) AS last_used_at
FROM sequences
GROUP BY names
ORDER BY uses DESC, sequence
LIMIT getvariable('limit');
