-- Whether most lists of the word index are in small runs: those with less than half as many passages as
-- the largest one.
SELECT coalesce(sum(CASE WHEN is_small THEN list_count ELSE -list_count END), 0) > 200_000 AS is_worn
FROM (
    SELECT
        list_count,
        2 * passage_count < max(passage_count) OVER () AS is_small
    FROM (
        SELECT
            list_count,
            last_passage_id - lag(last_passage_id, 1, 0) OVER (ORDER BY last_passage_id) AS passage_count
        FROM index_runs
    )
)
