-- What a pull request needs to know of a tree's commit, and the files do not show: its submodules, its files of Git LFS, and
-- blobs with CRLF. Of trees that were kept before, nothing is known until they are cloned for another task.
alter table kept_trees
  add column facts json not null default '{"submodules": [], "largeFiles": [], "crlf": []}';
alter table kept_trees alter column facts drop default;

-- The commit that was made for a pull request, which alone the gate has judged: its branch may have moved on.
alter table pull_requests add column commit_id text;
