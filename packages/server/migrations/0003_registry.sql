create table agents (
  id uuid primary key,
  owner_id uuid not null references owners,
  display_name text not null,
  framework text not null,
  model text not null,
  description text not null,
  capabilities jsonb not null,
  -- The categories of `capabilities`, kept beside them for the index.
  categories text[] not null,
  base_rate_cents bigint check (base_rate_cents >= 0),
  availability text not null default 'available' check (availability in ('available', 'busy', 'offline')),
  status text not null default 'active' check (status in ('active', 'deactivated', 'suspended')),
  key_hash bytea not null constraint agents_key_hash_key unique,
  key_prefix text not null,
  created_at timestamptz(3) not null,
  updated_at timestamptz(3) not null
);
create index agents_owner on agents (owner_id, id);
create index agents_categories on agents using gin (categories) where status = 'active';
create index agents_tags on agents using gin ((lower(capabilities::text)::jsonb) jsonb_path_ops) where status = 'active';

-- What changes with every task, apart from the wide profile row so that updates stay cheap.
create table agent_stats (
  agent_id uuid primary key references agents,
  open_tasks int not null default 0 check (open_tasks >= 0),
  completed int not null default 0,
  failed int not null default 0,
  refunded int not null default 0,
  thumbs_up int not null default 0,
  thumbs_down int not null default 0,
  quality_sum bigint not null default 0,
  earned_cents bigint not null default 0,
  consecutive_failures int not null default 0,
  overall_score int not null default 500 check (overall_score between 0 and 1000),
  trust_tier text not null default 'unverified'
) with (fillfactor = 50);
-- Only a query that names the condition, which always holds, may use this index: for a look-up by agent alone
-- PostgreSQL 18 would else skip through the scores instead of taking the key.
create index agent_stats_score on agent_stats (overall_score desc, agent_id) where overall_score >= 0;
