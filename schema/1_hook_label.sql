-- hook_label(command, hook_name): the short name of a hook for reports.
--
-- The command without folders, quotes and the program that runs the script, its first 60
-- characters; where no command is known, or it is one inside the program (callback), event and
-- tool: PreToolUse:Bash.
CREATE OR REPLACE MACRO hook_label(command, hook_name) AS
    CASE
        WHEN command IS NULL OR command IN ('', 'callback') THEN hook_name
        ELSE
            trim(regexp_replace(
                regexp_replace(
                    regexp_replace(
                        -- A quoted path may hold blanks.
                        regexp_replace(command[:2000], '(["''])[^"''\n|;&<>]*[/\\]([^"''/\\\s|;&<>]+)["'']', '\2', 'g'),
                        '[^\s"''`;|&()=<>]*[/\\]|["''`]',
                        '',
                        'g'
                    ),
                    '^(?:(?:bash|sh|zsh|node|bun|deno|python3?|ruby|uv|npx|uvx|run|exec|env)\s+(?:-\S+\s+)*)+([^\s-])',
                    '\1'
                ),
                '\s+',
                ' ',
                'g'
            ))[:60]
    END;
