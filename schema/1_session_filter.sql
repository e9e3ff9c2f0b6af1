-- session_filter(session_id, beginning): whether a session's id is, or begins with, what is given.
--
-- NULL lets everything pass.
CREATE OR REPLACE MACRO session_filter(session_id, beginning) AS
    beginning IS NULL OR starts_with(session_id, beginning);
