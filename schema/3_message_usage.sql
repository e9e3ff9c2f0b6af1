-- Token usage and cost, one row per model response.
--
-- One response is written as several lines (usage_lines), copied by resumes and forks and replayed
-- by sub-agents. Every total comes from here.
--
-- One whole line gives the numbers, the model and the time: the one with the highest output; on a
-- tie a line of a main thread before a sub-agent's; then the file in which the response appears
-- earliest, of copies at one time one that is no fork, then one of this machine; within it the latest
-- line. Usage that exists only inside a nested progress record counts.
--
-- The response is booked to the session of the line in which it appeared first, and to the main
-- thread whenever any line of it is there.
--
-- Placeholders are no responses: model <synthetic> and lines that report an API error. The turn of
-- an advisor (usage.iterations, 2.1.231 and later) is a row of its own, with its own model; refused
-- attempts are rows with is_attempt, which totals leave out.
--
-- Cost is tokens times the prices in model_prices, the premiums of the row included, and a cent for
-- each web search; a cost that the agent recorded comes before it. It is NULL, never 0, where a
-- price is missing. Rounded to 12 decimals for each row, so any sums of rows add up.
--
-- Figures are as recorded in transcripts. Versions before 2.1.88 often never wrote the final count:
-- is_output_partial marks rows whose output is a lower bound.
--
-- Stored, since choosing the lines and pricing them took 0.1 s of each query (28,000 lines), half
-- of it planning.
--
-- Key: usage_lines.response_key
--
-- Columns:
--   host                    machine the transcript comes from
--   agent                   program that wrote it
--   session_id              session the response is booked to
--   agent_id                sub-agent it is booked to, NULL for the main thread
--   project_path            working directory of the line it is booked by
--   git_branch              branch checked out there
--   timestamp               time of the winner line
--   response_key            what makes lines one response
--   usage_kind              response, advisor or attempt
--   message_id              API id of the response
--   request_id              API request
--   model                   model that wrote it
--   priced_as               model in model_prices whose prices are taken; NULL where there is none
--   version                 version of the agent program
--   is_sidechain            true where it is booked to a sub-agent
--   source_file             transcript of the winner line
--   source_line             line in it, from 1
--   attribution_skill       skill the winner line is attributed to
--   attribution_plugin      plugin the winner line is attributed to
--   attribution_agent       agent type the winner line is attributed to
--   attribution_mcp_server  MCP server the winner line is attributed to
--   attribution_mcp_tool    MCP tool the winner line is attributed to
--   speed                   standard or fast
--   service_tier            standard, batch, …
--   inference_geo           where it was computed
--   input_tokens            input that no cache served
--   output_tokens           output, reasoning included
--   cache_read_tokens       input served by the cache
--   cache_write_5m_tokens   input written to the cache for five minutes
--   cache_write_1h_tokens   input written to the cache for one hour
--   cache_creation_tokens   input written to the cache, both lifetimes together
--   total_tokens            input, output, cache reads and cache writes
--   reasoning_tokens        part of output_tokens, where the agent says so
--   web_search_requests     web searches the API made
--   cost_usd                cost, USD; NULL where it is not known
--   computed_cost_usd       cost by tokens and prices alone, USD; NULL where it is not known
--   is_cost_recorded        true where the agent recorded the cost
--   premium_not_modelled    what may have made the response dearer and has no price: fast, a
--                           service tier or a place; NULL where nothing
--   content_rows            lines of the response
--   is_output_partial       true where output_tokens is a lower bound
--   is_attempt              true for a refused attempt
CREATE TABLE message_usage (
    host VARCHAR,
    agent VARCHAR,
    session_id VARCHAR,
    agent_id VARCHAR,
    project_path VARCHAR,
    git_branch VARCHAR,
    timestamp TIMESTAMPTZ,
    response_key VARCHAR,
    usage_kind VARCHAR,
    message_id VARCHAR,
    request_id VARCHAR,
    model VARCHAR,
    priced_as VARCHAR,
    version VARCHAR,
    is_sidechain BOOLEAN,
    source_file VARCHAR,
    source_line BIGINT,
    attribution_skill VARCHAR,
    attribution_plugin VARCHAR,
    attribution_agent VARCHAR,
    attribution_mcp_server VARCHAR,
    attribution_mcp_tool VARCHAR,
    speed VARCHAR,
    service_tier VARCHAR,
    inference_geo VARCHAR,
    input_tokens BIGINT,
    output_tokens BIGINT,
    cache_read_tokens BIGINT,
    cache_write_5m_tokens BIGINT,
    cache_write_1h_tokens BIGINT,
    cache_creation_tokens BIGINT,
    total_tokens BIGINT,
    reasoning_tokens BIGINT,
    web_search_requests BIGINT,
    cost_usd DECIMAL(38, 12),
    computed_cost_usd DECIMAL(38, 12),
    is_cost_recorded BOOLEAN,
    premium_not_modelled VARCHAR,
    content_rows BIGINT,
    is_output_partial BOOLEAN,
    is_attempt BOOLEAN
);

