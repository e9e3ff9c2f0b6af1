-- Passages that hold words of a search, one row per passage.
--
-- asked is a list of structs as search_words() gives them; kinds is a comma list. A passage holds a
-- word when it holds all its terms and, where the word asks for it, its letters. The score is BM25
-- over the passages of a kind, added up in decimals so that it is the same each time. Unless any_word
-- is true, a passage must hold most of the words, each counted by how rare it is.
--
-- Columns are passage_id, words_found, found_bits (a bit for the number of each word found),
-- score.
CREATE OR REPLACE MACRO search_found(asked, any_word, kinds) AS TABLE
WITH terms AS (
    SELECT unnest(asked, recursive := true)
),
lists AS (
    SELECT
        word_number,
        term_number,
        term_count,
        literal,
        pattern,
        term,
        kind,
        passage_ids,
        impacts
    FROM posting_lists
    JOIN terms USING (term)
    WHERE list_contains(string_split(kinds, ','), kind)
),
rarities AS (
    SELECT
        *,
        sum(rarity / term_count) OVER (PARTITION BY kind) AS all_weight
    FROM (
        SELECT
            word_number,
            term_number,
            term_count,
            kind,
            ln(1 + (any_value(passage_count) - sum(len(passage_ids)) + 0.5) / (sum(len(passage_ids)) + 0.5)) AS rarity
        FROM lists
        CROSS JOIN (SELECT count(*) AS passage_count FROM passages)
        GROUP BY word_number, term_number, term_count, kind
    )
),
occurrences AS (
    SELECT
        word_number,
        lists.term_count,
        literal,
        pattern,
        rarity,
        all_weight,
        unnest(passage_ids) AS passage_id,
        unnest(impacts) AS impact
    FROM lists
    JOIN rarities USING (word_number, term_number, kind)
),
words AS (
    SELECT
        passage_id,
        word_number,
        any_value(literal) AS literal,
        any_value(pattern) AS pattern,
        sum(rarity / term_count) AS weight,
        any_value(all_weight) AS all_weight,
        sum((rarity * impact / 1000)::DECIMAL(18, 6)) AS score
    FROM occurrences
    GROUP BY passage_id, word_number
    HAVING count(*) = any_value(term_count)
),
checked AS (
    SELECT
        passage_id,
        word_number,
        score,
        weight,
        all_weight
    FROM words
    WHERE literal IS NULL
    UNION ALL
    SELECT
        passage_id,
        word_number,
        score,
        weight,
        all_weight
    FROM words
    JOIN passages USING (passage_id)
    WHERE literal IS NOT NULL
        AND CASE
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
    JOIN terms ON contains(lower(coalesce(short_text, packed_text)), literal)
    WHERE term IS NULL AND list_contains(string_split(kinds, ','), kind)
)
SELECT
    passage_id,
    words_found,
    found_bits,
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
WHERE any_word OR 2 * weight > all_weight OR words_found = list_unique(list_transform(asked, lambda a: a.word_number));
