-- What reading files again cost, one row per machine.
--
-- A read is a repeat when the main thread of its session has read the file before. It is counted
-- once, under the first that holds: paginated (it asked for a part, or all reads before it did),
-- sidechain (a sub-agent has no use of what its parent read), after_own_edit (the session changed
-- the file since it was read whole). What is left are true repeats, the waste. Reads that failed
-- are no reads. A token is taken for four characters, an image for 1,600. What a read repeats may
-- lie before --since.
--
-- Columns:
--   host                 machine
--   total_reads          reads
--   repeat_reads         repeats among them
--   repeat_pct           repeats in a hundred reads
--   paginated            repeats of a part
--   sidechain            repeats by a sub-agent
--   after_own_edit       repeats after a change
--   true_repeats         the other repeats
--   true_repeat_ktokens  tokens of those, thousands
--   repeat_ktokens       tokens of all repeats, thousands
--
-- Examples:
--   warehouse query repeat-read-waste --since 30d
--   warehouse query repeat-read-waste --project /home/dev/app

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = getvariable('limit')::INTEGER;                                -- rows to show (default all)

WITH ordered AS (
    SELECT
        *,
        agent_id IS NULL AS is_main,
        operation = 'Read' AS is_read,
        -- Times within a file may go back by moments: lines decide.
        max(timestamp) OVER (PARTITION BY source_file ORDER BY source_line, item_index) AS seen_at
    FROM file_operations
    WHERE is_answered AND NOT is_error
),
placed AS (
    SELECT
        *,
        row_number() OVER (PARTITION BY host, session_id, file_path ORDER BY seen_at, source_file, source_line, item_index) AS place
    FROM ordered
),
linked AS (
    SELECT
        *,
        max(CASE WHEN is_read AND is_main THEN place END) OVER before AS read_place,
        max(CASE WHEN is_read AND is_main AND NOT is_partial THEN place END) OVER before AS whole_place,
        max(CASE WHEN NOT is_read THEN place END) OVER before AS edit_place
    FROM placed
    WINDOW before AS (
        PARTITION BY host, session_id, file_path
        ORDER BY place
        ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    )
),
reads AS (
    SELECT
        host,
        result_length / 4000 + result_images * 1.6 AS ktokens,
        CASE
            WHEN read_place IS NULL THEN NULL
            WHEN is_partial OR whole_place IS NULL THEN 'paginated'
            WHEN NOT is_main THEN 'sidechain'
            WHEN edit_place > whole_place THEN 'after_own_edit'
            ELSE 'true'
        END AS repeats
    FROM linked
    WHERE is_read
        AND date_filter(timestamp, getvariable('since'), getvariable('until'))
        AND project_filter(project_path, getvariable('project'))
        AND host_filter(host, getvariable('host'))
        AND agent_filter(agent, getvariable('agent'))
        AND session_filter(session_id, getvariable('session'))
)
SELECT
    host,
    count(*) AS total_reads,
    count(repeats) AS repeat_reads,
    (100 * repeat_reads / total_reads)::DECIMAL(5, 1) AS repeat_pct,
    count(*) FILTER (repeats = 'paginated') AS paginated,
    count(*) FILTER (repeats = 'sidechain') AS sidechain,
    count(*) FILTER (repeats = 'after_own_edit') AS after_own_edit,
    count(*) FILTER (repeats = 'true') AS true_repeats,
    coalesce(sum(ktokens) FILTER (repeats = 'true'), 0)::DECIMAL(18, 1) AS true_repeat_ktokens,
    coalesce(sum(ktokens) FILTER (repeats IS NOT NULL), 0)::DECIMAL(18, 1) AS repeat_ktokens
FROM reads
GROUP BY host
ORDER BY host
LIMIT getvariable('limit');
