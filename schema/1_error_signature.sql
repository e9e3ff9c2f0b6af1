-- error_signature(error): an error with what varies from one to the next taken out.
--
-- Addresses, paths, ids that mix letters and digits, and numbers become <url>, <path>, <id> and
-- <n>; colours and the tags around an error go; blanks become one; 100 characters are kept. So
-- errors that differ in a file or a line are one.
CREATE OR REPLACE MACRO error_signature(error) AS
    trim(regexp_replace(
        regexp_replace(
            regexp_replace(
                regexp_replace(
                    regexp_replace(
                        regexp_replace(error[:1000], '</?(?:tool_use_error|error)>|\x1b\[[0-9;]*m', '', 'g'),
                        '\b\w+://[^\s''"`<>]+', '<url>', 'g'),
                    '(?:[A-Za-z]:)?[\\/][^\s''"`:;,()<>|\[\]{}]+|~/[^\s''"`:;,()<>|\[\]{}]+|[\w.@-]+(?:[\\/][\w.@-]+)+', '<path>', 'g'),
                '\b(?:[0-9a-fA-F]{8}-[0-9a-fA-F-]{13,}|\w*(?:[A-Za-z]\d|\d[A-Za-z])\w{4,}|\w{4,}(?:[A-Za-z]\d|\d[A-Za-z])\w*)\b', '<id>', 'g'),
            '\d+(?:[.,]\d+)*', '<n>', 'g'),
        '\s+', ' ', 'g')[:100]);
