-- Hits of a search, one row per passage, the best first.
--
-- SET VARIABLE asked = (SELECT to_json(list(asked)) FROM search_words('retry budget') AS asked) first.
--
-- Columns:
--   passage_id      passage
--   session_id      session
--   role            user or assistant
--   kind            prose, summary, thinking or tool-input
--   timestamp       time of the line
--   project_path    working directory
--   host            machine the transcript comes from
--   agent           program that wrote it
--   agent_id        sub-agent, empty in the main thread
--   source_file     transcript
--   source_line     line in it, from 1
--   item_index      position in the message, from 0
--   passage_number  position in the text, from 0
--   is_subagent     true in a sub-agent's thread
--   is_injected     true where the program wrote the text
--   is_automated    true where no person sat at the session
--   words_missing   words that are not in the passage, one a line
--   score           BM25, the higher the better
--   copies          passages the hit stands for
--   text            the passage
--   total           hits in all
--   total_all       of these, hits that have all words
--
-- Examples:
--   warehouse search retry budget

SET VARIABLE asked        = getvariable('asked')::VARCHAR;                               -- words as search_words gives them, a JSON list (required)
SET VARIABLE since        = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;   -- from, inclusive
SET VARIABLE until        = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;   -- to, inclusive (a bare date with its whole day)
SET VARIABLE project      = getvariable('project')::VARCHAR;                             -- folder, its last component, or a glob (default all)
SET VARIABLE host         = getvariable('host')::VARCHAR;                                -- machine (default all)
SET VARIABLE agent        = getvariable('agent')::VARCHAR;                               -- agent program (default all)
SET VARIABLE egress_hosts = coalesce(getvariable('egress_hosts'), '*')::VARCHAR;         -- hosts whose text may leave, a comma list (default all)
SET VARIABLE session      = getvariable('session')::VARCHAR;                             -- session id or the beginning of one (default all)
SET VARIABLE role         = getvariable('role')::VARCHAR;                                -- user or assistant (default both)
SET VARIABLE kind         = coalesce(getvariable('kind'), 'prose')::VARCHAR;             -- kinds of passages, a comma list
SET VARIABLE subagents    = coalesce(getvariable('subagents'), 'false')::BOOLEAN;        -- text of sub-agents too
SET VARIABLE injected     = coalesce(getvariable('injected'), 'false')::BOOLEAN;         -- text the program wrote too
SET VARIABLE automated    = coalesce(getvariable('automated'), 'false')::BOOLEAN;        -- sessions no person sat at too
SET VARIABLE "any"        = coalesce(getvariable('any'), 'false')::BOOLEAN;              -- any of the words is enough
SET VARIABLE "limit"      = coalesce(getvariable('limit'), '10')::INTEGER;               -- hits to show

WITH hits AS MATERIALIZED (
    SELECT
        passage_id,
        words_missing,
        score,
        copies,
        row_number() OVER () AS place
    FROM search_hits(from_json(getvariable('asked'), '[{"word_number":"BIGINT","word":"VARCHAR","term_number":"BIGINT","term":"VARCHAR","term_count":"BIGINT","literal":"VARCHAR","pattern":"VARCHAR"}]'), getvariable('any'))
)
SELECT
    passage_id,
    session_id,
    role,
    kind,
    timestamp,
    project_path,
    host,
    agent,
    agent_id,
    source_file,
    source_line,
    item_index,
    passage_number,
    is_subagent,
    is_injected,
    is_automated,
    array_to_string(words_missing, chr(10)) AS words_missing,
    score::DOUBLE AS score,
    copies,
    coalesce(short_text, packed_text) AS text,
    total,
    total_all
FROM hits
JOIN passages USING (passage_id)
CROSS JOIN (
    SELECT
        count(*) AS total,
        count(*) FILTER (len(words_missing) = 0) AS total_all
    FROM hits
)
WHERE place <= getvariable('limit')
ORDER BY place;
