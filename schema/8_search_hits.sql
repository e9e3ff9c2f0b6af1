-- Hits of a search, one row per passage, the best first, copies left out.
--
-- search() and search_any() are the ways in; asked and any_word are those of search_found(). Variables
-- narrow what is found, as in reports: since, until, project, host, agent, session, role, and kind (a
-- comma list, default prose). Left out unless a variable is true: text of sub-agents (subagents),
-- text that the program wrote in a person's place (injected), sessions that no person sat at
-- (automated), and of hosts that are not in the comma list egress_hosts, where that is set and is not *.
--
-- People look for answers: what a model wrote counts half more than what a person asked, and what a
-- person said nearly as much.
--
-- Of passages with the same text and time, and of those with the same text in one session, one is
-- shown: of a main thread before a sub-agent's, then the earliest, then any, but always the same. Passages with all
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
        words_missing,
        (score * CASE WHEN role = 'assistant' THEN 1.5 WHEN is_question THEN 1 ELSE 1.4 END)::DECIMAL(18, 6) AS score,
        is_subagent::BIGINT << 62 AS behind,
        place_key
    FROM search_found(asked, any_word, coalesce(getvariable('kind'), 'prose')) AS found
    JOIN passages USING (passage_id)
    WHERE date_filter(timestamp, getvariable('since')::TIMESTAMPTZ, getvariable('until')::TIMESTAMPTZ)
        AND project_filter(project_path, getvariable('project'))
        AND host_filter(host, getvariable('host'))
        AND agent_filter(agent, getvariable('agent'))
        AND session_filter(session_id, getvariable('session'))
        AND (coalesce(getvariable('egress_hosts'), '*') = '*' OR list_contains(string_split(getvariable('egress_hosts'), ','), host))
        AND (getvariable('role') IS NULL OR role = getvariable('role'))
        AND (NOT is_subagent OR coalesce(getvariable('subagents')::BOOLEAN, false))
        AND (NOT is_injected OR coalesce(getvariable('injected')::BOOLEAN, false))
        AND (NOT is_automated OR coalesce(getvariable('automated')::BOOLEAN, false))
),
-- Aggregates rather than windows, and of few narrow columns.
by_time AS (
    SELECT
        kind,
        text_key,
        arg_min(passage_id, behind + place_key) AS passage_id,
        arg_min(session_id, behind + place_key) AS session_id,
        min(behind) + epoch_us(coalesce(timestamp, '9999-12-31'::TIMESTAMPTZ)) AS place,
        any_value(words_found) AS words_found,
        any_value(words_missing) AS words_missing,
        any_value(score) AS score,
        count(*) AS copies
    FROM matches
    GROUP BY kind, text_key, timestamp
),
by_session AS (
    SELECT
        arg_min(passage_id, place) AS passage_id,
        any_value(words_found) AS words_found,
        any_value(words_missing) AS words_missing,
        any_value(score) AS score,
        sum(copies)::BIGINT AS copies
    FROM by_time
    GROUP BY kind, text_key, session_id
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
    words_missing,
    score,
    copies,
    passage_id,
    coalesce(short_text, packed_text) AS text
FROM by_session
JOIN passages USING (passage_id)
ORDER BY
    any_word OR len(words_missing) = 0 DESC,
    score DESC,
    timestamp DESC NULLS LAST,
    source_file,
    source_line,
    item_index,
    passage_number;
