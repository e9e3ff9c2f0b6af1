-- What the file says of itself, one row per column of a view or table, and per parameter of a macro.
WITH objects AS (
    SELECT 1 AS rank, 'view' AS kind, view_name AS name, comment FROM duckdb_views() WHERE NOT internal
    UNION ALL
    SELECT 3, 'table', table_name, comment FROM duckdb_tables() WHERE NOT internal AND table_name <> 'goose_db_version'
),
columns AS (
    SELECT table_name AS name, column_index AS position, column_name, data_type, comment
    FROM duckdb_columns()
    WHERE NOT internal
),
macros AS (
    SELECT
        2 AS rank,
        'macro' AS kind,
        function_name AS name,
        any_value(comment) AS comment,
        any_value(parameters) AS parameters
    FROM duckdb_functions()
    WHERE NOT internal AND function_type IN ('macro', 'table_macro')
    GROUP BY function_name
)
SELECT kind, name, comment, column_name, data_type, column_comment
FROM (
    SELECT rank, kind, o.name, coalesce(o.comment, '') AS comment, position,
        coalesce(column_name, '') AS column_name, coalesce(data_type, '') AS data_type, coalesce(c.comment, '') AS column_comment
    FROM objects AS o LEFT JOIN columns AS c USING (name)
    UNION ALL
    SELECT rank, kind, name, coalesce(comment, ''), position, parameter, '', ''
    FROM (SELECT *, unnest(parameters) AS parameter, generate_subscripts(parameters, 1) AS position FROM macros)
)
ORDER BY rank, name, position;
