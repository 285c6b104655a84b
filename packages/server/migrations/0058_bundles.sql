-- The tree of a bundle that its owner has sent is kept until this time, whether or not a task begins with it.
alter table kept_trees add column held_until timestamptz(3);
create index kept_trees_held on kept_trees (held_until) where held_until is not null;
