-- Keys of the stored records, one row per record kind and top-level key.
--
-- A kind is the type of a record with the subtype of a system record or the type of an attachment
-- behind it. Shown is what is there, so a key or a type that a new version of the agent program
-- brings shows here first. Every line asked for is parsed, about a second for 200 MB.
--
-- Columns:
--   kind           record kind; empty where a record names no type
--   key            key as it is written, dots and quotes included
--   lines          lines of the kind with the key; one that has it twice counts twice
--   lines_pct      the same in a hundred lines of the kind
--   json_types     JSON types of its values
--   first_version  lowest version of the agent program that wrote it
--   last_version   highest version of the agent program that wrote it
--
-- Examples:
--   warehouse query keys --kind assistant
--   warehouse query keys --kind 'attachment:*' --since 30d

SET VARIABLE since   = coalesce(getvariable('since'), '1970-01-01')::TIMESTAMPTZ;    -- from, inclusive
SET VARIABLE until   = coalesce(getvariable('until'), '9999-12-30')::TIMESTAMPTZ;    -- to, inclusive (a bare date with its whole day)
SET VARIABLE project = getvariable('project')::VARCHAR;                              -- folder, its last component, or a glob (default all)
SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE session = getvariable('session')::VARCHAR;                              -- session id or the beginning of one (default all)
SET VARIABLE kind    = getvariable('kind')::VARCHAR;                                 -- record kind, a glob (default all)
SET VARIABLE "limit" = coalesce(getvariable('limit'), '1000')::INTEGER;              -- rows to show

-- json_keys and the types below $.* come in the order of the line, so they can be unnested side by
-- side. Lines of one shape are grouped before that: 50,000 lines have about 700 shapes.
WITH shapes AS (
    SELECT
        kind,
        version,
        json_keys(data) AS keys,
        json_type(data, '$.*') AS types,
        count(*) AS lines
    FROM records
    WHERE data IS NOT NULL
        AND (getvariable('kind') IS NULL OR kind GLOB getvariable('kind'))
        AND date_filter(timestamp, getvariable('since'), getvariable('until'))
        AND project_filter(project_path, getvariable('project'))
        AND host_filter(host, getvariable('host'))
        AND agent_filter(agent, getvariable('agent'))
        AND session_filter(session_id, getvariable('session'))
    GROUP BY ALL
),
found AS (
    SELECT
        kind,
        version,
        -- By parts: a try_cast to a list, one element of which fails, mixes up rows in DuckDB 1.5.6.
        CASE
            WHEN regexp_matches(version, '^\d{1,6}\.\d{1,6}\.\d{1,6}$')
            THEN [split_part(version, '.', 1)::INTEGER, split_part(version, '.', 2)::INTEGER, split_part(version, '.', 3)::INTEGER]
        END AS version_parts,
        unnest(keys) AS key,
        unnest(types) AS json_type,
        lines,
        sum(lines) OVER (PARTITION BY kind) AS kind_lines
    FROM shapes
)
SELECT
    kind,
    key,
    sum(lines)::BIGINT AS lines,
    (100 * sum(lines) / any_value(kind_lines))::DECIMAL(5, 1) AS lines_pct,
    string_agg(DISTINCT json_type, ', ' ORDER BY json_type) AS json_types,
    arg_min(version, version_parts) AS first_version,
    arg_max(version, version_parts) AS last_version
FROM found
GROUP BY kind, key
ORDER BY kind, lines DESC, key
LIMIT getvariable('limit');
