-- Hits of a search, one row per passage, the best first, copies left out.
--
-- search() and search_any() are the ways in; asked and any_word are those of search_found(). Variables
-- narrow what is found, as in reports: since, until, project, host, agent, session, role, and kind (a
-- comma list, default prose). Left out unless a variable is true: text of sub-agents (subagents),
-- text that the program wrote in a person's place (injected), sessions that no person sat at
-- (automated).
--
-- People look for answers: what a model wrote counts half more than what a person asked, and what a
-- person said nearly as much.
--
-- Of passages with the same text and time, and of those with the same text in one session, one is
-- shown: of a main thread before a sub-agent's, then the earliest, then by path. Passages with all
-- words come first (unless any_word is true), then those with most; within that the highest score,
-- then the latest.
--
-- Columns are those of passages, and words_found, words_missing (which were not), score, copies
-- (passages the hit stands for).
CREATE OR REPLACE MACRO search_hits(asked, any_word) AS TABLE
WITH matches AS (
    SELECT
        passage_id,
        kind,
        text_key,
        timestamp,
        session_id,
        words_found,
        found_bits,
        (score * CASE WHEN role = 'assistant' THEN 1.5 WHEN is_question THEN 1 ELSE 1.4 END)::DECIMAL(18, 6) AS score,
        {
            'a': is_subagent,
            'b': coalesce(timestamp, 'infinity'),
            'c': source_file,
            'd': source_line,
            'e': item_index,
            'f': passage_number
        } AS place
    FROM search_found(asked, any_word, coalesce(getvariable('kind'), 'prose')) AS found
    JOIN passages USING (passage_id)
    WHERE date_filter(timestamp, getvariable('since')::TIMESTAMPTZ, getvariable('until')::TIMESTAMPTZ)
        AND project_filter(project_path, getvariable('project'))
        AND host_filter(host, getvariable('host'))
        AND agent_filter(agent, getvariable('agent'))
        AND session_filter(session_id, getvariable('session'))
        AND (getvariable('role') IS NULL OR role = getvariable('role'))
        AND (NOT is_subagent OR coalesce(getvariable('subagents')::BOOLEAN, false))
        AND (NOT is_injected OR coalesce(getvariable('injected')::BOOLEAN, false))
        AND (NOT is_automated OR coalesce(getvariable('automated')::BOOLEAN, false))
),
-- Aggregates rather than windows, and of narrow rows: a quarter of the time.
by_time AS (
    SELECT
        kind,
        text_key,
        words_found,
        found_bits,
        score,
        arg_min(passage_id, place) AS passage_id,
        arg_min(session_id, place) AS session_id,
        min(place) AS place,
        count(*) AS copies
    FROM matches
    GROUP BY kind, text_key, timestamp, words_found, found_bits, score
),
by_session AS (
    SELECT
        words_found,
        found_bits,
        score,
        arg_min(passage_id, place) AS passage_id,
        sum(copies)::BIGINT AS copies
    FROM by_time
    GROUP BY kind, text_key, session_id, words_found, found_bits, score
)
SELECT
    session_id,
    role,
    kind,
    timestamp,
    project_path,
    source_file,
    source_line,
    item_index,
    passage_number,
    host,
    agent,
    agent_id,
    is_subagent,
    is_injected,
    is_automated,
    words_found,
    list_transform(
        list_filter(list_distinct(list_transform(asked, lambda a: {'word_number': a.word_number, 'word': a.word})), lambda a: found_bits >> a.word_number & 1 = 0),
        lambda a: a.word
    ) AS words_missing,
    score,
    copies,
    passage_id,
    coalesce(short_text, packed_text) AS text
FROM by_session
JOIN passages USING (passage_id)
ORDER BY
    any_word OR words_found = list_unique(list_transform(asked, lambda a: a.word_number)) DESC,
    score DESC,
    timestamp DESC NULLS LAST,
    source_file,
    source_line,
    item_index,
    passage_number;
