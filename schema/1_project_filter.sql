-- project_filter(path, pattern): whether a working directory is the project that is asked for.
--
-- The pattern is a folder (and everything below it), its last components (app, dev/app), or a
-- glob for the whole path or its last component (app-*). Slashes of either kind match each other.
-- NULL lets everything pass.
CREATE OR REPLACE MACRO project_filter(path, pattern) AS
    pattern IS NULL
    OR starts_with(replace(path, '\', '/') || '/', rtrim(replace(pattern, '\', '/'), '/') || '/')
    OR ends_with('/' || rtrim(replace(path, '\', '/'), '/'), '/' || trim(replace(pattern, '\', '/'), '/'))
    OR replace(path, '\', '/') GLOB rtrim(replace(pattern, '\', '/'), '/')
    OR parse_filename(replace(path, '\', '/'), false, 'forward_slash') GLOB rtrim(replace(pattern, '\', '/'), '/');
