-- Passages that hold words of a search, one row per passage.
--
-- asked is a list of structs as search_words() gives them; kinds is a comma list. A passage holds a
-- word when it holds all its terms and, where the word asks for it, its letters. The score is BM25
-- over the passages of a kind, added up in decimals so that it is the same each time. Unless any_word
-- is true, a passage must hold most of the words, each counted by how rare it is.
--
-- Columns are passage_id, words_found, words_missing (a list), score.
CREATE OR REPLACE MACRO search_found(asked, any_word, kinds) AS TABLE
-- asked is named once: a macro's argument is written out, and planned, wherever it stands.
WITH terms AS MATERIALIZED (
    SELECT unnest(asked, recursive := true)
),
lists AS (
    SELECT
        word_number,
        term_number,
        term_count,
        kind,
        passage_ids,
        impacts,
        sum(len(passage_ids)) OVER one_term AS found_count,
        row_number() OVER one_term = 1 AS is_first
    FROM posting_lists
    JOIN terms USING (term)
    WHERE list_contains(string_split(kinds, ','), kind)
    WINDOW one_term AS (PARTITION BY term_number, kind)
),
weighed AS (
    SELECT
        word_number,
        term_count,
        passage_ids,
        impacts,
        ln(1 + (passage_count - found_count + 0.5) / (found_count + 0.5)) AS rarity,
        sum(CASE WHEN is_first THEN rarity / term_count END) OVER (PARTITION BY kind) AS all_weight
    FROM lists
    CROSS JOIN (SELECT count(*) AS passage_count FROM passages)
),
words AS MATERIALIZED (
    SELECT
        passage_id,
        word_number,
        sum((rarity * impact / 1000)::DECIMAL(18, 6)) AS score,
        sum(rarity / term_count) AS weight,
        any_value(all_weight) AS all_weight
    FROM (
        SELECT
            word_number,
            term_count,
            rarity,
            all_weight,
            unnest(passage_ids) AS passage_id,
            unnest(impacts) AS impact
        FROM weighed
    )
    GROUP BY passage_id, word_number
    HAVING count(*) = any_value(term_count)
),
literals AS (
    SELECT DISTINCT
        word_number,
        term IS NULL AS is_unlisted,
        literal,
        pattern
    FROM terms
    WHERE literal IS NOT NULL
),
checked AS (
    SELECT *
    FROM words
    WHERE word_number NOT IN (SELECT word_number FROM literals)
    UNION ALL
    SELECT words.*
    FROM words
    JOIN literals USING (word_number)
    JOIN passages USING (passage_id)
    WHERE CASE
        WHEN pattern IS NULL THEN contains(lower(coalesce(short_text, packed_text)), literal)
        WHEN contains(lower(strip_accents(coalesce(short_text, packed_text))), literal)
        THEN regexp_matches(lower(strip_accents(coalesce(short_text, packed_text))), pattern)
        ELSE false
    END
    UNION ALL
    -- A phrase of signs alone is in no list.
    SELECT
        passage_id,
        word_number,
        0,
        0,
        0
    FROM passages
    JOIN literals ON contains(lower(coalesce(short_text, packed_text)), literal)
    WHERE is_unlisted AND list_contains(string_split(kinds, ','), kind)
),
whole AS (
    SELECT list(DISTINCT {'word_number': word_number, 'word': word}) AS all_words
    FROM terms
)
SELECT
    passage_id,
    words_found,
    CASE
        WHEN words_found = len(all_words) THEN []
        ELSE list_transform(list_filter(list_sort(all_words), lambda w: found_bits >> w.word_number & 1 = 0), lambda w: w.word)
    END AS words_missing,
    score
FROM (
    SELECT
        passage_id,
        count(*) AS words_found,
        bit_or(1::BIGINT << word_number) AS found_bits,
        sum(score) AS score,
        sum(weight) AS weight,
        max(all_weight) AS all_weight
    FROM checked
    GROUP BY passage_id
)
CROSS JOIN whole
WHERE any_word OR 2 * weight > all_weight OR words_found = len(all_words);