INSERT INTO message_usage
WITH files AS (
    SELECT
        source_file,
        row_number() OVER (ORDER BY min(timestamp) NULLS LAST, bool_or(forked_from IS NOT NULL), bool_or(host <> 'local'), source_file) AS file_number
    FROM raw
    JOIN (SELECT DISTINCT source_file FROM usage_lines) USING (source_file)
    WHERE parse_status <> 'torn'
    GROUP BY source_file
),
-- Aggregates rather than windows: a fifth of the time (20 ms against 100 for 34,000 lines).
by_file AS (
    SELECT
        response_key,
        file_number,
        count(*) AS lines,
        bool_and(is_sidechain) AS is_sidechain,
        min(timestamp) AS appeared_at,
        arg_max(
            {'line_key': line_key, 'is_nested': is_nested, 'output_tokens': coalesce(output_tokens, -1), 'is_sidechain': is_sidechain},
            {'a': NOT is_nested, 'b': coalesce(output_tokens, -1), 'c': NOT is_sidechain, 'd': source_line}
        ) AS best,
        arg_min(
            {'line_key': line_key, 'is_nested': is_nested, 'timestamp': coalesce(timestamp, 'infinity')},
            {'a': is_nested, 'b': coalesce(timestamp, 'infinity'), 'c': source_line}
        ) AS earliest
    FROM usage_lines
    JOIN files USING (source_file)
    WHERE left_out IS NULL
    GROUP BY response_key, file_number
),
responses AS (
    SELECT
        response_key,
        sum(lines)::BIGINT AS content_rows,
        bool_and(is_sidechain) AS is_booked_to_sub,
        arg_min(
            best.line_key,
            {'a': best.is_nested, 'b': -best.output_tokens, 'c': best.is_sidechain, 'd': coalesce(appeared_at, 'infinity'), 'e': file_number}
        ) AS winner,
        arg_min(earliest.line_key, {'a': earliest.is_nested, 'b': earliest.timestamp, 'c': file_number}) AS first_line
    FROM by_file
    GROUP BY response_key
),
winners AS (
    SELECT
        responses.response_key,
        content_rows,
        is_booked_to_sub,
        first_line,
        line.* EXCLUDE (host, agent, session_id, agent_id, project_path, git_branch, response_key),
        -- Turn 0 is the response, the others are those of usage.iterations. A union of both would read
        -- winners twice, and DuckDB computes all columns of what it reads twice.
        unnest(range(1 + coalesce(json_array_length(iterations)::BIGINT, 0))) AS turn_number
    FROM responses
    JOIN usage_lines AS line ON line.line_key = winner AND line.response_key = responses.response_key
),
parsed AS (
    SELECT
        *,
        CASE
            WHEN turn_number > 0
            THEN from_json(json_extract(iterations, turn_number - 1), '{"type": "VARCHAR", "model": "VARCHAR", "input_tokens": "UINTEGER",
                "output_tokens": "UINTEGER", "cache_read_input_tokens": "UINTEGER", "cache_creation_input_tokens": "UINTEGER",
                "cache_creation": {"ephemeral_5m_input_tokens": "UINTEGER", "ephemeral_1h_input_tokens": "UINTEGER"}}')
        END AS turn
    FROM winners
),
turns AS (
    SELECT
        * EXCLUDE (turn, turn_number, iterations) REPLACE (
            CASE WHEN turn_number = 0 THEN model ELSE coalesce(turn.model, model) END AS model,
            CASE WHEN turn_number = 0 THEN input_tokens ELSE turn.input_tokens END AS input_tokens,
            CASE WHEN turn_number = 0 THEN output_tokens ELSE turn.output_tokens END AS output_tokens,
            CASE WHEN turn_number = 0 THEN cache_read_tokens ELSE coalesce(turn.cache_read_input_tokens, 0) END AS cache_read_tokens,
            CASE
                WHEN turn_number = 0 THEN cache_write_5m_tokens
                ELSE greatest(
                    coalesce(turn.cache_creation_input_tokens::BIGINT, 0) - coalesce(turn.cache_creation.ephemeral_1h_input_tokens::BIGINT, 0),
                    coalesce(turn.cache_creation.ephemeral_5m_input_tokens, 0)
                )
            END AS cache_write_5m_tokens,
            CASE WHEN turn_number = 0 THEN cache_write_1h_tokens ELSE coalesce(turn.cache_creation.ephemeral_1h_input_tokens, 0) END AS cache_write_1h_tokens,
            CASE WHEN turn_number = 0 THEN reasoning_tokens END AS reasoning_tokens,
            CASE WHEN turn_number = 0 THEN web_search_requests ELSE 0 END AS web_search_requests,
            CASE WHEN turn_number = 0 THEN recorded_cost_usd END AS recorded_cost_usd,
            CASE WHEN turn_number = 0 THEN content_rows ELSE 0 END AS content_rows
        ),
        CASE
            WHEN turn_number = 0 THEN 'response'
            WHEN turn.type = 'advisor_message' THEN 'advisor'
            ELSE 'attempt'
        END AS usage_kind
    FROM parsed
    WHERE turn_number = 0 OR turn.type <> 'message'
),
-- USD per token. An own row ends the built-in ones of its model.
prices AS (
    SELECT
        model,
        valid_from::TIMESTAMP AT TIME ZONE 'UTC' AS valid_from,
        coalesce(lead(valid_from) OVER (PARTITION BY model ORDER BY valid_from)::TIMESTAMP AT TIME ZONE 'UTC', 'infinity') AS valid_until,
        tier_above_input_tokens,
        (input * 0.000001)::DECIMAL(18, 12) AS input_usd,
        (output * 0.000001)::DECIMAL(18, 12) AS output_usd,
        (cache_read * 0.000001)::DECIMAL(18, 12) AS read_usd,
        (cache_write_5m * 0.000001)::DECIMAL(18, 12) AS write_5m_usd,
        (coalesce(cache_write_1h, 2 * input) * 0.000001)::DECIMAL(18, 12) AS write_1h_usd,
        (coalesce(tier_input, input) * 0.000001)::DECIMAL(18, 12) AS tier_input_usd,
        (coalesce(tier_output, output) * 0.000001)::DECIMAL(18, 12) AS tier_output_usd,
        (coalesce(tier_cache_read, cache_read) * 0.000001)::DECIMAL(18, 12) AS tier_read_usd,
        (coalesce(tier_cache_write_5m, cache_write_5m) * 0.000001)::DECIMAL(18, 12) AS tier_write_5m_usd,
        (coalesce(tier_cache_write_1h, 2 * coalesce(tier_input, input)) * 0.000001)::DECIMAL(18, 12) AS tier_write_1h_usd,
        fast_multiplier
    FROM model_prices
    LEFT JOIN (
        SELECT
            model,
            min(valid_from) AS own_from
        FROM model_prices
        WHERE source = 'own'
        GROUP BY model
    ) AS own USING (model)
    WHERE source = 'own' OR valid_from < coalesce(own_from, 'infinity')
),
-- A bucket without tokens needs no price. The decimals are as narrow as they can be: one product
-- that is 38 digits wide takes as long as all the rest of the view.
priced AS (
    SELECT
        turns.*,
        prices.model AS priced_as,
        fast_multiplier,
        coalesce(input_tokens, 0) + cache_read_tokens + cache_write_5m_tokens + cache_write_1h_tokens > tier_above_input_tokens AS is_in_tier,
        CASE WHEN input_tokens > 0 THEN input_tokens * CASE WHEN is_in_tier THEN tier_input_usd ELSE input_usd END ELSE 0 END
            + CASE WHEN output_tokens > 0 THEN output_tokens * CASE WHEN is_in_tier THEN tier_output_usd ELSE output_usd END ELSE 0 END
            + CASE WHEN cache_read_tokens > 0 THEN cache_read_tokens * CASE WHEN is_in_tier THEN tier_read_usd ELSE read_usd END ELSE 0 END
            + CASE WHEN cache_write_5m_tokens > 0 THEN cache_write_5m_tokens * CASE WHEN is_in_tier THEN tier_write_5m_usd ELSE write_5m_usd END ELSE 0 END
            + CASE WHEN cache_write_1h_tokens > 0 THEN cache_write_1h_tokens * CASE WHEN is_in_tier THEN tier_write_1h_usd ELSE write_1h_usd END ELSE 0 END
            AS standard_usd,
        CASE WHEN speed = 'fast' THEN (standard_usd * fast_multiplier)::DECIMAL(38, 12) END AS fast_usd,
        coalesce(fast_usd, standard_usd) AS online_usd,
        CASE WHEN service_tier = 'batch' THEN (online_usd * 0.5)::DECIMAL(38, 12) ELSE online_usd END AS tokens_usd,
        CASE
            WHEN priced_as IS NULL THEN NULL
            WHEN web_search_requests > 0 THEN (tokens_usd + web_search_requests * 0.01)::DECIMAL(38, 12)
            ELSE tokens_usd
        END AS computed_usd
    FROM turns
    LEFT JOIN (SELECT DISTINCT model FROM model_prices) AS exact ON exact.model = turns.model
    LEFT JOIN (SELECT DISTINCT model FROM model_prices) AS plain
        ON plain.model = CASE WHEN exact.model IS NULL THEN regexp_replace(turns.model, '\[1m\]$', '') END
    LEFT JOIN (SELECT DISTINCT model FROM model_prices) AS undated
        ON undated.model = CASE
            WHEN coalesce(exact.model, plain.model) IS NULL
            THEN regexp_replace(turns.model, '(-\d{8}|-\d{4}-\d{2}-\d{2}|@\d{8})?(\[1m\])?$', '')
        END
    LEFT JOIN prices ON prices.model = coalesce(exact.model, plain.model, undated.model)
        AND prices.valid_from <= coalesce(turns.timestamp, 'infinity')
        AND prices.valid_until > coalesce(turns.timestamp, '9999-12-31')
)
SELECT
    host,
    agent,
    session_id,
    CASE WHEN is_booked_to_sub THEN agent_id END AS agent_id,
    project_path,
    git_branch,
    timestamp,
    response_key,
    usage_kind,
    message_id,
    request_id,
    model,
    priced_as,
    version,
    is_booked_to_sub AS is_sidechain,
    source_file,
    source_line,
    attribution_skill,
    attribution_plugin,
    attribution_agent,
    attribution_mcp_server,
    attribution_mcp_tool,
    speed,
    service_tier,
    inference_geo,
    input_tokens,
    output_tokens,
    cache_read_tokens,
    cache_write_5m_tokens,
    cache_write_1h_tokens,
    cache_write_5m_tokens + cache_write_1h_tokens AS cache_creation_tokens,
    coalesce(input_tokens, 0) + coalesce(output_tokens, 0) + cache_read_tokens + cache_write_5m_tokens + cache_write_1h_tokens AS total_tokens,
    reasoning_tokens,
    web_search_requests,
    coalesce(recorded_cost_usd, computed_usd) AS cost_usd,
    computed_usd AS computed_cost_usd,
    recorded_cost_usd IS NOT NULL AS is_cost_recorded,
    CASE
        WHEN recorded_cost_usd IS NOT NULL OR priced_as IS NULL THEN NULL
        ELSE nullif(
            concat_ws(
                ', ',
                CASE WHEN speed = 'fast' AND fast_multiplier IS NULL THEN 'fast' END,
                CASE WHEN service_tier NOT IN ('', 'standard', 'batch') THEN 'tier ' || service_tier END,
                CASE WHEN inference_geo NOT IN ('', 'global', 'not_available') THEN 'geo ' || inference_geo END
            ),
            ''
        )
    END AS premium_not_modelled,
    content_rows,
    usage_kind = 'response'
        AND stop_reason IS NULL
        AND coalesce(output_tokens, 0) <= 8
        -- By parts: a try_cast to a list, one element of which fails, mixes up rows in DuckDB 1.5.6.
        AND coalesce(
            try_cast(split_part(version, '.', 1) AS SMALLINT)::BIGINT * 10000000000
                + try_cast(split_part(version, '.', 2) AS SMALLINT)::BIGINT * 100000
                + try_cast(split_part(version, '.', 3) AS SMALLINT)
                < 20000100088,
            true
        ) AS is_output_partial,
    usage_kind = 'attempt' AS is_attempt
FROM priced
JOIN (
    SELECT
        line_key AS first_line,
        response_key,
        host,
        agent,
        session_id,
        agent_id,
        project_path,
        git_branch
    FROM usage_lines
) AS booked USING (first_line, response_key);
