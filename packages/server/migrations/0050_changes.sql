-- A delivery's change against its input is kept like an artifact: the list of its files, and the patch.
alter table artifacts add column kind text not null default 'output',
  add constraint artifacts_kind check (kind in ('output', 'changes', 'patch'));
create unique index artifacts_of_change on artifacts (task_id, kind) where kind <> 'output';
