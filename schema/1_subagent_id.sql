-- subagent_id(source_file): the sub-agent whose transcript a path is, NULL for a main thread.
--
-- The name of a file anywhere below a folder subagents, without .jsonl. Taken from the path,
-- since isSidechain and attributionAgent are absent on many lines or disagree with it.
CREATE OR REPLACE MACRO subagent_id(source_file) AS
    nullif(regexp_extract(source_file, '[/\\]subagents[/\\](?:.*[/\\])?([^/\\]+)\.jsonl$', 1), '');
