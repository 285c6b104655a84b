-- An owner's open tasks. Most of a long list has ended, and a look for what is open would read all of it.
create index tasks_owner_open on tasks (owner_id, id desc) where due_at is not null;
