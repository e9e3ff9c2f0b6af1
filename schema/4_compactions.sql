-- Compactions of the context, one row per compaction.
--
-- A boundary record marks one, the summary that takes the place of the turns is a user line beside
-- it, before or behind; 1.0 wrote the summary alone. Micro-compactions (2.1.9 to 2.1.22) drop old
-- tool results and have no summary. What was compacted stays in the transcript above; the agent
-- that writes the summary is a thread of its own and no compaction. Copies are one row. Seen in
-- Claude Code 1.0.24 to 2.1.261.
--
-- Columns:
--   host            machine the transcript comes from
--   agent           program that wrote it
--   session_id      session
--   agent_id        sub-agent whose context it was, NULL in the main thread
--   project_path    working directory
--   timestamp       time of the boundary, else of the summary
--   source_file     transcript
--   source_line     line of the boundary, else of the summary, from 1
--   version         version of the agent program
--   kind            compaction or micro-compaction
--   has_boundary    false where only a summary is there
--   trigger         auto or manual; NULL without a boundary
--   tokens_before   tokens in the context before it, as recorded
--   tokens_after    tokens after it, as recorded (2.1.232 and later)
--   tokens_saved    tokens that a micro-compaction dropped
--   duration_ms     how long it took, milliseconds (2.1.232 and later)
--   context_before  tokens in the context of the last response before it
--   context_after   tokens in the context of the first response after it
--   summary_line    line of the summary in the same transcript
--   summary_chars   length of the summary, characters
CREATE OR REPLACE VIEW compactions AS
WITH boundaries AS (
    SELECT
        host,
        agent,
        session_id,
        agent_id,
        is_sidechain,
        project_path,
        timestamp,
        source_file,
        source_line,
        uuid,
        version,
        CASE WHEN subtype = 'compact_boundary' THEN 'compaction' ELSE 'micro-compaction' END AS kind,
        coalesce(json_extract(data, '$.compactMetadata'), json_extract(data, '$.microcompactMetadata')) AS metadata
    FROM event_lines
    ANTI JOIN replays USING (source_file, source_line)
    WHERE type = 'system' AND subtype IN ('compact_boundary', 'microcompact_boundary')
),
summaries AS (
    SELECT
        host,
        agent,
        session_id,
        agent_id,
        is_sidechain,
        project_path,
        timestamp,
        source_file,
        source_line,
        parent_uuid,
        version,
        chars
    FROM raw
    ANTI JOIN replays USING (source_file, source_line)
    LEFT JOIN (
        SELECT source_file, source_line, sum(text_length)::BIGINT AS chars
        FROM content_items
        WHERE is_compact_summary AND item_type = 'text'
        GROUP BY source_file, source_line
    ) AS texts USING (source_file, source_line)
    WHERE type = 'user' AND is_compact_summary AND parse_status <> 'torn'
),
-- A summary follows its boundary as its child; where that is not said, the nearest one is its own.
pairs AS (
    SELECT
        source_file AS pair_file,
        b.source_line AS boundary_line,
        s.source_line AS summary_line,
        s.chars AS summary_chars
    FROM boundaries AS b
    JOIN summaries AS s USING (source_file)
    WHERE b.kind = 'compaction'
        AND b.agent_id IS NOT DISTINCT FROM s.agent_id
        AND (s.parent_uuid = b.uuid OR s.source_line BETWEEN b.source_line - 10 AND b.source_line + 10)
    QUALIFY row_number() OVER (
            PARTITION BY source_file, s.source_line
            ORDER BY s.parent_uuid = b.uuid DESC NULLS LAST, abs(s.source_line - b.source_line), b.source_line
        ) = 1
        AND row_number() OVER (
            PARTITION BY source_file, b.source_line
            ORDER BY s.parent_uuid = b.uuid DESC NULLS LAST, abs(s.source_line - b.source_line), s.source_line
        ) = 1
),
compacted AS (
    SELECT
        host,
        agent,
        session_id,
        agent_id,
        is_sidechain,
        project_path,
        timestamp,
        source_file,
        source_line,
        version,
        kind,
        true AS has_boundary,
        metadata,
        summary_line,
        summary_chars
    FROM boundaries
    LEFT JOIN pairs ON pair_file = source_file AND boundary_line = source_line
    UNION ALL
    SELECT
        host,
        agent,
        session_id,
        agent_id,
        is_sidechain,
        project_path,
        timestamp,
        source_file,
        source_line,
        version,
        'compaction',
        false,
        NULL,
        source_line,
        chars
    FROM summaries
    ANTI JOIN pairs ON pair_file = source_file AND summary_line = source_line
),
contexts AS (
    SELECT
        source_file,
        source_line,
        is_sidechain,
        coalesce(input_tokens, 0) + cache_read_tokens + cache_creation_tokens AS context_tokens
    FROM message_usage
    SEMI JOIN compacted USING (source_file)
    WHERE usage_kind = 'response'
)
SELECT
    c.host,
    c.agent,
    c.session_id,
    c.agent_id,
    c.project_path,
    c.timestamp,
    c.source_file,
    c.source_line,
    c.version,
    c.kind,
    c.has_boundary,
    json_extract_string(c.metadata, '$.trigger') AS trigger,
    try_cast(json_extract_string(c.metadata, '$.preTokens') AS BIGINT) AS tokens_before,
    try_cast(json_extract_string(c.metadata, '$.postTokens') AS BIGINT) AS tokens_after,
    try_cast(json_extract_string(c.metadata, '$.tokensSaved') AS BIGINT) AS tokens_saved,
    try_cast(json_extract_string(c.metadata, '$.durationMs') AS BIGINT) AS duration_ms,
    b.context_tokens AS context_before,
    a.context_tokens AS context_after,
    c.summary_line,
    c.summary_chars
FROM compacted AS c
ASOF LEFT JOIN contexts AS b
    ON b.source_file = c.source_file
        AND b.is_sidechain = (c.agent_id IS NOT NULL OR c.is_sidechain)
        AND b.source_line < c.source_line
ASOF LEFT JOIN contexts AS a
    ON a.source_file = c.source_file
        AND a.is_sidechain = (c.agent_id IS NOT NULL OR c.is_sidechain)
        AND a.source_line > c.source_line;
