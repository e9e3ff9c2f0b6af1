-- What the lines in doomed_lines are of each file, one row per file. A line behind the last line end
-- counts apart. ends_file tells whether one of them is among the last bytes that hash_state holds.
SELECT
    source_file,
    count(*) FILTER (source_line <= consumed_lines) AS lines,
    coalesce(sum(length_bytes) FILTER (source_line <= consumed_lines), 0)::BIGINT AS bytes,
    bool_or(source_line > consumed_lines) AS has_tail,
    coalesce(bool_or(byte_offset + length_bytes > consumed_bytes - 32) FILTER (source_line <= consumed_lines), false) AS ends_file
FROM (
    SELECT
        source_file,
        source_line,
        byte_offset,
        coalesce(octet_length(bytes), strlen(data::VARCHAR)) + 1 AS length_bytes
    FROM raw
    SEMI JOIN doomed_lines USING (source_file, source_line)
)
JOIN (SELECT source_file, consumed_lines, consumed_bytes FROM indexed_files) USING (source_file)
GROUP BY source_file
ORDER BY source_file
