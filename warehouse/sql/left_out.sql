-- What was kept out of the files that were read, one row per file; columns as in forget_files.sql.
SELECT
    source_file,
    count(*) FILTER (source_line <= consumed_lines) AS lines,
    coalesce(sum(length_bytes) FILTER (source_line <= consumed_lines), 0)::BIGINT AS bytes,
    bool_or(source_line > consumed_lines) AS has_tail,
    coalesce(bool_or(byte_offset + length_bytes > consumed_bytes - 32) FILTER (source_line <= consumed_lines), false) AS ends_file
FROM s.main.left_out
JOIN s.main.outcomes USING (source_file)
GROUP BY source_file
