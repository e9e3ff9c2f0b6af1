-- word_stems(words): the English stem of each word of a list, one row per element, numbered from 1.
--
-- Porter2, letter for letter as github.com/blevesearch/snowballstem v0.9.0 (package english) has it,
-- so that a query finds what that library stemmed. Words are given in lower case: what is not all
-- a to z, or is longer than 40 letters, is its own stem. NULL and the empty list give no rows.
--
-- Returns position (BIGINT), word and stem; SELECT stem FROM word_stems(['indexing', 'queries']).
--
-- Each step names the word once and is one or two constant regular expressions: a step that named
-- it twice would be planned twice, the one below it four times, and planning is most of the cost,
-- about 2 ms in all. What the algorithm keeps beside the word is therefore kept in it: Y is a y that counts as a
-- consonant, [aeiouy] are the vowels and everything else is none; | is the start of R1, so that a suffix in one
-- piece at the end is a suffix in R1; ! at the end keeps the next expression of a step off the word.
CREATE OR REPLACE MACRO word_stems(words) AS TABLE
    WITH listed AS (
        SELECT
            generate_subscripts(list, 1) AS position,
            unnest(list) AS word
        FROM (SELECT words::VARCHAR[] AS list)
    ),
    prelude AS (
        SELECT
            position,
            word,
            CASE WHEN regexp_full_match(word, '[a-z]{1,40}') THEN regexp_replace(word, '(^|[aeiouy])y', '\1Y', 'g') END AS rest
        FROM listed
    ),
    step_1a AS (
        SELECT
            position,
            word,
            regexp_replace(rest, '^(?:(.*ss)es|(..+i)e[ds]|(.?ie)[ds]|(.*[aeiouy].*[^su])s)$', '\1\2\3\4') AS rest
        FROM prelude
    ),
    -- Without -ed and -ing: some get an e, of a double letter one goes, and others stay as they are, and
    -- -eed is shortened in R1 and else kept.
    step_1b AS (
        SELECT
            position,
            word,
            regexp_replace(
                regexp_replace(
                    regexp_replace(
                        rest,
                        '(at|iz|[aeiouy].*bl|^(?:[^aeiouy]+[aeiouy][^aeiouwxyY]|[aeiouy][^aeiouy]|gener|commun|arsen))(?:ed|ing)(?:ly)?$',
                        '\1e'
                    ),
                    '(?:([aeiouy].*b)b|([aeiouy].*d)d|([aeiouy].*f)f|([aeiouy].*g)g|([aeiouy].*m)m|([aeiouy].*n)n|([aeiouy].*p)p|([aeiouy].*r)r|([aeiouy].*t)t)(?:ed|ing)(?:ly)?$',
                    '\1\2\3\4\5\6\7\8\9!'
                ),
                '(?:([aeiouy][^aeiouy].*ee)d|([aeiouy].*[^e]|[aiouy])ed|([aeiouy].*)ing)(?:ly)?$',
                '\1\2\3'
            ) AS rest
        FROM step_1a
    ),
    step_1c AS (
        SELECT
            position,
            word,
            regexp_replace(rest, '(.[^aeiouy])y$', '\1i') AS rest
        FROM step_1b
    ),
    -- R1 is behind the first consonant after a vowel. None of the steps before can move that
    -- place, and every step behind finds R2 by the same rule, from | on.
    regions AS (
        SELECT
            position,
            word,
            regexp_replace(rest, '^(gener|commun|arsen|[^aeiouy]*[aeiouy]*[^aeiouy!]?)(.*?)!?$', '\1|\2') AS rest
        FROM step_1c
    ),
    -- The longest suffix decides, even where it reaches out of R1 and a shorter one does not:
    -- iz|ation and en|tli stay.
    step_2 AS (
        SELECT
            position,
            word,
            regexp_replace(
                regexp_replace(
                    rest,
                    '(?:(iz)(?:er|ation)|(at)(?:ional|or)|((?:[^|]|[^z]\||[^i]z\|)at)ion|(iv)iti|([ae]nc|bl)i|(b)i(l)iti)$',
                    '\1\2\3\4\5\6\7e'
                ),
                '(?:(en\|tli)|(tion)al|(al)(?:ism|iti|li)|(ful|ous)(?:ness|li)|(ive)ness|([cdeghkmnrt]\|?|less)li|(l\|?og)i)$',
                '\1\2\3\4\5\6\7'
            ) AS rest
        FROM regions
    ),
    step_3 AS (
        SELECT
            position,
            word,
            regexp_replace(
                regexp_replace(rest, '(at)ional$', '\1e!'),
                '(?:(tion)al|(al)ize|(ic)(?:ate|iti|al)|ful|ness|(\|[^aeiouy]*[aeiouy]+[^aeiouy].*)ative)$',
                '\1\2\3\4'
            ) AS rest
        FROM step_2
    ),
    -- The longest suffix again: where R2 begins behind the m of -ment, -ent is not looked at.
    step_4 AS (
        SELECT
            position,
            word,
            regexp_replace(
                rest,
                '(?:(\|[^aeiouy]*[aeiouy]+ment)|(\|[^aeiouy]*[aeiouy]+(?:[^aeiouy].*)?[st])ion|(\|[^aeiouy]*[aeiouy]+[^aeiouy].*?)(?:al|[ae]nce|er|ic|[ai]ble|ant|(?:e?m)?ent|ism|ate!?|iti|ous|ive|ize))$',
                '\1\2\3'
            ) AS rest
        FROM step_3
    ),
    -- A last e goes in R2, and in R1 unless a short syllable stands before it: one that R1 begins
    -- behind, since with any letter between the syllable is not short or the e is in R2.
    step_5 AS (
        SELECT
            position,
            word,
            regexp_replace(
                rest,
                '(?:(\|.+|[aeiouy][aeiouy][^aeiouy]\||[^aeiouy][aeiouy][wxY]\|)e!?|(\|[^aeiouy]*[aeiouy]+(?:[^aeiouy].*)?l)l)$',
                '\1\2'
            ) AS rest
        FROM step_4
    )
    SELECT
        position,
        word,
        coalesce(
            MAP {
                'skis': 'ski', 'skies': 'sky', 'dying': 'die', 'lying': 'lie', 'tying': 'tie',
                'idly': 'idl', 'gently': 'gentl', 'ugly': 'ugli', 'early': 'earli', 'only': 'onli', 'singly': 'singl',
                'sky': 'sky', 'news': 'news', 'howe': 'howe', 'atlas': 'atlas', 'cosmos': 'cosmos', 'bias': 'bias', 'andes': 'andes',
                'inning': 'inning', 'outing': 'outing', 'canning': 'canning', 'herring': 'herring', 'earring': 'earring',
                'innings': 'inning', 'outings': 'outing', 'cannings': 'canning', 'herrings': 'herring', 'earrings': 'earring',
                'proceed': 'proceed', 'exceed': 'exceed', 'succeed': 'succeed',
                'proceeds': 'proceed', 'exceeds': 'exceed', 'succeeds': 'succeed'
            }[word],
            translate(rest, 'Y|', 'y'),
            word
        ) AS stem
    FROM step_5;
