-- What the clone of a repository could not get, for its buyer to read. Of one commit a buyer's tasks may keep several
-- trees that lack different parts: a private submodule is had with the owner's token alone.
alter table kept_trees add column lacks text not null default '', add column warnings json not null default '[]';
alter table kept_trees drop constraint kept_trees_pkey, add primary key (owner_id, commit_id, lacks);
alter table task_repositories add column lacks text not null default '';
drop index task_repositories_tree;
create index task_repositories_tree on task_repositories (owner_id, commit_id, lacks);
