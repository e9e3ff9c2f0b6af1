-- Passages of text that search finds, one row per passage.
--
-- What people and models wrote, cut at paragraphs to about 2,000 characters. Kinds: prose (prompts,
-- queued prompts, answers), summary (of a compaction, and titles), thinking, tool-input (the strings
-- in what a tool was called with). Results of tools are not here. Copies of a record in other
-- files are; search() shows one of them.
--
-- Index: content_items
--
-- Columns:
--   passage_id      number of the passage in this file; another one after a rebuild
--   kind            prose, summary, thinking or tool-input
--   host            machine the transcript comes from
--   agent           program that wrote it
--   session_id      session
--   agent_id        sub-agent, NULL in the main thread
--   project_path    working directory
--   timestamp       time of the line
--   source_file     transcript
--   source_line     line in it, from 1
--   item_index      position in the message, from 0
--   passage_number  position in the text, from 0
--   generation      refresh that wrote the line
--   role            user or assistant
--   is_question     true where a person asked something: text of a user with a question mark
--   is_subagent     true in a sub-agent's thread
--   is_injected     true where the program wrote the text in a person's place
--   is_automated    true where no person sat at the session (entrypoint sdk-…)
--   text_key        the same for the same text
--   place_key       another for each place; decides between copies of one time
--   term_count      words of the passage, as the index counts them
--   short_text      text of prose and summaries
--   packed_text     text of the other kinds, which is read less and takes more space
CREATE TABLE passages (
    passage_id INTEGER,
    kind VARCHAR,
    host VARCHAR,
    agent VARCHAR,
    session_id VARCHAR,
    agent_id VARCHAR,
    project_path VARCHAR,
    timestamp TIMESTAMPTZ,
    source_file VARCHAR,
    source_line BIGINT,
    item_index BIGINT,
    passage_number BIGINT,
    generation BIGINT,
    role VARCHAR,
    is_question BOOLEAN,
    is_subagent BOOLEAN,
    is_injected BOOLEAN,
    is_automated BOOLEAN,
    text_key UBIGINT,
    place_key BIGINT,
    term_count INTEGER,
    -- Not zstd: fetching ten of these took 20 ms with it and 1 ms without.
    short_text VARCHAR,
    packed_text VARCHAR USING COMPRESSION zstd
);
