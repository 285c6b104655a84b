-- The packages that a sandbox started with, by their digest: the gate starts with the same, whatever the owner changes since.
-- And what could not be had of them, for the buyer to read.
alter table sandboxes add column layer text, add column lacking json not null default '[]';
