-- Commands that shell calls are made of, one row per part of a call of Bash.
--
-- A command is cut at && || ; & and line ends; of a pipeline the first command counts. Quoted
-- text, here-documents, $(…) and comments are left out first, assignments before a program and
-- words of the shell's own syntax too, so what is in them is not seen. A part whose program is
-- quoted text with blanks in it is left out, and a command that is no text. It is reading, not
-- parsing: enough to tell what a call was for. Which programs are preambles, wrappers or have sub-commands
-- is in shell_programs.
--
-- Columns:
--   host           machine the transcript comes from
--   agent          program that wrote it
--   session_id     session of the call
--   agent_id       sub-agent that made it, NULL in the main thread
--   project_path   working directory
--   timestamp      time of the call
--   source_file    transcript of the call
--   source_line    line in it, from 1
--   item_index     position in the message, from 0
--   tool_id        id of the call
--   call_key       what a call and its result share
--   part_index     position of the part in the call, from 1
--   program        program without folder, behind wrappers such as sudo
--   subcommand     what it is asked to do, where its first word tells: push of git push
--   is_preamble    true where the part only sets the scene, as cd and echo do
--   is_main        true on the part that the call is for: its first that is no preamble, else its first
--   main_parts     parts of the call that are no preamble
--   is_bypass      true where the call asked to run outside the sandbox
--   is_error       true where the call failed or was refused; NULL where it was never answered
--   denial_kind    why it was refused
--   wait_ms        from call to result, milliseconds
CREATE OR REPLACE VIEW shell_commands AS
WITH calls AS (
    SELECT
        * EXCLUDE (command),
        coalesce(json_extract_string(input, '$.dangerouslyDisableSandbox') = 'true', false) AS is_bypass,
        -- A here-document begins at a quoted word or one in capitals, and ends at a line that is a
        -- word in capitals, else nowhere.
        regexp_replace(
            regexp_replace(
                replace(replace(command, E'\\\r\n', ' '), E'\\\n', ' '),
                '<<-?\s*(?:[''"]\w+[''"]|\\?[A-Z_]+\b)([^\n]*)\n(?:.*?\n)??[ \t]*[A-Z_]{2,}[ \t]*(\n|$)', '\1\2', 'gs'),
            '<<-?\s*(?:[''"]\w+[''"]|\\?[A-Z_]+\b)([^\n]*)\n.*', '\1', 's') AS command
    FROM tool_runs
    WHERE tool_name = 'Bash'
        AND (command NOT LIKE '[%' AND command NOT LIKE '{%' OR json_type(input, '$.command') = 'VARCHAR')
),
bare AS (
    SELECT
        * EXCLUDE (command),
        -- Quotes become the bytes 1 and 2, so that each begins or ends a text; a quoted word then
        -- stays and other quoted text becomes …. Then $(…) goes twice, for one inside another.
        regexp_replace(
            regexp_replace(
                regexp_replace(
                    regexp_replace(
                        regexp_replace(
                            regexp_replace(
                                command,
                                '''([^'']*)''|"((?:[^"\\]|\\.)*)"', chr(1) || '\1\2' || chr(2), 'gs'),
                            '\x01([\w./:@%+,~$\{\}-]+)\x02', '\1', 'g'),
                        '\x01[^\x02]*\x02', '…', 'g'),
                    '\$\([^()]*\)', '…', 'g'),
                '\$\([^()]*\)', '…', 'g'),
            '(^|\s)#[^\n]*', '\1', 'g') AS command
    FROM calls
),
parts AS (
    SELECT
        * EXCLUDE (part),
        regexp_replace(
            regexp_replace(part, '^[\s({!]*(?:(?:do|then|else|if|elif|while|until)\b[\s({!]*)*', ''),
            '^(?:[A-Za-z_]\w*=\S*(?:\s+|$))*', '') AS part
    FROM (
        SELECT
            * EXCLUDE (command),
            unnest(regexp_split_to_array(command, '&&|\|\||[;\n]|\s&(?:\s|$)')) AS part,
            generate_subscripts(regexp_split_to_array(command, '&&|\|\||[;\n]|\s&(?:\s|$)'), 1) AS part_at
        FROM bare
    )
),
worded AS (
    SELECT
        * EXCLUDE (part),
        regexp_split_to_array(trim(regexp_extract(part, '^[^|]*'), E' \t\r'), '\s+') AS words
    FROM parts
    WHERE NOT regexp_matches(part, '^\s*(?:$|[|)}\]]|(?:for|case|fi|done|esac|function|select|break|continue)\b)')
),
known AS (
    SELECT
        coalesce(list(program) FILTER (role = 'preamble'), []) AS preambles,
        coalesce(list(program) FILTER (role = 'wrapper'), []) AS wrappers,
        coalesce(list(program) FILTER (role = 'subcommands'), []) AS with_subcommands,
        coalesce(list(program) FILTER (role = 'modules'), []) AS with_modules
    FROM shell_programs
),
-- Behind a wrapper its options, assignments and durations go too.
unwrapped AS (
    SELECT
        * EXCLUDE (words),
        CASE
            WHEN NOT list_contains(wrappers, words[1]) THEN words
            ELSE words[coalesce(nullif(list_position([
                list_contains(wrappers, w) OR regexp_matches(w, '^(?:-.*|[\d.]+[smhd]?|[A-Za-z_]\w*=.*)$') FOR w IN words
            ], false), 0), 1):]
        END AS words
    FROM worded, known
),
named AS (
    SELECT
        *,
        regexp_extract(words[1], '([^/\\]+)[/\\]*$', 1) AS program
    FROM unwrapped
),
read AS (
    SELECT
        *,
        CASE
            WHEN list_contains(with_subcommands, program) THEN
                [w FOR w IN words[2:] IF regexp_matches(w, '^[a-z][a-zA-Z0-9:_-]*$')][1]
            WHEN list_contains(with_modules, program) AND list_contains(words, '-m') THEN
                '-m ' || words[list_position(words, '-m') + 1]
        END AS subcommand,
        list_contains(preambles, program) AS is_preamble
    FROM named
    WHERE program <> '' AND NOT contains(program, '…')
)
SELECT
    host,
    agent,
    session_id,
    agent_id,
    project_path,
    timestamp,
    source_file,
    source_line,
    item_index,
    tool_id,
    call_key,
    -- is_bypass is the same for all of a call: with it among the keys a filter on it comes first.
    row_number() OVER (PARTITION BY source_file, source_line, item_index, is_bypass ORDER BY part_at) AS part_index,
    program,
    subcommand,
    is_preamble,
    row_number() OVER (PARTITION BY source_file, source_line, item_index, is_bypass ORDER BY is_preamble, part_at) = 1 AS is_main,
    count(*) FILTER (NOT is_preamble) OVER (PARTITION BY source_file, source_line, item_index, is_bypass) AS main_parts,
    is_bypass,
    is_error,
    denial_kind,
    wait_ms
FROM read;
