-- Pull requests that sessions opened or worked on, one row per session and pull request.
--
-- The link is written again and again: the first line of it gives time, project and branch, which
-- are those of the last record before it. A line that a fork copied counts for the session that had
-- it first.
--
-- Columns:
--   host          machine the transcript comes from
--   agent         program that wrote it
--   session_id    session
--   project_path  working directory when the link was first written
--   timestamp     time of the first line
--   source_file   transcript
--   source_line   line in it, from 1
--   git_branch    branch checked out then
--   repository    repository, owner/name
--   pr_number     number of the pull request
--   url           address of the pull request
--   emissions     lines with the link
CREATE OR REPLACE VIEW pr_links AS
WITH written AS (
    SELECT
        host,
        agent,
        session_id,
        timestamp,
        source_file,
        source_line,
        json_extract_string(data, '$.prRepository') AS repository,
        try_cast(json_extract_string(data, '$.prNumber') AS BIGINT) AS pr_number,
        json_extract_string(data, '$.prUrl') AS url
    FROM event_lines
    WHERE type = 'pr-link' AND json_extract_string(data, '$.prUrl') <> ''
),
files AS (
    SELECT source_file, min(timestamp) AS started_at, bool_or(forked_from IS NOT NULL) AS is_fork
    FROM raw
    SEMI JOIN written USING (source_file)
    GROUP BY source_file
),
-- The record has no uuid: the same link at the same instant is the same line.
links AS (
    SELECT *
    FROM written
    JOIN files USING (source_file)
    QUALIFY timestamp IS NULL
        OR row_number() OVER (PARTITION BY host, agent, url, timestamp ORDER BY started_at, is_fork, source_file, source_line) = 1
),
places AS (
    SELECT source_file, source_line, project_path, git_branch
    FROM raw
    SEMI JOIN written USING (source_file)
    WHERE project_path IS NOT NULL AND parse_status <> 'torn'
)
SELECT
    l.host,
    l.agent,
    l.session_id,
    p.project_path,
    l.timestamp,
    l.source_file,
    l.source_line,
    p.git_branch,
    l.repository,
    l.pr_number,
    l.url,
    count(*) OVER same_link AS emissions
FROM links AS l
ASOF LEFT JOIN places AS p ON l.source_file = p.source_file AND l.source_line >= p.source_line
WINDOW same_link AS (PARTITION BY l.host, l.agent, l.session_id, l.url)
QUALIFY row_number() OVER (
    PARTITION BY l.host, l.agent, l.session_id, l.url
    ORDER BY l.timestamp, l.source_file, l.source_line
) = 1;
