-- Places of records whose keys are data, one row per kind, place and source.
--
-- Below them, paths, names, models or headers stand as keys, so a new key there says nothing about
-- the agent program; field-drift does not look there. Filled from map_fields.csv, which the program
-- brings, and from a person's own file of that name in ~/.config/warehouse.
--
-- Columns:
--   kind    kind of record, a glob (see records)
--   path    keys that lead there, with a dot between them; $ for the whole record
--   note    what the keys are
--   source  built-in, or own for a person's file
CREATE TABLE map_fields (
    kind   VARCHAR NOT NULL,
    path   VARCHAR NOT NULL,
    note   VARCHAR,
    source VARCHAR
);
