-- Models that answered, one row per model.
--
-- Placeholders (<synthetic>) are no models. Turns of advisors count, refused attempts do not.
--
-- Columns:
--   model            name as transcripts write it
--   first_seen_at    time of its first response
--   last_seen_at     time of its last one
--   first_version    version of the agent program with the first
--   last_version     version of the agent program with the last
--   responses        responses, turns of advisors included
--   sessions         sessions it answered in
--   total_tokens     tokens, all kinds together
--   cost_usd         cost of the responses that have a price, USD
--   unpriced_tokens  tokens of those that have none
--   priced_as        model in model_prices whose prices are taken; NULL where there is none
--   price_match      exact, by a shorter name, or none; partly where some responses have no price
CREATE OR REPLACE VIEW models AS
SELECT
    model,
    min(timestamp) AS first_seen_at,
    max(timestamp) AS last_seen_at,
    arg_min(version, timestamp) AS first_version,
    arg_max(version, timestamp) AS last_version,
    count(*) AS responses,
    count(DISTINCT session_id) AS sessions,
    sum(total_tokens)::BIGINT AS total_tokens,
    sum(cost_usd) AS cost_usd,
    coalesce(sum(total_tokens) FILTER (cost_usd IS NULL), 0)::BIGINT AS unpriced_tokens,
    max(priced_as) AS priced_as,
    CASE
        WHEN max(priced_as) IS NULL THEN 'none'
        WHEN count(priced_as) < count(*) THEN 'partly'
        WHEN max(priced_as) = model THEN 'exact'
        ELSE 'shorter name'
    END AS price_match
FROM message_usage
WHERE NOT is_attempt AND model IS NOT NULL
GROUP BY model;
