-- Errors of the API, one row per retry and per error that was shown.
--
-- A retry is a system record of its own (2.0.19 to 2.1.90, later versions keep quiet); the error
-- that ended a request is an assistant line of the model <synthetic> with isApiErrorMessage. Both
-- are outside message_usage. "No response requested." is a placeholder and no error. Copies are one
-- row.
--
-- category puts statuses, error names and texts of all versions in one list: rate-limit,
-- overloaded, authentication, billing, prompt-too-long, output-limit, invalid-request, timeout,
-- server, connection (also a retry without a status: no answer came), other.
--
-- Columns:
--   host            machine the transcript comes from
--   agent           program that wrote it
--   session_id      session
--   agent_id        sub-agent, NULL in the main thread
--   project_path    working directory
--   timestamp       time of the record
--   source_file     transcript
--   source_line     line in it, from 1
--   version         version of the agent program
--   kind            retry or final
--   category        what went wrong, see above
--   status          HTTP status
--   error_type      name of the error as recorded: overloaded_error, rate_limit, ECONNRESET, …
--   retry_attempt   number of the retry, from 1; NULL for a final error
--   max_retries     retries before it gives up
--   wait_ms         wait before the retry, milliseconds
--   text            what was shown, or the message of the error
CREATE OR REPLACE VIEW api_errors AS
WITH retries AS (
    SELECT
        host,
        agent,
        session_id,
        agent_id,
        project_path,
        timestamp,
        source_file,
        source_line,
        version,
        'retry' AS kind,
        coalesce(json_extract_string(data, '$.error.status'), json_extract_string(data, '$.status')) AS status_text,
        coalesce(
            json_extract_string(data, '$.error.error.error.type'),
            json_extract_string(data, '$.error.error.type'),
            json_extract_string(data, '$.error.cause.code'),
            json_extract_string(data, '$.cause.code')
        ) AS error_type,
        retry_attempt,
        max_retries,
        round(retry_in_ms)::BIGINT AS wait_ms,
        coalesce(
            json_extract_string(data, '$.error.error.error.message'),
            json_extract_string(data, '$.error.error.message'),
            CASE WHEN json_type(data, '$.error.error.error') = 'VARCHAR' THEN json_extract_string(data, '$.error.error.error') END,
            CASE WHEN json_type(data, '$.error.error') = 'VARCHAR' THEN json_extract_string(data, '$.error.error') END,
            json_extract_string(data, '$.error.message'),
            json_extract_string(data, '$.content')
        ) AS text
    FROM system_events
    WHERE subtype = 'api_error'
),
finals AS (
    SELECT
        host,
        agent,
        session_id,
        agent_id,
        project_path,
        timestamp,
        source_file,
        source_line,
        version,
        'final' AS kind,
        api_error_status AS status_text,
        error_kind AS error_type,
        NULL::BIGINT AS retry_attempt,
        NULL::BIGINT AS max_retries,
        NULL::BIGINT AS wait_ms,
        text
    FROM raw
    ANTI JOIN replays USING (source_file, source_line)
    LEFT JOIN (
        SELECT source_file, source_line, string_agg(text, chr(10) ORDER BY item_index) AS text
        FROM content_items
        WHERE model = '<synthetic>' AND item_type = 'text'
        GROUP BY source_file, source_line
    ) AS texts USING (source_file, source_line)
    WHERE type = 'assistant' AND is_api_error AND parse_status <> 'torn'
),
errors AS (
    SELECT
        *,
        try_cast(coalesce(status_text, nullif(regexp_extract(text, '^API Error:? \(?(\d{3})\b', 1), '')) AS BIGINT) AS status,
        lower(concat_ws(' ', error_type, text)) AS said
    FROM (
        FROM retries
        UNION ALL BY NAME
        FROM finals
    )
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
    version,
    kind,
    CASE
        WHEN contains(said, 'prompt is too long') OR contains(said, 'context window') OR status = 413 THEN 'prompt-too-long'
        WHEN contains(said, 'output token maximum') OR error_type = 'max_output_tokens' THEN 'output-limit'
        WHEN contains(said, 'credit balance') OR error_type = 'billing_error' OR status = 402 THEN 'billing'
        WHEN status = 529 OR contains(said, 'overloaded') THEN 'overloaded'
        WHEN status = 429 OR contains(said, 'rate_limit') OR contains(said, 'rate limit') OR contains(said, 'hit your limit')
            OR contains(said, 'limit reached') OR contains(said, 'extra usage') OR contains(said, 'usage limit') THEN 'rate-limit'
        WHEN status IN (401, 403) OR error_type IN ('authentication_failed', 'authentication_error', 'permission_error')
            OR contains(said, 'please run /login') OR contains(said, 'api key') THEN 'authentication'
        WHEN status = 408 OR contains(said, 'timed out') OR contains(said, 'timeout') OR contains(said, 'etimedout') THEN 'timeout'
        WHEN status >= 500 OR error_type IN ('api_error', 'server_error') THEN 'server'
        WHEN contains(said, 'connection error') OR contains(said, 'econn') OR contains(said, 'enotfound') OR contains(said, 'epipe')
            OR contains(said, 'eai_again') OR contains(said, 'socket') OR contains(said, 'fetch failed') THEN 'connection'
        WHEN kind = 'retry' AND status IS NULL THEN 'connection'
        WHEN status BETWEEN 400 AND 499 OR error_type IN ('invalid_request', 'invalid_request_error') THEN 'invalid-request'
        ELSE 'other'
    END AS category,
    status,
    error_type,
    retry_attempt,
    max_retries,
    wait_ms,
    text
FROM errors;
