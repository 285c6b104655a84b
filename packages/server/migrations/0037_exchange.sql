-- The legacy exchange. It ends at EXCHANGE_SUNSET; then a later migration may drop these tables.

-- An escrow ends once: it is paid out, in whole or in part, or all of it goes back.
create unique index ledger_transfers_escrow_resolved_once on ledger_transfers (subject)
  where cause in ('escrow_paid', 'escrow_returned');

create table work_requests (
  id uuid primary key,
  buyer_agent_id uuid not null references agents,
  buyer_owner_id uuid not null references owners,
  title text not null,
  description text not null,
  category text not null,
  budget_min bigint not null check (budget_min >= 0),
  budget_max bigint not null check (budget_max > 0),
  bidding_closes_at timestamptz(3) not null,
  deadline timestamptz(3) not null,
  selection_mode text not null check (selection_mode in ('manual', 'auto', 'direct')),
  hired_agent_id uuid references agents,
  eligibility jsonb not null,
  sandbox_config json,
  status text not null check (status in ('open', 'direct_offer', 'in_progress', 'completed', 'cancelled')),
  -- When the platform ends it or selects a bid; null once it has an agreement or has ended.
  due_at timestamptz(3),
  correlation_id text not null,
  created_at timestamptz(3) not null,
  constraint work_requests_budget check (budget_min <= budget_max),
  constraint work_requests_times check (bidding_closes_at < deadline),
  constraint work_requests_direct check ((selection_mode = 'direct') = (hired_agent_id is not null)),
  constraint work_requests_due check ((due_at is not null) = (status in ('open', 'direct_offer')))
);
create index work_requests_buyer on work_requests (buyer_agent_id, id desc);
create index work_requests_open on work_requests (id desc) where status = 'open';
create index work_requests_by_deadline on work_requests (deadline, id) where status = 'open';
create index work_requests_by_budget on work_requests (budget_max desc, id desc) where status = 'open';
create index work_requests_due on work_requests (due_at) where due_at is not null;

create table bids (
  id uuid primary key,
  request_id uuid not null references work_requests,
  agent_id uuid not null references agents,
  amount bigint not null check (amount > 0),
  estimated_delivery timestamptz(3) not null,
  message text not null,
  status text not null default 'pending' check (status in ('pending', 'accepted', 'rejected', 'withdrawn')),
  created_at timestamptz(3) not null,
  constraint bids_once unique (request_id, agent_id)
);
create unique index bids_one_accepted on bids (request_id) where status = 'accepted';

create table agreements (
  id uuid primary key,
  request_id uuid not null constraint agreements_once unique references work_requests,
  bid_id uuid references bids,
  buyer_agent_id uuid not null references agents,
  buyer_owner_id uuid not null references owners,
  seller_agent_id uuid not null references agents,
  seller_owner_id uuid not null references owners,
  price bigint not null check (price > 0),
  fee_bps int not null check (fee_bps between 0 and 10000),
  refunded bigint not null default 0 check (refunded between 0 and price),
  status text not null default 'active' check (
    status in ('active', 'delivered', 'evaluating', 'completed', 'disputed', 'cancelled')
  ),
  version int not null default 1,
  deadline timestamptz(3) not null,
  withdraw_by timestamptz(3) not null,
  started_at timestamptz(3),
  delivered_at timestamptz(3),
  accept_by timestamptz(3),
  decide_by timestamptz(3),
  -- When the platform must act next: at the deadline, to assess, to accept, to decide, or to release the earnings.
  due_at timestamptz(3),
  -- Gate runs that were begun.
  attempts int not null default 0,
  dispute_reason text,
  dispute_note text,
  ended_because text check (
    ended_because in ('accepted', 'not_answered', 'withdrawn', 'not_delivered', 'rejected', 'dispute')
  ),
  correlation_id text not null,
  created_at timestamptz(3) not null,
  ended_at timestamptz(3),
  constraint agreements_parties check (buyer_owner_id <> seller_owner_id),
  constraint agreements_end check (
    (status in ('completed', 'cancelled')) = (ended_at is not null) and (ended_at is null) = (ended_because is null)
    and (status = 'cancelled') = (refunded = price)
  ),
  constraint agreements_due check (
    case status when 'cancelled' then due_at is null when 'completed' then true else due_at is not null end
  )
);
create index agreements_seller on agreements (seller_agent_id, created_at);
create index agreements_due on agreements (due_at) where due_at is not null;

create table deliverables (
  agreement_id uuid primary key references agreements,
  type text not null check (type in ('text', 'file', 'structured_data')),
  result json not null,
  metadata json not null,
  created_at timestamptz(3) not null
);
create index deliverables_age on deliverables (created_at);

create table agreement_assessments (
  id uuid primary key,
  agreement_id uuid not null constraint agreement_assessments_once unique references agreements,
  score int not null check (score between 0 and 100),
  passed boolean not null,
  criteria json not null,
  judge json,
  created_at timestamptz(3) not null
);

create table exchange_notifications (
  seq bigint generated always as identity primary key,
  agent_id uuid not null references agents,
  type text not null,
  data json not null,
  created_at timestamptz(3) not null
);
create index exchange_notifications_agent on exchange_notifications (agent_id, created_at, seq);
create index exchange_notifications_age on exchange_notifications (created_at);
