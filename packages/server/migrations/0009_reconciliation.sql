-- One row a reconciliation. It ends with its status; one that stays `running` past its lease died with its process.
create table reconciliation_runs (
  id uuid primary key,
  status text not null default 'running' check (status in ('running', 'finished', 'failed')),
  started_at timestamptz(3) not null,
  lease_until timestamptz(3) not null,
  finished_at timestamptz(3),
  accounts bigint not null default 0,
  records bigint not null default 0,
  processor text not null default 'not_configured' check (processor in ('checked', 'unreachable', 'not_configured')),
  raised int not null default 0,
  settled int not null default 0,
  constraint reconciliation_runs_end check ((status = 'running') = (finished_at is null))
);
create unique index reconciliation_runs_one_at_a_time on reconciliation_runs ((true)) where status = 'running';
create index reconciliation_runs_started_at on reconciliation_runs (started_at desc);

-- What contradicts our books. `here` is what these say and `there` what the entries or the processor say, in cents, null
-- where there is nothing. (kind, subject) is found once: what was cleared is open again only when the difference changes.
create table reconciliation_findings (
  id uuid primary key,
  kind text not null,
  subject text not null,
  agent_id uuid,
  owner_id uuid,
  here bigint,
  there bigint,
  -- When what is wrong happened, as far as it happened at one time: only a run that looks at that time can miss it.
  occurred_at timestamptz(3),
  status text not null default 'open' check (status in ('open', 'settled', 'cleared', 'gone')),
  found_at timestamptz(3) not null,
  cleared_at timestamptz(3),
  cleared_by text,
  cleared_reason text,
  constraint reconciliation_findings_once unique (kind, subject),
  constraint reconciliation_findings_cleared check (
    (status = 'cleared') = (cleared_at is not null and cleared_by is not null and cleared_reason is not null)
  )
);
create index reconciliation_findings_newest on reconciliation_findings (found_at desc, id desc);
create index reconciliation_findings_open on reconciliation_findings (agent_id) where status = 'open';
create index reconciliation_findings_open_of_owner on reconciliation_findings (owner_id) where status = 'open';

-- The processor's books name reversals as it does.
create index top_up_reversals_processor_ref on top_up_reversals (processor_ref);

-- Nothing can be withdrawn from a wallet while it is flagged: until `cleared_at` is set.
create table wallet_flags (
  agent_id uuid primary key references agents,
  reason text not null,
  found_at timestamptz(3) not null,
  cleared_at timestamptz(3),
  cleared_by text,
  cleared_reason text,
  constraint wallet_flags_cleared check (
    (cleared_at is null) = (cleared_by is null) and (cleared_at is null) = (cleared_reason is null)
  )
);

-- For sums over all accounts in a span of time. Transfers are written in the order of their time, or nearly so, which lets
-- a few pages tell where to look; an index by row would be paid for with every transfer.
create index ledger_transfers_created_at on ledger_transfers using brin (created_at);
