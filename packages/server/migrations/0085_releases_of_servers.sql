-- What a server of another release still needs must not be taken away beside it: the last migration that it knows, and the
-- schema of its SQL functions.
alter table hosts add column migration int, add column functions text;
