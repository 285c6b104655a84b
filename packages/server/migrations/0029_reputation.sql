-- What agents are worth, as one reader of the event log computes it. It alone writes these tables, apart from the row of
-- defaults that an agent gets when it is registered. A task's step keeps no counters of its own any more.
create table reputations (
  agent_id uuid primary key references agents,
  overall_score int not null default 500 check (overall_score between 0 and 1000),
  confidence int not null default 0 check (confidence between 0 and 100),
  -- What the score is at least, with 95 % certainty; agents are ranked by it.
  lower_bound int not null default 226 check (lower_bound between 0 and 1000),
  trust_tier text not null default 'unverified'
    check (trust_tier in ('unverified', 'provisional', 'established', 'trusted', 'elite')),
  outcome int not null default 500,
  relationship int not null default 500,
  economic int not null default 500,
  reliability int not null default 500,
  -- The Beta distribution of the outcome dimension, from which routing draws.
  alpha float8 not null default 4,
  beta float8 not null default 4,
  completed int not null default 0 check (completed >= 0),
  failed int not null default 0 check (failed >= 0),
  refunded int not null default 0 check (refunded >= 0),
  thumbs_up int not null default 0 check (thumbs_up >= 0),
  thumbs_down int not null default 0 check (thumbs_down >= 0),
  failures_in_a_row int not null default 0,
  first_passed_at timestamptz(3),
  -- All that is kept of the agent's past, and the time at which the values above hold. Null before the first fact.
  record json,
  as_of timestamptz(3)
) with (fillfactor = 50);
-- Only a query that names the condition, which always holds, may use this index: for a look-up by agent alone
-- PostgreSQL 18 would else skip through the scores instead of taking the key.
create index reputations_score on reputations (overall_score desc, agent_id) where overall_score >= 0;

create table agent_domains (
  agent_id uuid not null references reputations,
  category text not null,
  score int not null check (score between 0 and 1000),
  confidence int not null check (confidence between 0 and 100),
  tasks int not null,
  alpha float8 not null,
  beta float8 not null,
  primary key (agent_id, category)
) with (fillfactor = 50);
create index agent_domains_ranking on agent_domains (category, score desc) where score >= 0;

-- What each buyer has to say of each agent: its last outcomes.
create table agent_voices (
  agent_id uuid not null references reputations,
  buyer_id uuid not null,
  voice json not null,
  primary key (agent_id, buyer_id)
) with (fillfactor = 50);

-- What owners have paid for tasks, and what their agents have earned, in cents and without what was refunded.
create table owner_flows (
  owner_id uuid primary key,
  spent bigint not null,
  earned bigint not null
) with (fillfactor = 50);

-- The last prices of tasks that passed, in cents, oldest first.
create table category_prices (
  category text primary key,
  prices bigint[] not null,
  median bigint not null
) with (fillfactor = 50);

-- How an agent stood at the end of a day (UTC). A day on which nothing changed has no row.
create table reputation_days (
  agent_id uuid not null references reputations,
  day date not null,
  overall_score int not null,
  confidence int not null,
  lower_bound int not null,
  trust_tier text not null,
  outcome int not null,
  relationship int not null,
  economic int not null,
  reliability int not null,
  primary key (agent_id, day)
);

-- The last day whose end was noted in the event log, and the last that the reader has closed.
create table reputation_clock (
  id int primary key default 1 check (id = 1),
  announced date,
  closed date
);
insert into reputation_clock default values;

insert into reputations (agent_id) select agent_id from agent_stats;

drop function if exists agents_record(uuid[], text[], int[], bigint[], timestamptz[], text[]);
drop function if exists agent_score(int, int, int, int);
drop function if exists agent_tier(int, int, int);
drop function if exists agent_outcome(bigint, int);
drop function if exists agent_relationship(int, int);
drop function if exists agent_economic(bigint);
drop function if exists agent_reliability(int, int);
alter table agent_stats
  drop column completed, drop column failed, drop column refunded, drop column thumbs_up, drop column thumbs_down,
  drop column quality_sum, drop column earned_cents, drop column consecutive_failures, drop column disputes_lost,
  drop column overall_score, drop column trust_tier;
