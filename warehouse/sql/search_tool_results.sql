-- Results of tools that hold words of a search, one row per result, the most words first, then the
-- latest. They are not in the index: the lines are read.
--
-- Columns:
--   passage_id      always 0
--   session_id      session
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

SET VARIABLE words        = getvariable('words')::VARCHAR;                               -- texts, in lower case unless exact, a JSON list (required)
SET VARIABLE hint         = getvariable('hint')::VARCHAR;                                -- pattern that the line of a hit matches, to pass over others (required)
SET VARIABLE since        = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;   -- from, inclusive
SET VARIABLE until        = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;   -- to, inclusive (a bare date with its whole day)
SET VARIABLE project      = getvariable('project')::VARCHAR;                             -- folder, its last component, or a glob (default all)
SET VARIABLE host         = getvariable('host')::VARCHAR;                                -- machine (default all)
SET VARIABLE agent        = getvariable('agent')::VARCHAR;                               -- agent program (default all)
SET VARIABLE egress_hosts = coalesce(getvariable('egress_hosts'), '*')::VARCHAR;         -- hosts whose text may leave, a comma list (default all)
SET VARIABLE only_blocked = coalesce(getvariable('only_blocked'), 'false')::BOOLEAN;     -- of the other hosts alone
SET VARIABLE session      = getvariable('session')::VARCHAR;                             -- session id or the beginning of one (default all)
SET VARIABLE subagents    = coalesce(getvariable('subagents'), 'false')::BOOLEAN;        -- text of sub-agents too
SET VARIABLE automated    = coalesce(getvariable('automated'), 'false')::BOOLEAN;        -- sessions no person sat at too
SET VARIABLE "any"        = coalesce(getvariable('any'), 'false')::BOOLEAN;              -- any of the words is enough
SET VARIABLE exact        = coalesce(getvariable('exact'), 'false')::BOOLEAN;            -- letters as they are written, case too
SET VARIABLE "limit"      = coalesce(getvariable('limit'), '10')::INTEGER;               -- hits to show

WITH lines AS (
    SELECT
        source_file,
        source_line,
        timestamp,
        from_json(data, '{"message": {"content": [{"type": "VARCHAR", "content": "JSON"}]}}').message.content AS items
    FROM raw
    WHERE type = 'user'
        AND parse_status <> 'torn'
        AND regexp_matches(data::VARCHAR, getvariable('hint'))
        AND date_filter(timestamp, getvariable('since'), getvariable('until'))
        AND project_filter(project_path, getvariable('project'))
        AND host_filter(host, getvariable('host'))
        AND agent_filter(agent, getvariable('agent'))
        AND session_filter(session_id, getvariable('session'))
        AND (getvariable('egress_hosts') = '*' OR list_contains(string_split(getvariable('egress_hosts'), ','), host)) <> getvariable('only_blocked')
        AND (agent_id IS NULL AND NOT is_sidechain OR getvariable('subagents'))
        AND (NOT coalesce(entrypoint LIKE 'sdk%', false) OR getvariable('automated'))
),
items AS (
    SELECT
        source_file,
        source_line,
        timestamp,
        unnest(range(len(items))) AS item_index,
        unnest(items) AS item
    FROM lines
    ANTI JOIN replays USING (source_file, source_line)
),
texts AS (
    SELECT
        source_file,
        source_line,
        timestamp,
        item_index,
        CASE
            WHEN json_type(item.content) = 'ARRAY' THEN array_to_string(json_extract_string(item.content, '$[*].text'), chr(10))
            ELSE json_extract_string(item.content, '$')
        END AS whole
    FROM items
    WHERE item.type = 'tool_result'
),
-- Without the text, which the few rows that are shown get again: sorting it took most of the time.
found AS MATERIALIZED (
    SELECT
        source_file,
        source_line,
        timestamp,
        item_index,
        list_transform(from_json(getvariable('words'), '["VARCHAR"]'), lambda word: instr(searched, word)) AS places
    FROM (
        SELECT
            * EXCLUDE (whole),
            CASE WHEN getvariable('exact') THEN whole ELSE lower(whole) END AS searched
        FROM texts
        WHERE whole IS NOT NULL
    )
    WHERE CASE WHEN getvariable('any') THEN list_max(places) > 0 ELSE list_min(places) > 0 END
),
hits AS (
    SELECT
        *,
        len(list_filter(places, lambda place: place = 0)) AS missing_count
    FROM found
    ORDER BY missing_count, timestamp DESC NULLS LAST, source_file, source_line, item_index
    LIMIT getvariable('limit')
)
SELECT
    0 AS passage_id,
    session_id,
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
    array_to_string(list_filter(from_json(getvariable('words'), '["VARCHAR"]'), lambda word, n: places[n] = 0), chr(10)) AS words_missing,
    (len(places) - missing_count)::DOUBLE AS score,
    1 AS copies,
    substring(
        CASE
            WHEN json_type(content) = 'ARRAY' THEN array_to_string(json_extract_string(content, '$[*].text'), chr(10))
            ELSE json_extract_string(content, '$')
        END,
        greatest(1, list_min(list_filter(places, lambda place: place > 0)) - 200),
        2000
    ) AS text,
    total,
    total_all
FROM (
    SELECT
        raw.*,
        item_index,
        places,
        missing_count,
        json_extract(data, '$.message.content[' || item_index || '].content') AS content
    FROM hits
    JOIN raw USING (source_file, source_line)
) AS shown
CROSS JOIN (
    SELECT
        count(*) AS total,
        count(*) FILTER (list_min(places) > 0) AS total_all
    FROM found
)
ORDER BY missing_count, timestamp DESC NULLS LAST, source_file, source_line, item_index;
