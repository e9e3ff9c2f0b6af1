-- host_filter(host, val): whether a machine is the one that is asked for.
--
-- NULL lets everything pass.
CREATE OR REPLACE MACRO host_filter(host, val) AS
    val IS NULL OR host = val;
