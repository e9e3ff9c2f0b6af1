-- Types of sub-agents whose definition names a model, one row per type and source.
--
-- A call of such a type that asks for no model does not get the model of the caller. Filled from
-- pinned_agents.csv, which the program brings (the agents built into Claude Code), and from a
-- person's own file of the same form, beside their prices. An own row comes before the built-in one
-- of its type; one without a model says that the type is not pinned.
--
-- Columns:
--   agent_type  type, as calls name it
--   model       model or family that the definition names; NULL where it names none
--   source      built-in, or own for a person's file
CREATE TABLE pinned_agents (
    agent_type VARCHAR NOT NULL,
    model      VARCHAR,
    source     VARCHAR
);
