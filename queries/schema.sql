-- Views and tables of the warehouse, one row per object and one per column of it.
--
-- The row of the object itself comes first, with an empty column_name and the first sentence of
-- its description; warehouse schema NAME shows all of it. This is what the file says of itself, so
-- any client can show it.
--
-- Columns:
--   object       view or table
--   kind         view or table
--   column_name  column, empty on the row of the object itself
--   column_type  type of the column
--   comment      what is in it
--
-- Examples:
--   warehouse query schema
--   warehouse query schema --name 'tool_*' --format markdown

SET VARIABLE name    = getvariable('name')::VARCHAR;                                 -- view or table, a glob (default all)
SET VARIABLE "limit" = coalesce(getvariable('limit'), '1000')::INTEGER;              -- rows to show

WITH objects AS (
    SELECT view_name AS object, 'view' AS kind, split_part(comment, chr(10), 1) AS comment
    FROM duckdb_views()
    WHERE database_name = current_database() AND NOT internal
    UNION ALL
    SELECT table_name, 'table', split_part(comment, chr(10), 1)
    FROM duckdb_tables()
    WHERE database_name = current_database() AND NOT internal AND table_name <> 'goose_db_version'
),
columns AS (
    SELECT table_name AS object, column_name, data_type AS column_type, comment, column_index
    FROM duckdb_columns()
    WHERE database_name = current_database() AND NOT internal
)
SELECT
    object,
    kind,
    column_name,
    column_type,
    comment
FROM (
    SELECT object, kind, NULL AS column_name, NULL AS column_type, comment, 0 AS column_index
    FROM objects
    UNION ALL
    SELECT object, kind, column_name, column_type, columns.comment, column_index
    FROM objects
    JOIN columns USING (object)
)
WHERE getvariable('name') IS NULL OR object GLOB getvariable('name')
ORDER BY kind DESC, object, column_index
LIMIT getvariable('limit');
