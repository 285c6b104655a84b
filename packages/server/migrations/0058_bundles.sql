-- Tasks may be submitted until this time with the tree of a bundle that its owner has sent.
alter table kept_trees add column bundled_until timestamptz(3);
create index kept_trees_bundled on kept_trees (bundled_until) where bundled_until is not null;
