-- Texts of messages, one row per part of one, of the lines that are named, by file:
--
--   SET VARIABLE places = '{"/home/dev/.claude/projects/-home-dev-app/1b7e0c52.jsonl": [5, 9]}';
--   SET VARIABLE whole = 'false';
--
-- The text of a tool call is its input. Of a result there is the head (content_items), and where
-- whole is true all of it, from the line.
WITH places AS (
    SELECT
        entry.key AS source_file,
        unnest(entry.value) AS source_line
    FROM (SELECT unnest(map_entries(getvariable('places')::JSON::MAP(VARCHAR, BIGINT[]))) AS entry)
),
items AS (
    SELECT
        source_file,
        source_line,
        item_index,
        item_type,
        CASE WHEN item_type LIKE '%tool_use' THEN input::VARCHAR ELSE text END AS text,
        CASE WHEN item_type LIKE '%tool_use' THEN length(input::VARCHAR) ELSE text_length END AS text_length,
        is_error OR tool_denial_kind IS NOT NULL AS is_error
    FROM content_items
    SEMI JOIN places USING (source_file, source_line)
),
results AS (
    SELECT
        source_file,
        source_line,
        item_index,
        CASE
            WHEN json_type(content) = 'ARRAY' THEN array_to_string(json_extract_string(content, '$[*].text'), chr(10))
            ELSE json_extract_string(content, '$')
        END AS whole_text
    FROM (
        SELECT
            source_file,
            source_line,
            item_index,
            json_extract(data, '$.message.content[' || item_index || '].content') AS content
        FROM raw
        JOIN items USING (source_file, source_line)
        WHERE getvariable('whole')::BOOLEAN AND item_type LIKE '%tool_result' AND length(items.text) < text_length
    )
)
SELECT
    source_file,
    source_line,
    item_index,
    coalesce(whole_text, text, '') AS text,
    coalesce(text_length, 0) AS text_length,
    is_error
FROM items
LEFT JOIN results USING (source_file, source_line, item_index);
