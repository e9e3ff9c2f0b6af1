-- counted(n, noun): a number of things in words, 1 file or 1,200 files.
CREATE OR REPLACE MACRO counted(n, noun) AS
    format('{:,} ', n::BIGINT) || noun || CASE WHEN n = 1 THEN '' ELSE 's' END;
