-- model_family(model): fable, opus, sonnet, haiku or other; NULL where there is no model.
--
-- Short names and names with a provider or a suffix like [1m] are recognised; mythos is fable.
CREATE OR REPLACE MACRO model_family(model) AS
    CASE
        WHEN model IS NULL THEN NULL
        WHEN contains(lower(model), 'fable') OR contains(lower(model), 'mythos') THEN 'fable'
        WHEN contains(lower(model), 'opus') THEN 'opus'
        WHEN contains(lower(model), 'sonnet') THEN 'sonnet'
        WHEN contains(lower(model), 'haiku') THEN 'haiku'
        ELSE 'other'
    END;
