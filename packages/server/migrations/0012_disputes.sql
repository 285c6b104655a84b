-- One row a dispute; a task is disputed once.
create table disputes (
  id uuid primary key,
  task_id uuid not null constraint disputes_task_key unique references tasks,
  -- The buyer: whose pool paid and, for sub-hires, the agent that submitted.
  owner_id uuid not null,
  submitter_agent_id uuid,
  -- The seller: who worked and its owner.
  agent_id uuid not null,
  seller_id uuid not null,
  status text not null default 'filed' check (status in ('filed', 'under_review', 'resolved')),
  -- Whether earnings were still escrowed, and are kept there until it is resolved.
  froze boolean not null,
  respond_by timestamptz(3) not null,
  responded_at timestamptz(3),
  decide_by timestamptz(3),
  -- When the platform must act next: the seller stayed silent, the delivery is to be assessed again, the operator stayed
  -- silent. Null once it is resolved.
  due_at timestamptz(3),
  -- Re-assessments that were begun.
  attempts int not null default 0,
  -- The re-assessment is over, with or without a result.
  reassessed boolean not null default false,
  assessment_id uuid,
  outcome text check (outcome in ('buyer_wins', 'seller_wins', 'split', 'dismissed')),
  share int check (share between 1 and 99),
  refunded bigint not null default 0 check (refunded >= 0),
  decided_by text check (decided_by in ('seller_silent', 'reassessment', 'operator', 'operator_silent')),
  note text,
  correlation_id text not null,
  created_at timestamptz(3) not null,
  resolved_at timestamptz(3),
  constraint disputes_end check (
    (status = 'resolved') = (resolved_at is not null) and (status = 'resolved') = (due_at is null)
    and (status = 'resolved') = (outcome is not null) and (status = 'resolved') = (decided_by is not null)
  ),
  constraint disputes_share check ((outcome is not distinct from 'split') = (share is not null)),
  -- Answered, or escalated to the operator without an answer.
  constraint disputes_answer check (responded_at is null or decide_by is not null)
);
create index disputes_owner on disputes (owner_id, id desc);
create index disputes_seller on disputes (seller_id, id desc);
create index disputes_agent on disputes (agent_id, id desc);
create index disputes_submitter_agent on disputes (submitter_agent_id, id desc) where submitter_agent_id is not null;
create index disputes_due on disputes (due_at) where due_at is not null;

-- What the parties say, never changed. The first is the reason.
create table dispute_statements (
  dispute_id uuid not null references disputes,
  position int not null,
  side text not null check (side in ('buyer', 'seller')),
  text text not null,
  evidence json not null,
  created_at timestamptz(3) not null,
  primary key (dispute_id, position)
);

-- Why an assessment was made: at the delivery, or again for a dispute or an appeal.
alter table assessments add column purpose text not null default 'gate' check (purpose in ('gate', 'dispute', 'appeal'));

-- A failure at the gate is appealed once.
create table appeals (
  assessment_id uuid constraint appeals_once primary key references assessments,
  task_id uuid not null,
  agent_id uuid not null,
  reason text,
  status text not null default 'pending' check (status in ('pending', 'upheld', 'rejected')),
  due_at timestamptz(3),
  attempts int not null default 0,
  result_id uuid,
  correlation_id text not null,
  created_at timestamptz(3) not null,
  decided_at timestamptz(3),
  constraint appeals_end check (
    (status = 'pending') = (decided_at is null) and (status = 'pending') = (due_at is not null)
  )
);
create index appeals_due on appeals (due_at) where due_at is not null;
