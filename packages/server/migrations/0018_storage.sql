-- What is stored outside the database of a task, in bytes: set aside when its sandbox starts, for a delivery may need as much;
-- once it is over, what is left of it as artifacts.
create table task_storage (
  task_id uuid primary key,
  buyer_id uuid not null,
  seller_id uuid not null,
  set_aside bigint not null check (set_aside >= 0),
  artifacts bigint not null default 0 check (artifacts >= 0)
) with (fillfactor = 50);
create index task_storage_set_aside on task_storage (task_id) where set_aside > 0;

-- Sums of the above and of kept trees by owner, as buyer and as seller; the row of all counts each thing once. Written by
-- triggers alone.
create table storage_sums (
  owner_id uuid,
  role text check (role in ('all', 'buyer', 'seller')),
  bytes bigint not null,
  primary key (owner_id, role)
) with (fillfactor = 50);
create index storage_sums_largest on storage_sums (bytes) where role <> 'seller';
insert into storage_sums values ('00000000-0000-0000-0000-000000000000', 'all', 0);

-- The row of all comes first, so that whoever changes sums waits there and nobody deadlocks.
create function storage_add(p_buyer uuid, p_seller uuid, p_bytes bigint) returns void language plpgsql as $$
begin
  if p_bytes = 0 then return; end if;
  update storage_sums set bytes = bytes + p_bytes where role = 'all' and owner_id = '00000000-0000-0000-0000-000000000000';
  insert into storage_sums as s values (p_buyer, 'buyer', p_bytes)
    on conflict (owner_id, role) do update set bytes = s.bytes + excluded.bytes;
  if p_seller is null then return; end if;
  insert into storage_sums as s values (p_seller, 'seller', p_bytes)
    on conflict (owner_id, role) do update set bytes = s.bytes + excluded.bytes;
end $$;

create function task_storage_counted() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    if tg_op = 'UPDATE' and (old.buyer_id, old.seller_id) = (new.buyer_id, new.seller_id) then
      perform storage_add(new.buyer_id, new.seller_id, new.set_aside + new.artifacts - old.set_aside - old.artifacts);
      return null;
    end if;
    perform storage_add(old.buyer_id, old.seller_id, -(old.set_aside + old.artifacts));
  end if;
  if tg_op <> 'DELETE' then perform storage_add(new.buyer_id, new.seller_id, new.set_aside + new.artifacts); end if;
  return null;
end $$;
create trigger task_storage_counted after insert or update or delete on task_storage
  for each row execute function task_storage_counted();

-- The tree of a commit, once for all tasks of a buyer that began with it.
create table kept_trees (
  owner_id uuid,
  commit_id text,
  object_id uuid not null unique,
  size_bytes bigint not null,
  created_at timestamptz(3) not null,
  primary key (owner_id, commit_id)
);

create function kept_trees_counted() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then perform storage_add(old.owner_id, null, -old.size_bytes); end if;
  if tg_op <> 'DELETE' then perform storage_add(new.owner_id, null, new.size_bytes); end if;
  return null;
end $$;
create trigger kept_trees_counted after insert or update of size_bytes or delete on kept_trees
  for each row execute function kept_trees_counted();

-- Of trees that were kept for each task one stays; the objects of the others are erased as unknown.
insert into kept_trees
select distinct on (t.owner_id, r.commit_id) t.owner_id, r.commit_id, r.object_id, r.size_bytes, r.created_at
from task_repositories r join tasks t on t.id = r.task_id order by t.owner_id, r.commit_id, r.object_id;
alter table task_repositories drop column object_id, drop column size_bytes, add column owner_id uuid;
update task_repositories r set owner_id = t.owner_id from tasks t where t.id = r.task_id;
alter table task_repositories alter column owner_id set not null;
create index task_repositories_tree on task_repositories (owner_id, commit_id);

insert into task_storage (task_id, buyer_id, seller_id, set_aside, artifacts)
select t.id, t.owner_id, a.owner_id, 0, s.bytes
from (select task_id, sum(size_bytes) as bytes from artifacts where dropped is null group by task_id) s
join tasks t on t.id = s.task_id join agents a on a.id = t.agent_id where s.bytes > 0;
