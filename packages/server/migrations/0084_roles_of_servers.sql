-- What a server does: the roles of ROLES.
alter table hosts add column roles text[] not null default '{}';
