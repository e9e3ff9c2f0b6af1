-- Parts of messages, one row per content item of a user or assistant line.
--
-- A message whose content is a string is one item of type text. Prompts that only a queue
-- holds are items too: the text of a queue-operation record, and the prompt of a queued_command
-- attachment (2.1.220 and later, delivered without a user line).
--
-- Tool output is most of the bytes and is in raw already: text keeps the output of a failed call
-- whole, of others the first 500 characters; text_length is the length of the whole. Copies of a
-- record are all here; the views above take one of them.
--
-- Shapes seen in 1.0.24 to 2.1.237: tool output is a string or a list of text, image and
-- tool_reference blocks; the input of a call is an object, in a proxy's logs also a string.
--
-- Columns:
--   host                    machine the transcript comes from
--   agent                   program that wrote it
--   session_id              session of the line
--   agent_id                sub-agent of the line, NULL in the main thread
--   project_path            working directory
--   timestamp               time of the line
--   source_file             transcript the item was read from
--   source_line             line in it, from 1
--   item_index              position in the message, from 0
--   generation              refresh that stored the line
--   record_type             type of the line: user, assistant, queue-operation, attachment
--   uuid                    identity of the record
--   message_id              API id of the response
--   role                    role of the message
--   model                   model that wrote it
--   version                 version of the agent program
--   is_meta                 true on lines the program wrote for the model
--   is_sidechain            true on lines of a sub-agent
--   is_compact_summary      true on the summary that follows a compaction
--   is_string               true where the content was a string, not a list
--   item_type               text, thinking, tool_use, tool_result, image, …; NULL where the item names none
--   text                    text of a text, thinking or tool_result item; see above for what is cut
--   text_length             length of the whole text, characters
--   image_count             images in it: 1 for an image item, for a tool_result those in its list
--   tool_id                 id of the tool call, on the call and on its result
--   tool_name               tool called, as the model wrote it
--   input                   input of the call
--   is_error                true on the result of a failed call
--   tool_denial_kind        why the call was refused, where the line says so
--   source_tool_use_id      tool call that wrote the line into the conversation
--   origin_kind             who wrote a user line
--   operation               operation of a queue-operation record
--   attribution_skill       skill the line is attributed to
--   attribution_plugin      plugin the line is attributed to
--   attribution_agent       agent type the line is attributed to
--   attribution_mcp_server  MCP server the line is attributed to
--   attribution_mcp_tool    MCP tool the line is attributed to
CREATE TABLE content_items (
    host                   VARCHAR,
    agent                  VARCHAR,
    session_id             VARCHAR,
    agent_id               VARCHAR,
    project_path           VARCHAR,
    timestamp              TIMESTAMPTZ,
    source_file            VARCHAR,
    source_line            BIGINT,
    item_index             INTEGER,
    generation             BIGINT,
    record_type            VARCHAR,
    uuid                   VARCHAR,
    message_id             VARCHAR,
    role                   VARCHAR,
    model                  VARCHAR,
    version                VARCHAR,
    is_meta                BOOLEAN,
    is_sidechain           BOOLEAN,
    is_compact_summary     BOOLEAN,
    is_string              BOOLEAN,
    item_type              VARCHAR,
    text                   VARCHAR USING COMPRESSION zstd,
    text_length            BIGINT,
    image_count            BIGINT,
    tool_id                VARCHAR,
    tool_name              VARCHAR,
    input                  JSON USING COMPRESSION zstd,
    is_error               BOOLEAN,
    tool_denial_kind       VARCHAR,
    source_tool_use_id     VARCHAR,
    origin_kind            VARCHAR,
    operation              VARCHAR,
    attribution_skill      VARCHAR,
    attribution_plugin     VARCHAR,
    attribution_agent      VARCHAR,
    attribution_mcp_server VARCHAR,
    attribution_mcp_tool   VARCHAR
);

INSERT INTO content_items BY NAME
WITH lists AS (
    SELECT
        *,
        from_json(data, '{"message": {"content": [{"type": "VARCHAR", "text": "VARCHAR", "thinking": "VARCHAR",
            "id": "VARCHAR", "name": "VARCHAR", "input": "JSON", "tool_use_id": "VARCHAR", "is_error": "BOOLEAN",
            "content": "VARCHAR"}]}}').message.content AS list
    FROM raw
    WHERE type IN ('user', 'assistant')
        OR (type = 'queue-operation' AND operation IN ('enqueue', 'popAll'))
        OR (type = 'attachment' AND attachment_type = 'queued_command')
),
-- Content that is no list of blocks. A queued prompt may be a list too; its texts are joined.
prompts AS (
    SELECT
        *,
        CASE
            WHEN list IS NOT NULL THEN NULL
            WHEN type = 'queue-operation' THEN json_extract_string(data, '$.content')
            WHEN type <> 'attachment' THEN
                CASE WHEN json_type(data, '$.message.content') = 'VARCHAR' THEN json_extract_string(data, '$.message.content') END
            WHEN json_type(data, '$.attachment.prompt') = 'ARRAY' THEN
                array_to_string(json_extract_string(data, '$.attachment.prompt[*].text'), chr(10))
            ELSE json_extract_string(data, '$.attachment.prompt')
        END AS prompt
    FROM lists
),
items AS (
    SELECT
        * EXCLUDE (list),
        unnest(CASE WHEN prompt IS NULL THEN range(len(list)) ELSE [0] END) AS item_index,
        unnest(CASE WHEN prompt IS NULL THEN list ELSE [NULL] END) AS item
    FROM prompts
),
texts AS (
    SELECT
        *,
        CASE
            WHEN prompt IS NOT NULL THEN prompt
            WHEN item.type IS NULL THEN json_extract_string(data, '$.message.content[' || item_index || ']')
            WHEN item.type = 'thinking' THEN item.thinking
            WHEN item.content IS NULL THEN item.text
            -- A list of blocks arrives as its JSON text; a string may look like one.
            WHEN item.content LIKE '[%'
                AND json_type(data, '$.message.content[' || item_index || '].content') = 'ARRAY' THEN
                array_to_string(json_extract_string(item.content, '$[*].text'), chr(10))
            ELSE item.content
        END AS whole
    FROM items
)
SELECT
    host,
    agent,
    session_id,
    agent_id,
    project_path,
    timestamp,
    source_file,
    source_line,
    item_index,
    generation,
    type AS record_type,
    uuid,
    message_id,
    role,
    model,
    version,
    is_meta,
    is_sidechain,
    is_compact_summary,
    prompt IS NOT NULL AS is_string,
    CASE WHEN prompt IS NOT NULL THEN 'text' ELSE item.type END AS item_type,
    CASE WHEN item.type LIKE '%tool_result' AND NOT coalesce(item.is_error, false) THEN whole[:500] ELSE whole END AS text,
    length(whole) AS text_length,
    CASE
        WHEN item.type = 'image' THEN 1
        WHEN item.content LIKE '[%' AND contains(item.content, '"image"') THEN
            len(list_filter(json_extract_string(item.content, '$[*].type'), lambda x : x = 'image'))
        ELSE 0
    END AS image_count,
    CASE WHEN item.type LIKE '%tool_use' THEN item.id ELSE item.tool_use_id END AS tool_id,
    item.name AS tool_name,
    CASE WHEN item.type LIKE '%tool_use' THEN item.input END AS input,
    coalesce(item.is_error, false) AS is_error,
    tool_denial_kind,
    source_tool_use_id,
    origin_kind,
    operation,
    attribution_skill,
    attribution_plugin,
    attribution_agent,
    attribution_mcp_server,
    attribution_mcp_tool
FROM texts;
