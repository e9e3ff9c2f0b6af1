-- New fields of records, one row per field and JSON type that an old kind of record did not have.
--
-- A kind is old when it was written before the cutoff, so that what is new shows as the program's
-- doing; new kinds are in stream-new. Fields are named by kind and keys, three keys deep, arrays are
-- not entered; a key that holds a dot or a quote stands in quotes. A known field with another JSON
-- type than before is a row too; null is no type. Not looked at are places whose keys are data
-- (map_fields). Days are UTC, a record without a time counts on the first day of its file.
--
-- A part of the lines is read, always the same one, and rows count what was read of it. This parses
-- them, which takes a few seconds for a gigabyte of transcripts; --sample_pct 100 reads all.
--
-- Columns:
--   field          kind and keys
--   json_type      JSON type of its values
--   is_new_type    true where the field is known and the type is new
--   recent_rows    sampled records that have it
--   first_seen     time of the first
--   last_seen      time of the last
--   first_version  lowest version of the agent program that wrote it
--   last_version   highest version
--
-- Examples:
--   warehouse query field-drift
--   warehouse query field-drift --new_days 7 --min_rows 1 --sample_pct 100
--   warehouse query field-drift --cutoff_date 2026-11-01

SET VARIABLE host    = getvariable('host')::VARCHAR;                                 -- machine (default all)
SET VARIABLE agent   = getvariable('agent')::VARCHAR;                                -- agent program (default all)
SET VARIABLE new_days = coalesce(getvariable('new_days'), '45')::INTEGER;            -- how many days a thing is new
SET VARIABLE cutoff_date = getvariable('cutoff_date')::DATE;                         -- first day of what is new, instead of new_days
SET VARIABLE min_rows = coalesce(getvariable('min_rows'), '50')::INTEGER;            -- leave out what fewer sampled records have
SET VARIABLE sample_pct = coalesce(getvariable('sample_pct'), '40')::INTEGER;        -- how much of the lines to read, per cent
SET VARIABLE "limit" = coalesce(getvariable('limit'), '200')::INTEGER;               -- rows to show

