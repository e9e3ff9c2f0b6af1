-- Terms of the index that are near a term, one row per term, the nearest first.
--
-- Columns:
--   term      term of the index
--   passages  passages that hold it
--
-- Examples:
--   warehouse search retyr

SET VARIABLE term         = getvariable('term')::VARCHAR;                          -- term that is not in the index (required)
SET VARIABLE egress_hosts = coalesce(getvariable('egress_hosts'), '*')::VARCHAR;   -- hosts whose text may leave, a comma list (default all)

SELECT
    term,
    count(*) AS passages
FROM (
    SELECT
        term,
        unnest(passage_ids) AS passage_id
    FROM posting_lists
    WHERE starts_with(term, getvariable('term')[:2])
        AND damerau_levenshtein(term, getvariable('term')) <= 1 + length(getvariable('term')) // 5
)
JOIN (SELECT passage_id, host FROM passages) USING (passage_id)
WHERE getvariable('egress_hosts') = '*' OR list_contains(string_split(getvariable('egress_hosts'), ','), host)
GROUP BY term
ORDER BY damerau_levenshtein(term, getvariable('term')), passages DESC, term
LIMIT 3;
