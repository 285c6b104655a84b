-- The account of an owner at the payment processor, which pays out to the owner's bank. What is kept of its state is what
-- the processor said when it was asked last.
create table payout_accounts (
  owner_id uuid primary key references owners,
  processor text not null,
  account_ref text not null,
  status text not null check (status in ('onboarding', 'restricted', 'ready')),
  missing text[] not null default '{}',
  created_at timestamptz(3) not null,
  -- When the question was sent that this status answers; an older answer that arrives later does not replace it.
  asked_at timestamptz(3) not null
);
create unique index payout_accounts_ref on payout_accounts (processor, account_ref);

-- The intent is written together with the transfer out of the wallet, before the processor is called. Whatever becomes of
-- it moves the money on: paid to processor_clearing, failed back to the wallet. A bank may refuse what was paid for days.
create table withdrawals (
  id uuid primary key,
  agent_id uuid not null references agents,
  owner_id uuid not null references owners,
  amount bigint not null check (amount > 0),
  processor text not null,
  account_ref text not null,
  status text not null default 'pending' check (status in ('pending', 'paid', 'failed')),
  processor_ref text,
  failure text,
  correlation_id text not null,
  created_at timestamptz(3) not null,
  resolved_at timestamptz(3),
  -- When to ask the processor again; null when nothing can change any more.
  due_at timestamptz(3),
  attempts int not null default 0,
  constraint withdrawals_resolution check (
    (status = 'pending' and resolved_at is null and due_at is not null)
    or (status = 'paid' and resolved_at is not null)
    or (status = 'failed' and resolved_at is not null and failure is not null and due_at is null)
  )
);
create index withdrawals_of_owner on withdrawals (owner_id, created_at desc, id desc);
create index withdrawals_due on withdrawals (due_at) where due_at is not null;
