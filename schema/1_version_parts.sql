-- version_parts(version): a version as numbers that compare as versions do, NULL where it is none.
--
-- As text, 2.1.99 is higher than 2.1.237. Read by parts: a try_cast to a list, one element of which
-- fails, mixes up rows in DuckDB 1.5.6.
CREATE OR REPLACE MACRO version_parts(version) AS
    CASE
        WHEN regexp_matches(version, '^\d{1,6}\.\d{1,6}\.\d{1,6}$')
        THEN [split_part(version, '.', 1)::INTEGER, split_part(version, '.', 2)::INTEGER, split_part(version, '.', 3)::INTEGER]
    END;
