-- Passages that hold a text letter by letter, one row per passage, the latest first.
--
-- No index is used: every passage is read.
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
--   words_missing   words that are not in the passage
--   score           BM25, the higher the better
--   copies          passages the hit stands for
--   text            the passage
--   total           hits in all
--   total_all       of these, hits that have all words
--
-- Examples:
--   warehouse search --literal 'retry_budget_ms = 5'

SET VARIABLE literal      = getvariable('literal')::VARCHAR;                             -- text to look for (required)
SET VARIABLE since        = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;   -- from, inclusive
SET VARIABLE until        = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;   -- to, inclusive (a bare date with its whole day)
SET VARIABLE project      = getvariable('project')::VARCHAR;                             -- folder, its last component, or a glob (default all)
SET VARIABLE host         = getvariable('host')::VARCHAR;                                -- machine (default all)
SET VARIABLE agent        = getvariable('agent')::VARCHAR;                               -- agent program (default all)
SET VARIABLE egress_hosts = coalesce(getvariable('egress_hosts'), '*')::VARCHAR;         -- hosts whose text may leave, a comma list (default all)
SET VARIABLE only_blocked = coalesce(getvariable('only_blocked'), 'false')::BOOLEAN;     -- of the other hosts alone
SET VARIABLE session      = getvariable('session')::VARCHAR;                             -- session id or the beginning of one (default all)
SET VARIABLE role         = getvariable('role')::VARCHAR;                                -- user or assistant (default both)
SET VARIABLE kind         = coalesce(getvariable('kind'), 'prose')::VARCHAR;             -- kinds of passages, a comma list
SET VARIABLE subagents    = coalesce(getvariable('subagents'), 'false')::BOOLEAN;        -- text of sub-agents too
SET VARIABLE injected     = coalesce(getvariable('injected'), 'false')::BOOLEAN;         -- text the program wrote too
SET VARIABLE automated    = coalesce(getvariable('automated'), 'false')::BOOLEAN;        -- sessions no person sat at too
SET VARIABLE "limit"      = coalesce(getvariable('limit'), '10')::INTEGER;               -- hits to show

WITH matches AS (
    SELECT
        passage_id,
        kind,
        text_key,
        timestamp,
        session_id,
        is_subagent,
        source_file,
        source_line,
        item_index,
        passage_number
    FROM passages
    WHERE list_contains(string_split(getvariable('kind'), ','), kind)
        AND contains(CASE WHEN kind IN ('prose', 'summary') THEN short_text ELSE packed_text END, getvariable('literal'))
        AND date_filter(timestamp, getvariable('since'), getvariable('until'))
        AND project_filter(project_path, getvariable('project'))
        AND host_filter(host, getvariable('host'))
        AND agent_filter(agent, getvariable('agent'))
        AND session_filter(session_id, getvariable('session'))
        AND (getvariable('egress_hosts') = '*' OR list_contains(string_split(getvariable('egress_hosts'), ','), host)) <> getvariable('only_blocked')
        AND (getvariable('role') IS NULL OR role = getvariable('role'))
        AND (NOT is_subagent OR getvariable('subagents'))
        AND (NOT is_injected OR getvariable('injected'))
        AND (NOT is_automated OR getvariable('automated'))
),
by_time AS (
    SELECT
        *,
        count(*) OVER same_time AS copies
    FROM matches
    WINDOW same_time AS (PARTITION BY kind, text_key, timestamp)
    QUALIFY row_number() OVER (same_time ORDER BY is_subagent, source_file, source_line, item_index, passage_number) = 1
),
by_session AS (
    SELECT
        * EXCLUDE (copies),
        sum(copies) OVER same_session AS copies
    FROM by_time
    WINDOW same_session AS (PARTITION BY kind, text_key, session_id)
    QUALIFY row_number() OVER (same_session ORDER BY is_subagent, timestamp, source_file, source_line, item_index, passage_number) = 1
),
hits AS (
    SELECT
        passage_id,
        copies::BIGINT AS copies,
        count(*) OVER () AS total,
        row_number() OVER (ORDER BY timestamp DESC NULLS LAST, source_file, source_line, item_index, passage_number) AS place
    FROM by_session
    QUALIFY place <= getvariable('limit')
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
    '' AS words_missing,
    0::DOUBLE AS score,
    copies,
    coalesce(short_text, packed_text) AS text,
    total,
    total AS total_all
FROM hits
JOIN passages USING (passage_id)
ORDER BY place;
