-- Terms of the index that are near a term, one row per term, the nearest first.
--
-- Columns:
--   term      term of the index
--   passages  passages that hold it
--
-- Examples:
--   warehouse search retyr

SET VARIABLE term = getvariable('term')::VARCHAR;                                       -- term that is not in the index (required)

SELECT
    term,
    sum(len(passage_ids))::BIGINT AS passages
FROM posting_lists
WHERE starts_with(term, getvariable('term')[:2])
    AND damerau_levenshtein(term, getvariable('term')) <= 1 + length(getvariable('term')) // 5
GROUP BY term
ORDER BY damerau_levenshtein(term, getvariable('term')), passages DESC, term
LIMIT 3;
