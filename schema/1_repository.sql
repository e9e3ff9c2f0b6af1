-- repository(path): the working directory's repository, where the path tells that it is a worktree.
--
-- Claude Code makes worktrees of its own in .claude/worktrees/<name> below the repository.
-- Any other path is its own repository: where a linked worktree belongs is not in the transcript.
CREATE OR REPLACE MACRO repository(path) AS
    regexp_replace(path, '[/\\]\.claude[/\\]worktrees[/\\].*$', '');
