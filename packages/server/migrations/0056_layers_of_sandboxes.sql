-- The packages that a sandbox started with, by their digest: the gate starts with the same, whatever the owner changes since.
alter table sandboxes add column layer text;
