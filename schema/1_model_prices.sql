-- Prices of models, one row per model, day from which they hold, and source.
--
-- USD per million tokens. Filled from model_prices.csv, which the program brings, and from a
-- person's own file of the same form (warehouse refresh --help says where it lies). From the day
-- of an own row on, only own rows count for its model.
--
-- A response takes the price of its model by the exact name, else by the name without [1m], else
-- without that and a date (-20250929, -2025-04-14, @20250929). What no row covers has no cost.
--
-- Columns:
--   model                    name as transcripts write it
--   valid_from               first day, in UTC, on which the prices hold; 1970-01-01 is always
--   input                    input that no cache served
--   output                   output
--   cache_write_5m           input written to the cache for five minutes
--   cache_write_1h           input written to the cache for one hour; NULL is twice the input price
--   cache_read               input served by the cache
--   tier_above_input_tokens  input, cache reads and cache writes of a response above which the
--                            whole response costs the tier's prices
--   tier_input               input in the tier; NULL here and below is the price outside it
--   tier_output              output in the tier
--   tier_cache_write_5m      cache write for five minutes in the tier
--   tier_cache_write_1h      cache write for one hour in the tier; NULL is twice the input price
--   tier_cache_read          cache read in the tier
--   fast_multiplier          factor on all of it for speed fast; NULL is not known
--   source                   built-in, or own for a person's file
CREATE TABLE model_prices (
    model                   VARCHAR NOT NULL,
    valid_from              DATE NOT NULL DEFAULT '1970-01-01',
    input                   DECIMAL(18, 6) NOT NULL,
    output                  DECIMAL(18, 6) NOT NULL,
    cache_write_5m          DECIMAL(18, 6),
    cache_write_1h          DECIMAL(18, 6),
    cache_read              DECIMAL(18, 6),
    tier_above_input_tokens BIGINT,
    tier_input              DECIMAL(18, 6),
    tier_output             DECIMAL(18, 6),
    tier_cache_write_5m     DECIMAL(18, 6),
    tier_cache_write_1h     DECIMAL(18, 6),
    tier_cache_read         DECIMAL(18, 6),
    fast_multiplier         DECIMAL(6, 3),
    source                  VARCHAR
);
