-- Keys and JSON types at a place of the stored records, one row per key and type.
--
-- The place is a JSON path, with or without $ before it: message.usage, $.message.content[*].input,
-- $.toolUseResult."a.key". A JSON pointer (/message/usage) names any key whatever. An array found
-- there stands for its items. What is no object shows with its own type and an empty field. A key
-- whose values differ in type has several rows. Every line asked for is parsed, about a second for
-- 200 MB.
--
-- Columns:
--   field      key as it is written; empty for the value itself
--   json_type  JSON type of its values, as DuckDB names it
--   n          values
--
-- Examples:
--   warehouse query fields --kind assistant --path message.usage
--   warehouse query fields --path '$.message.content[*].input' --since 30d

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE kind    = getvariable('kind')::VARCHAR;                                 -- record kind, a glob (default all)
SET VARIABLE path    = coalesce(getvariable('path'), '$')::VARCHAR;                  -- place in the record, a JSON path or pointer
SET VARIABLE "limit" = coalesce(getvariable('limit'), '1000')::INTEGER;              -- rows to show

-- A path with a wildcard finds a list, which as JSON is an array like any other. Lines of one shape
-- are grouped before anything is unnested, so that no value is handed on.
WITH places AS (
    SELECT
        json_extract(
            data,
            CASE WHEN getvariable('path')[1] IN ('$', '/') THEN getvariable('path') ELSE '$.' || getvariable('path') END
        )::JSON AS place
    FROM records
    WHERE data IS NOT NULL
        AND (getvariable('kind') IS NULL OR kind GLOB getvariable('kind'))
        AND date_filter(timestamp, getvariable('since'), getvariable('until'))
        AND project_filter(project_path, getvariable('project'))
        AND host_filter(host, getvariable('host'))
        AND agent_filter(agent, getvariable('agent'))
        AND session_filter(session_id, getvariable('session'))
),
typed AS (
    SELECT
        place,
        json_type(place) AS place_type
    FROM places
),
shapes AS (
    SELECT
        CASE place_type WHEN 'OBJECT' THEN json_keys(place) WHEN 'ARRAY' THEN flatten(json_keys(place, '$[*]')) END AS keys,
        CASE place_type WHEN 'OBJECT' THEN json_type(place, '$.*') WHEN 'ARRAY' THEN json_type(place, '$[*].*') END AS key_types,
        CASE place_type WHEN 'OBJECT' THEN NULL WHEN 'ARRAY' THEN json_type(place, '$[*]') ELSE [place_type] END AS own_types,
        count(*) AS n
    FROM typed
    GROUP BY ALL
),
fields AS (
    SELECT unnest(keys) AS field, unnest(key_types) AS json_type, n
    FROM shapes
    UNION ALL
    SELECT NULL, unnest(list_filter(own_types, t -> t <> 'OBJECT')), n
    FROM shapes
)
SELECT
    field,
    json_type,
    sum(n)::BIGINT AS n
FROM fields
WHERE json_type IS NOT NULL
GROUP BY field, json_type
ORDER BY sum(sum(n)) OVER (PARTITION BY field) DESC, field, n DESC, json_type
LIMIT getvariable('limit');
