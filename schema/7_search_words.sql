-- Words of a search as the index knows them, one row per word or phrase and term of it.
--
-- The twin of package text, for queries. What stands between quotes is a phrase, anything else is
-- split at blanks. A word of several runs of letters and digits (a path, snake_case, a number with a
-- hyphen) asks for each of them and then for itself in the text; so does a phrase, letter by letter
-- but for case, and a word of three or more Chinese or Japanese letters. Latin letters joined by
-- hyphens alone are words of their own. A word without a letter or digit does not count, and behind
-- the first 50 none does.
--
-- Columns are word_number, word (as typed), term_number, term (NULL where a phrase has none),
-- term_count (terms of the word), literal (what the text must hold besides, in lower case) and
-- pattern (the same with its borders, for the text without accents).
CREATE OR REPLACE MACRO search_words(words) AS TABLE
WITH typed AS (
    SELECT
        flatten(
            list_transform(
                string_split(translate(coalesce(words, ''), '“”„«»', '"""""'), '"'),
                lambda part, place: CASE
                    WHEN place % 2 = 0 THEN [{'word': trim(part, E' \n\t\r'), 'is_phrase': true}]
                    ELSE flatten(
                        list_transform(
                            list_transform(
                                regexp_split_to_array(part, '\s+'),
                                lambda word: trim(word, '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~‘’‚…–—·•、。，！？；：「」『』（）【】《》')
                            ),
                            lambda word: list_transform(
                                CASE
                                    WHEN regexp_matches(word, '^[a-zA-Z\x{C0}-\x{24F}]+(-[a-zA-Z\x{C0}-\x{24F}]+)+$') THEN string_split(word, '-')
                                    ELSE [word]
                                END,
                                lambda w: {'word': w, 'is_phrase': false}
                            )
                        )
                    )
                END
            )
        )[:500] AS typed_words
),
folded AS (
    SELECT
        list_filter(
            list_transform(
                list_filter(typed_words, lambda w, place: w.word <> '' AND list_position(typed_words, w) = place),
                lambda w: {
                    'word': w.word,
                    'is_phrase': w.is_phrase,
                    'folded': lower(strip_accents(w.word)),
                    'runs': regexp_extract_all(
                        -- Latin words glued to a script without blanks are runs of their own.
                        regexp_replace(
                            lower(strip_accents(w.word)),
                            '([\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー]+)',
                            ' \1 ',
                            'g'
                        ),
                        '[\pL\pN]+'
                    )
                }
            ),
            lambda w: w.is_phrase OR len(w.runs) > 0
        )[:50] AS folded_words
    FROM typed
),
numbered AS (
    SELECT
        list_transform(
            folded_words,
            lambda w, number: {'number': number, 'word': w.word, 'is_phrase': w.is_phrase, 'folded': w.folded, 'runs': w.runs}
        ) AS kept
    FROM folded
),
asked AS MATERIALIZED (
    SELECT
        kept,
        flatten(
            list_transform(
                kept,
                lambda w: CASE
                    WHEN len(w.runs) = 0 THEN [{'number': w.number, 'run': NULL::VARCHAR}]
                    ELSE list_transform(
                        list_distinct(
                            flatten(
                                list_transform(
                                    w.runs,
                                    lambda run: CASE
                                        WHEN length(run) > 1
                                            AND regexp_matches(run, '^[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー]')
                                        THEN list_transform(range(1, length(run)), lambda i: run[i:i + 1])
                                        ELSE [run[:128]]
                                    END
                                )
                            )
                        ),
                        lambda run: {'number': w.number, 'run': run}
                    )
                END
            )
        ) AS parts
    FROM numbered
)
SELECT
    part.number AS word_number,
    w.word AS word,
    position AS term_number,
    stem AS term,
    len(list_filter(parts, lambda p: p.number = part.number)) AS term_count,
    CASE WHEN w.is_phrase THEN lower(w.word) WHEN is_compound THEN w.folded END AS literal,
    CASE
        WHEN is_compound AND NOT w.is_phrase
        THEN CASE WHEN begins_unspaced THEN '' ELSE '(?:^|[^\pL\pN]|' || unspaced || ')' END
            || regexp_escape(w.folded)
            || CASE WHEN regexp_matches(w.folded, unspaced || '$') THEN '' ELSE '(?:$|[^\pL\pN]|' || unspaced || ')' END
    END AS pattern
FROM (
    SELECT
        *,
        regexp_matches(w.folded, '^' || unspaced) AS begins_unspaced,
        len(w.runs) > 1 OR len(w.runs) = 1 AND length(w.runs[1]) > CASE WHEN begins_unspaced THEN 2 ELSE 128 END AS is_compound
    FROM (
        SELECT
            parts,
            parts[position] AS part,
            kept[parts[position].number] AS w,
            position,
            stem,
            '[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}ー]' AS unspaced
        FROM asked
        CROSS JOIN word_stems((SELECT list_transform(parts, lambda p: p.run) FROM asked))
    )
);
