-- project_id(host, path): one name for a working directory on a machine, host:path.
CREATE OR REPLACE MACRO project_id(host, path) AS
    host || ':' || path;
