-- bash_parts(command): the commands that a compound command is made of, as permission rules see them.
--
-- Cut at &&, ||, ;, |, & and line ends that stand in no quotes. Left out are what follows a
-- here-document, comments, brackets around a part, redirections of the error output and into
-- /dev/null, and what only wraps a command (timeout, time, nice, nohup, stdbuf). It is no shell: words
-- such as do and then stay, and a part of $(…) that has a pipe in it is cut too, so a rule may be
-- said not to fit where it does.
CREATE OR REPLACE MACRO bash_parts(command) AS
    list_filter(
        list_transform(
            regexp_extract_all(
                regexp_replace(command, '(?s)((?:^|[^<])<<-?\s*["''\\]?[A-Za-z_]\w*["'']?[^\n]*)\n.*$', '\1'),
                '(?s)(?:\\.|''[^'']*''|"(?:[^"\\]|\\.)*"|[0-9]*[<>]&[0-9-]*|&>>?|[^&|;\n''"\\]|[''"\\])+'
            ),
            part -> regexp_replace(
                regexp_replace(
                    regexp_replace(
                        regexp_replace(part, '\s*(?:[0-9]*>&[0-9-]+|(?:[0-9]*|&)>{1,2}\s*/dev/null)', '', 'g'),
                        '^[\s({!]+|[\s)}]+$', '', 'g'
                    ),
                    '^#.*$', ''
                ),
                '^(?:(?:timeout\s+(?:-\S+\s+(?:[A-Z]+\s+|\d\S*\s+)?)*\d\S*|time|nice(?:\s+-n\s*-?\d+)?|nohup|stdbuf(?:\s+-\S+)+)\s+)+', ''
            )
        ),
        part -> part <> ''
    );
