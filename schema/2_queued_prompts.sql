-- What was queued while the agent worked, one row per text that entered the queue.
--
-- People type prompts during a turn, and the program queues notifications. What leaves the queue
-- says so without always saying which text it is: a removal (remove, popAll) that repeats the text
-- takes that text, one just before a line with the text too, any other the one that waited longest.
-- dequeue starts a turn with it, remove hands it to the running turn ("absorbed_mid_turn" since
-- 2.1.246, without a reason before), popAll gives it back to the person.
--
-- delivered_as is prompt where a user line has the text, part of a prompt where one contains it,
-- attachment where the running turn got it (2.1.220 and later), and unrecorded where it was taken
-- and nothing else has it: before 2.1.220 the rule (4,302 of 8,000 seen). Headless runs queue their
-- first prompt too. The records have no uuid: the same one at the same instant in another file is a
-- copy.
--
-- Columns:
--   host             machine the transcript comes from
--   agent            program that wrote it
--   session_id       session
--   project_path     working directory of the session, the most frequent one
--   timestamp        time at which it was queued
--   source_file      transcript
--   source_line      line of the enqueue record, from 1
--   text             what was queued
--   is_notification  true where the text is a tag of the program's, such as <task-notification>
--   taken_by         dequeue, remove or popAll; NULL where it never left the queue
--   taken_reason     reason that a removal states
--   taken_at         time at which it left the queue
--   wait_ms          how long it waited, milliseconds
--   delivered_as     prompt, part of a prompt, attachment or unrecorded; NULL where it was not
--   is_delivered     true where the model got it
--   delivered_line   line that has it, in the same transcript
CREATE OR REPLACE VIEW queued_prompts AS
WITH operations AS (
    SELECT
        host,
        agent,
        session_id,
        timestamp,
        source_file,
        source_line,
        operation,
        coalesce(c.text, json_extract_string(e.data, '$.content')) AS text,
        json_extract_string(e.data, '$.reason') AS reason
    FROM raw
    LEFT JOIN (SELECT source_file, source_line, text FROM content_items WHERE record_type = 'queue-operation') AS c USING (source_file, source_line)
    LEFT JOIN (SELECT source_file, source_line, data FROM event_lines WHERE type = 'queue-operation') AS e USING (source_file, source_line)
    WHERE type = 'queue-operation' AND parse_status <> 'torn'
    QUALIFY timestamp IS NULL
        OR source_file = min(source_file) OVER (PARTITION BY host, agent, timestamp, operation, coalesce(c.text, json_extract_string(e.data, '$.content')))
),
queued AS (
    SELECT
        *,
        row_number() OVER (PARTITION BY source_file, session_id, text ORDER BY source_line) AS nth
    FROM operations
    WHERE operation = 'enqueue'
),
named AS (
    SELECT
        *,
        row_number() OVER (PARTITION BY source_file, session_id, text ORDER BY source_line) AS nth
    FROM operations
    WHERE operation IN ('remove', 'popAll') AND text IS NOT NULL
),
by_text AS (
    SELECT
        q.source_file,
        q.source_line,
        n.source_line AS taken_line
    FROM queued AS q
    JOIN named AS n ON n.source_file = q.source_file
        AND n.session_id IS NOT DISTINCT FROM q.session_id
        AND n.text = q.text
        AND n.nth = q.nth
        AND n.source_line > q.source_line
),
texts AS (
    SELECT
        source_file,
        source_line,
        record_type,
        trim(text, E' \n\t\r') AS own_text
    FROM content_items
    ANTI JOIN replays USING (source_file, source_line)
    SEMI JOIN queued USING (source_file)
    WHERE record_type IN ('user', 'attachment') AND item_type = 'text' AND agent_id IS NULL AND NOT is_sidechain
),
whole AS (
    SELECT
        q.source_file,
        q.source_line,
        arg_min({'line': x.source_line, 'type': x.record_type}, x.source_line) AS found,
        min(x.source_line) AS found_line
    FROM queued AS q
    JOIN texts AS x ON x.source_file = q.source_file AND x.own_text = trim(q.text, E' \n\t\r') AND x.source_line > q.source_line
    GROUP BY q.source_file, q.source_line
),
by_delivery AS (
    SELECT
        q.source_file,
        q.source_line,
        o.source_line AS taken_line
    FROM queued AS q
    ANTI JOIN by_text USING (source_file, source_line)
    JOIN whole USING (source_file, source_line)
    JOIN operations AS o ON o.source_file = q.source_file
        AND o.session_id IS NOT DISTINCT FROM q.session_id
        AND o.source_line > q.source_line
        AND o.source_line <= found_line + 3
    WHERE o.operation = 'dequeue' OR (o.operation = 'remove' AND o.text IS NULL)
    QUALIFY row_number() OVER (PARTITION BY q.source_file, q.source_line ORDER BY o.source_line DESC) = 1
        AND row_number() OVER (PARTITION BY o.source_file, o.source_line ORDER BY found_line, q.source_line) = 1
),
known AS (
    FROM by_text
    UNION ALL
    FROM by_delivery
),
-- The rest is first in, first out. level is how many wait after each operation; one that takes
-- from an empty queue brings it to a new low below 0 and counts for nothing.
others AS (
    SELECT
        source_file,
        session_id,
        source_line,
        operation,
        sum(CASE WHEN operation = 'enqueue' THEN 1 ELSE -1 END) OVER (PARTITION BY source_file, session_id ORDER BY source_line) AS level
    FROM operations
    ANTI JOIN known USING (source_file, source_line)
    ANTI JOIN known AS taken ON taken.source_file = operations.source_file AND taken.taken_line = operations.source_line
    WHERE operation IN ('enqueue', 'dequeue', 'remove')
),
counted AS (
    SELECT
        *,
        level < least(0, min(level) OVER (PARTITION BY source_file, session_id ORDER BY source_line ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)) AS is_idle
    FROM others
),
in_turn AS (
    SELECT
        *,
        operation = 'enqueue' AS is_entry,
        row_number() OVER (PARTITION BY source_file, session_id, operation = 'enqueue' ORDER BY source_line) AS nth
    FROM counted
    WHERE operation = 'enqueue' OR NOT is_idle
),
takings AS (
    FROM known
    UNION ALL
    SELECT
        i.source_file,
        i.source_line,
        o.source_line
    FROM in_turn AS i
    JOIN in_turn AS o ON o.source_file = i.source_file
        AND o.session_id IS NOT DISTINCT FROM i.session_id
        AND o.nth = i.nth
        AND o.source_line > i.source_line
    WHERE i.is_entry AND NOT o.is_entry
),
taken AS (
    SELECT
        q.*,
        t.taken_line,
        o.operation AS taken_by,
        o.reason AS taken_reason,
        o.timestamp AS taken_at
    FROM queued AS q
    LEFT JOIN takings AS t USING (source_file, source_line)
    LEFT JOIN operations AS o ON o.source_file = q.source_file AND o.source_line = t.taken_line
),
partly AS (
    SELECT
        t.source_file,
        t.source_line,
        min(x.source_line) AS found_line
    FROM taken AS t
    JOIN texts AS x ON x.source_file = t.source_file
        AND x.source_line > t.taken_line
        AND x.source_line <= t.taken_line + 20
        AND x.record_type = 'user'
        AND contains(x.own_text, trim(t.text, E' \n\t\r'))
    WHERE length(t.text) > 3
    GROUP BY t.source_file, t.source_line
),
places AS (
    SELECT host, agent, session_id, mode(project_path ORDER BY project_path) AS project_path
    FROM raw
    SEMI JOIN queued USING (host, agent, session_id)
    WHERE project_path IS NOT NULL AND parse_status <> 'torn'
    GROUP BY host, agent, session_id
)
SELECT
    t.host,
    t.agent,
    t.session_id,
    places.project_path,
    t.timestamp,
    t.source_file,
    t.source_line,
    t.text,
    regexp_matches(ltrim(t.text, E' \n\t\r'), '^<[a-z][a-z0-9_-]*[ >]') AS is_notification,
    t.taken_by,
    t.taken_reason,
    t.taken_at,
    date_diff('millisecond', t.timestamp, t.taken_at) AS wait_ms,
    CASE
        WHEN t.taken_by = 'popAll' THEN NULL
        WHEN whole.found.type = 'attachment' THEN 'attachment'
        WHEN whole.found IS NOT NULL THEN 'prompt'
        WHEN partly.found_line IS NOT NULL THEN 'part of a prompt'
        WHEN t.taken_by = 'dequeue' OR (t.taken_by = 'remove' AND coalesce(t.taken_reason, 'absorbed_mid_turn') = 'absorbed_mid_turn') THEN 'unrecorded'
    END AS delivered_as,
    delivered_as IS NOT NULL AS is_delivered,
    CASE WHEN delivered_as <> 'unrecorded' THEN coalesce(whole.found.line, partly.found_line) END AS delivered_line
FROM taken AS t
LEFT JOIN whole USING (source_file, source_line)
LEFT JOIN partly USING (source_file, source_line)
LEFT JOIN places ON places.host = t.host AND places.agent = t.agent AND places.session_id = t.session_id;
