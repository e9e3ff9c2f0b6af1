-- agent_filter(agent, val): whether an agent program is the one that is asked for.
--
-- NULL lets everything pass.
CREATE OR REPLACE MACRO agent_filter(agent, val) AS
    val IS NULL OR agent = val;
