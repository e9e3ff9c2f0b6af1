-- Results of tools that hold words of a search, one row per result, the most words first, then the
-- latest. They are not in the index: the lines are read.
--
-- Columns:
--   passage_id      always 0
--   session_id      session
--   label           title of the session
--   role            always user
--   kind            always tool-result
--   timestamp       time of the line
--   project_path    working directory
--   host            machine the transcript comes from
--   agent           program that wrote it
--   agent_id        sub-agent, empty in the main thread
--   source_file     transcript
--   source_line     line in it, from 1
--   item_index      position in the message, from 0
--   passage_number  always 0
--   is_subagent     true in a sub-agent's thread
--   is_injected     always false
--   is_automated    true where no person sat at the session
--   words_missing   words that are not in the result, one a line
--   score           words found
--   copies          always 1
--   text            the result from 200 characters before the first word, 2,000 characters of it
--   total           hits in all
--   total_all       of these, hits that have all words
--
-- Examples:
--   warehouse search --kind tool-result permission denied

SET VARIABLE words      = getvariable('words')::VARCHAR;                                -- texts, in lower case unless exact, a JSON list (required)
SET VARIABLE hints      = getvariable('hints')::VARCHAR;                                -- of each the part that JSON writes in one way, to pass over lines (required)
SET VARIABLE since      = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until      = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project    = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host       = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent      = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session    = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE subagents  = coalesce(getvariable('subagents'), 'false')::BOOLEAN;         -- text of sub-agents too
SET VARIABLE automated  = coalesce(getvariable('automated'), 'false')::BOOLEAN;         -- sessions no person sat at too
SET VARIABLE "any"      = coalesce(getvariable('any'), 'false')::BOOLEAN;               -- any of the words is enough
SET VARIABLE exact      = coalesce(getvariable('exact'), 'false')::BOOLEAN;             -- letters as they are written, case too
SET VARIABLE "limit"    = coalesce(getvariable('limit'), '10')::INTEGER;                -- hits to show

WITH lines AS (
    SELECT *
    FROM raw
    WHERE type = 'user'
        AND parse_status <> 'torn'
        AND contains(data::VARCHAR, '"tool_result"')
        AND CASE
            WHEN getvariable('any')
            THEN list_bool_or(list_transform(from_json(getvariable('hints'), '["VARCHAR"]'), lambda word: contains(CASE WHEN getvariable('exact') THEN data::VARCHAR ELSE lower(data::VARCHAR) END, word)))
            ELSE list_bool_and(list_transform(from_json(getvariable('hints'), '["VARCHAR"]'), lambda word: contains(CASE WHEN getvariable('exact') THEN data::VARCHAR ELSE lower(data::VARCHAR) END, word)))
        END
        AND date_filter(timestamp, getvariable('since'), getvariable('until'))
        AND project_filter(project_path, getvariable('project'))
        AND host_filter(host, getvariable('host'))
        AND agent_filter(agent, getvariable('agent'))
        AND session_filter(session_id, getvariable('session'))
        AND (agent_id IS NULL AND NOT is_sidechain OR getvariable('subagents'))
        AND (NOT coalesce(entrypoint LIKE 'sdk%', false) OR getvariable('automated'))
),
items AS (
    SELECT
        * EXCLUDE (data),
        unnest(range(len(json_extract(data, '$.message.content[*]')))) AS item_index,
        unnest(json_extract(data, '$.message.content[*]')) AS item
    FROM lines
    ANTI JOIN replays USING (source_file, source_line)
    WHERE json_type(data, '$.message.content') = 'ARRAY'
),
texts AS (
    SELECT
        * EXCLUDE (item),
        CASE
            WHEN json_type(item, '$.content') = 'ARRAY' THEN array_to_string(json_extract_string(item, '$.content[*].text'), chr(10))
            ELSE json_extract_string(item, '$.content')
        END AS whole
    FROM items
    WHERE json_extract_string(item, '$.type') = 'tool_result'
),
found AS (
    SELECT
        *,
        list_filter(from_json(getvariable('words'), '["VARCHAR"]'), lambda word: NOT contains(CASE WHEN getvariable('exact') THEN whole ELSE lower(whole) END, word)) AS missing,
        list_min(
            list_filter(
                list_transform(from_json(getvariable('words'), '["VARCHAR"]'), lambda word: instr(CASE WHEN getvariable('exact') THEN whole ELSE lower(whole) END, word)),
                lambda place: place > 0
            )
        ) AS first_place
    FROM texts
    WHERE whole IS NOT NULL
),
hits AS (
    SELECT
        *,
        count(*) OVER () AS total,
        count(*) FILTER (len(missing) = 0) OVER () AS total_all,
        row_number() OVER (ORDER BY len(missing), timestamp DESC NULLS LAST, source_file, source_line, item_index) AS place
    FROM found
    WHERE len(missing) = 0 OR getvariable('any') AND first_place > 0
    QUALIFY place <= getvariable('limit')
)
SELECT
    0 AS passage_id,
    session_id,
    label,
    'user' AS role,
    'tool-result' AS kind,
    timestamp,
    project_path,
    host,
    agent,
    agent_id,
    source_file,
    source_line,
    item_index,
    0 AS passage_number,
    agent_id IS NOT NULL OR is_sidechain AS is_subagent,
    false AS is_injected,
    coalesce(entrypoint LIKE 'sdk%', false) AS is_automated,
    array_to_string(missing, chr(10)) AS words_missing,
    (len(from_json(getvariable('words'), '["VARCHAR"]')) - len(missing))::DOUBLE AS score,
    1 AS copies,
    substring(whole, greatest(1, first_place - 200), 2000) AS text,
    total,
    total_all
FROM hits
LEFT JOIN session_labels USING (host, agent, session_id)
ORDER BY place;
