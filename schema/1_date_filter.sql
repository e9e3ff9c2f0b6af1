-- date_filter(ts, after, before): whether a time lies within both bounds, inclusive.
--
-- A bound is a time, or text in the form of one; a bare date as the upper bound means the end of
-- its day, in the session's zone. NULL is no bound, and neither is 1970-01-01 below or 9999-12-30
-- above: a record without a time passes only where there is no bound at all. Found only where the
-- warehouse is the main database, or after USE; so is every macro.
CREATE OR REPLACE MACRO date_filter(ts, after, before) AS
    (coalesce(after::TIMESTAMPTZ < '1970-01-02 00:00:00+00'::TIMESTAMPTZ, true) OR ts >= after::TIMESTAMPTZ)
    AND (
        coalesce(before::TIMESTAMPTZ > '9999-12-29 00:00:00+00'::TIMESTAMPTZ, true)
        OR ts <= before::TIMESTAMPTZ + CASE WHEN length(before::VARCHAR) = 10 THEN INTERVAL '86399999999 microseconds' ELSE INTERVAL '0 microseconds' END
    );
