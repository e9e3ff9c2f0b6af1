-- Tokens and cost by day as ccusage counts them, one row per day.
--
-- The figures of the command line tool ccusage, version 20.0.24 (claude daily --offline), by its
-- rules over the same lines, so that people who move from it can see what changes. Found by trying
-- it; where it agrees with usage-daily, which is the case for transcripts of plain Claude Code,
-- nothing is said.
--
-- What it does otherwise: a response without a request id is counted once for each of its lines; a
-- sub-agent's line gives way to one of the main thread, even where it alone has the final count;
-- above a long-context limit only the tokens of each kind beyond it cost more, not the whole
-- request; web searches cost nothing; the turns of advisors are not counted; a model without a
-- price costs 0. Not followed here: lines whose JSON has blanks between its tokens, which it does
-- not read, and its own prices for models that have none here.
--
-- Columns:
--   day                    day in the zone of the session (--tz)
--   models                 models that answered
--   input_tokens           input that no cache served
--   output_tokens          output
--   cache_creation_tokens  input written to the cache
--   cache_read_tokens      input served by the cache
--   total_tokens           the four together
--   cost_usd               cost by its rules and the prices here, USD
--
-- Totals: input_tokens, output_tokens, cache_creation_tokens, cache_read_tokens, total_tokens, cost_usd
--
-- Examples:
--   warehouse query usage-ccusage --since 7d
--   warehouse query usage-ccusage --tz UTC --format csv

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE "limit" = getvariable('limit')::INTEGER;                                -- rows to show (default all)

WITH lines AS (
    SELECT
        *,
        -- Without both ids a line is a response of its own.
        CASE
            WHEN message_id IS NOT NULL AND request_id IS NOT NULL THEN concat_ws('/', message_id, request_id)
            ELSE concat_ws('/', source_file, source_line)
        END AS pair
    FROM usage_lines
    WHERE left_out IS NULL
        AND timestamp IS NOT NULL
        AND input_tokens IS NOT NULL
        AND output_tokens IS NOT NULL
),
counted AS (
    SELECT *
    FROM lines
    WHERE NOT is_sidechain OR coalesce(message_id, '') NOT IN (
        SELECT message_id
        FROM lines
        WHERE NOT is_sidechain AND message_id IS NOT NULL
    )
    QUALIFY row_number() OVER (
        PARTITION BY pair
        ORDER BY output_tokens DESC, is_sidechain, source_file, source_line
    ) = 1
),
prices AS (
    SELECT
        model,
        arg_max({
            'input': input,
            'output': output,
            'read': cache_read,
            'write_5m': cache_write_5m,
            'write_1h': coalesce(cache_write_1h, 2 * input),
            'tier': tier_above_input_tokens,
            'tier_input': coalesce(tier_input, input),
            'tier_output': coalesce(tier_output, output),
            'tier_read': coalesce(tier_cache_read, cache_read),
            'tier_write_5m': coalesce(tier_cache_write_5m, cache_write_5m),
            'tier_write_1h': coalesce(tier_cache_write_1h, 2 * coalesce(tier_input, input)),
            'fast': fast_multiplier
        }, {'a': source = 'own', 'b': valid_from}) AS price
    FROM model_prices
    GROUP BY model
),
-- Of each kind of tokens, those up to the tier at one price and those above it at the other.
priced AS (
    SELECT
        counted.*,
        coalesce(price.tier, 1000000000000) AS tier,
        (
            least(input_tokens, tier) * price.input + greatest(input_tokens - tier, 0) * price.tier_input
            + least(output_tokens, tier) * price.output + greatest(output_tokens - tier, 0) * price.tier_output
            + least(cache_read_tokens, tier) * price.read + greatest(cache_read_tokens - tier, 0) * price.tier_read
            + least(cache_write_5m_tokens, tier) * price.write_5m + greatest(cache_write_5m_tokens - tier, 0) * price.tier_write_5m
            + least(cache_write_1h_tokens, tier) * price.write_1h + greatest(cache_write_1h_tokens - tier, 0) * price.tier_write_1h
        ) AS millionths,
        CASE WHEN speed = 'fast' THEN coalesce(price.fast, 1) ELSE 1 END AS factor
    FROM counted
    LEFT JOIN prices USING (model)
)
SELECT
    day,
    models,
    input_tokens,
    output_tokens,
    cache_creation_tokens,
    cache_read_tokens,
    total_tokens,
    cost_usd
FROM (
    SELECT
        timestamp::DATE AS day,
        string_agg(DISTINCT model, ', ' ORDER BY model) AS models,
        sum(input_tokens)::BIGINT AS input_tokens,
        sum(output_tokens)::BIGINT AS output_tokens,
        sum(cache_write_5m_tokens + cache_write_1h_tokens)::BIGINT AS cache_creation_tokens,
        sum(cache_read_tokens)::BIGINT AS cache_read_tokens,
        sum(priced.input_tokens + priced.output_tokens + cache_write_5m_tokens + cache_write_1h_tokens + priced.cache_read_tokens)::BIGINT AS total_tokens,
        sum(coalesce(recorded_cost_usd, (millionths * factor * 0.000001)::DECIMAL(38, 12), 0)) AS cost_usd
    FROM priced
    WHERE date_filter(timestamp, getvariable('since'), getvariable('until'))
        AND project_filter(project_path, getvariable('project'))
        AND host_filter(host, getvariable('host'))
        AND agent_filter(agent, getvariable('agent'))
        AND session_filter(session_id, getvariable('session'))
    GROUP BY day
    ORDER BY day DESC
    LIMIT getvariable('limit')
)
ORDER BY day;
