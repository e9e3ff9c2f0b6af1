-- Search, one row per passage found, the best first.
--
-- All words must be in a passage; those with most of them follow. "Between quotes" is a phrase.
-- FROM search('retry budget') LIMIT 10. Under an alias of ATTACH, say USE first.
--
-- See search_hits() for the variables that narrow it, and for the columns.
CREATE OR REPLACE MACRO search(words) AS TABLE
SELECT *
FROM search_hits((SELECT list(asked) FROM search_words(words) AS asked), false);

CREATE OR REPLACE MACRO search_any(words) AS TABLE
SELECT *
FROM search_hits((SELECT list(asked) FROM search_words(words) AS asked), true);
