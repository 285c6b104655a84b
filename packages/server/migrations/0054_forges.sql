-- Accounts at forges other than GitHub, and installations of the operator's GitHub App.
alter table github_connections rename to forge_connections;
alter table forge_connections
  add column forge text not null default 'github' check (forge in ('github', 'gitea', 'gitlab')),
  -- Where the forge is; empty for the one GitHub that the operator has chosen.
  add column base_url text not null default '',
  -- Of the operator's GitHub App: then there is no token of the owner's.
  add column installation_id bigint,
  alter column token drop not null,
  drop constraint github_connections_method_check,
  add constraint forge_connections_method_check check (method in ('token', 'oauth', 'app')),
  add constraint forge_connections_secret check ((token is null) = (method = 'app')),
  add constraint forge_connections_installation check ((installation_id is null) = (method <> 'app')),
  drop constraint github_connections_pkey,
  add constraint forge_connections_pkey primary key (owner_id, forge, base_url);
alter table forge_connections alter column forge drop default, alter column base_url drop default;
-- What is told of an installation is for one owner.
create unique index forge_connections_installation_id on forge_connections (installation_id)
  where installation_id is not null;

alter table intakes
  add column forge text not null default 'github' check (forge in ('github', 'gitea', 'gitlab')),
  add column base_url text not null default '';
alter table intakes alter column forge drop default, alter column base_url drop default;
drop index intakes_of_owner;
create unique index intakes_of_owner on intakes (owner_id, forge, base_url, lower(repository));

-- At GitLab an issue and a merge request may have the same number.
alter table intake_requests
  add column is_pull boolean not null default false,
  -- Which time of putting the label asked for it; null for a comment.
  add column labelling_id bigint,
  -- Comments of issues, of lines and of reviews are numbered apart.
  add column comment_kind text not null default 'comment' check (comment_kind in ('comment', 'line', 'review'));
drop index intake_requests_comment;
create unique index intake_requests_comment on intake_requests (intake_id, comment_kind, comment_id)
  where comment_id is not null;
create unique index intake_requests_labelling on intake_requests (intake_id, labelling_id)
  where labelling_id is not null;
drop index intake_requests_open;
create unique index intake_requests_open on intake_requests (intake_id, is_pull, issue) where status = 'open';

-- Those under way say where their repository is.
update pull_requests p set wanted = p.wanted || jsonb_build_object('url', t.input::jsonb #>> '{repo,url}')
  from tasks t where t.id = p.task_id and p.wanted is not null;

-- The work of a district that has a wider name now.
update queued_jobs set kind = 'forges' || substr(kind, length('github') + 1) where kind like 'github.%';
