-- How many ordinary sandboxes of tasks a server had room for when it said last that it lives.
alter table hosts add column room integer not null default 0;