WITH file_days AS (
    SELECT source_file, min(timestamp) AS first_timestamp
    FROM raw
    GROUP BY source_file
),
span AS (
    SELECT coalesce(
        getvariable('cutoff_date'),
        DATE '1970-01-01' + (epoch_ms(max(timestamp)) // 86400000)::INTEGER - getvariable('new_days')
    ) AS cutoff
    FROM raw
),
-- Lines of one shape are grouped before anything is unnested: 50,000 lines have a few hundred
-- shapes a day. Below a wildcard come keys and types in the order of the line.
shapes AS (
    SELECT
        concat_ws(':', raw.type, CASE WHEN raw.type = 'attachment' THEN raw.attachment_type ELSE raw.subtype END) AS kind,
        json_keys(raw.data) AS keys,
        json_type(raw.data, '$.*') AS types,
        json_keys(raw.data, '$.*') AS keys_2,
        json_type(raw.data, '$.*.*') AS types_2,
        json_keys(raw.data, '$.*.*') AS keys_3,
        json_type(raw.data, '$.*.*.*') AS types_3,
        DATE '1970-01-01' + (epoch_ms(coalesce(raw.timestamp, file_days.first_timestamp)) // 86400000)::INTEGER AS day,
        raw.version,
        count(*) AS lines,
        min(coalesce(raw.timestamp, file_days.first_timestamp)) AS first_seen,
        max(coalesce(raw.timestamp, file_days.first_timestamp)) AS last_seen
    FROM raw
    ANTI JOIN replays ON replays.source_file = raw.source_file AND replays.source_line = raw.source_line
    JOIN file_days ON file_days.source_file = raw.source_file
    WHERE raw.parse_status IN ('ok', 'repaired')
        AND raw.type IS NOT NULL
        AND md5_number_lower(parse_filename(raw.source_file) || ':' || raw.source_line) % 100 < getvariable('sample_pct')
        AND host_filter(raw.host, getvariable('host'))
        AND agent_filter(raw.agent, getvariable('agent'))
    GROUP BY ALL
),
numbered AS (
    SELECT row_number() OVER () AS shape, *
    FROM shapes
),
-- One level after another: of each value its path, its type and, where it is an object, its keys.
level_1 AS (
    SELECT
        shape,
        [unnest(keys)] AS path,
        unnest(types) AS json_type,
        unnest(keys_2) AS inner_keys,
        generate_subscripts(keys, 1) AS place
    FROM numbered
),
level_2 AS (
    SELECT
        shape,
        inside.path,
        types_2[number] AS json_type,
        keys_3[number] AS inner_keys,
        number AS place
    FROM (
        SELECT shape, path, row_number() OVER (PARTITION BY shape ORDER BY place, inner_place) AS number
        FROM (
            SELECT shape, list_append(path, unnest(inner_keys)) AS path, place, generate_subscripts(inner_keys, 1) AS inner_place
            FROM level_1
        )
    ) AS inside
    JOIN numbered USING (shape)
),
level_3 AS (
    SELECT
        shape,
        inside.path,
        types_3[number] AS json_type
    FROM (
        SELECT shape, path, row_number() OVER (PARTITION BY shape ORDER BY place, inner_place) AS number
        FROM (
            SELECT shape, list_append(path, unnest(inner_keys)) AS path, place, generate_subscripts(inner_keys, 1) AS inner_place
            FROM level_2
        )
    ) AS inside
    JOIN numbered USING (shape)
),
fields AS (
    SELECT shape, path, json_type FROM level_1
    UNION ALL
    SELECT shape, path, json_type FROM level_2
    UNION ALL
    SELECT shape, path, json_type FROM level_3
),
-- Whole and other numbers are one type: 1 and 1.5 may be the same field.
typed AS (
    SELECT
        kind,
        path AS keys_path,
        CASE
            WHEN json_type IN ('UBIGINT', 'BIGINT', 'HUGEINT', 'DOUBLE') THEN 'NUMBER'
            WHEN json_type = 'VARCHAR' THEN 'STRING'
            ELSE json_type
        END AS json_type,
        sum(lines) AS lines,
        min(first_seen) AS first_seen,
        max(last_seen) AS last_seen,
        arg_min(version, version_parts(version)) AS first_version,
        arg_max(version, version_parts(version)) AS last_version
    FROM fields
    JOIN numbered USING (shape)
    GROUP BY ALL
),
kinds AS (
    SELECT kind, min(first_seen) AS first_seen
    FROM shapes
    GROUP BY kind
),
known AS (
    SELECT
        typed.*,
        array_to_string([CASE WHEN regexp_matches(k, '^[^."\s]+$') THEN k ELSE '"' || replace(k, '"', '\"') || '"' END FOR k IN keys_path], '.') AS path,
        kinds.first_seen AS kind_first_seen,
        min(typed.first_seen) OVER (PARTITION BY typed.kind, typed.keys_path) AS path_first_seen
    FROM typed
    JOIN kinds USING (kind)
)
SELECT
    kind || '.' || path AS field,
    json_type,
    path_first_seen < first_seen AND path_first_seen < cutoff AS is_new_type,
    lines::BIGINT AS recent_rows,
    first_seen,
    last_seen,
    first_version,
    last_version
FROM known
CROSS JOIN span
WHERE first_seen >= cutoff
    AND json_type <> 'NULL'
    AND kind_first_seen < cutoff
    AND lines >= getvariable('min_rows')
    AND NOT EXISTS (
        FROM map_fields AS m
        WHERE known.kind GLOB m.kind AND (m.path = '$' OR starts_with(known.path, m.path || '.'))
    )
ORDER BY first_seen DESC, recent_rows DESC, field, json_type
LIMIT getvariable('limit');
