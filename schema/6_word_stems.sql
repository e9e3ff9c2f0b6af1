-- word_stems(words): the English stem of each word of a list, one row per element, numbered from 1.
--
-- Columns are position, word and stem. Porter2, letter for letter as the Go library
-- github.com/blevesearch/snowballstem v0.9.0 (package english) has it, so that a search finds what
-- was stemmed with that library. Words are given in lower case; one that is not all a to z, or is
-- longer than 40 letters, is its own stem. NULL and the empty list give no rows.
--
-- What the algorithm keeps beside the word is kept in it, so that a step is regular expressions
-- alone: [aeiouy] are the vowels and all else is none, Y being a y that is none; | stands where
-- R1 begins, so a suffix in one piece is a suffix in R1; a ! at the end keeps the next expression
-- of the same step off. Planning is nearly the whole cost, about 2.5 ms a call, and each step names the
-- word once, since an expression that is named twice is planned twice.
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
    -- Behind -ed and -ing: some stems get an e, some lose one of a double letter, others stay. -eed
    -- goes to -ee in R1 and stays elsewhere.
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
    -- R1 begins behind the first consonant after a vowel, which is the same place in what the steps
    -- above leave as in the whole word. R2 is found by the same rule from | on, where it is asked for.
    regions AS (
        SELECT
            position,
            word,
            regexp_replace(rest, '^(gener|commun|arsen|[^aeiouy]*[aeiouy]*[^aeiouy!]?)(.*?)!?$', '\1|\2') AS rest
        FROM step_1c
    ),
    -- The longest suffix decides, even where it begins before R1 and a shorter one does not:
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
    -- The longest suffix again: where R2 begins behind the m of -ment, -ent stays too.
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
    -- A last e goes in R2, and in R1 unless a short syllable is before it. Wherever R1 has a letter
    -- before the e, the e is in R2 or the syllable is not short.
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
        -- A caller's filter on the stem is not pushed below unnest, where it would repeat every step.
        unnest([
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
            )
        ]) AS stem
    FROM step_5;
