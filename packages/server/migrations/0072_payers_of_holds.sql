-- Whose cards may be behind earnings that wait: the buyer's, and those behind what the buyer paid with. While one of these
-- owners owes for a top-up that went back to its card, as much of the earnings is frozen.
create table payout_hold_payers (
  subject uuid not null references payout_holds on delete cascade,
  payer_id uuid not null,
  -- How much this payer's debt keeps back, in cents.
  frozen bigint not null default 0 check (frozen >= 0),
  primary key (payer_id, subject)
);
create index payout_hold_payers_of_subject on payout_hold_payers (subject);
insert into payout_hold_payers (subject, payer_id)
select h.subject, t.from_holder from payout_holds h join ledger_transfers t on t.subject = h.subject and t.cause = 'hold';

-- What all payers together keep back. Frozen earnings wait, also when their time has come.
alter table payout_holds add column frozen bigint not null default 0, add check (frozen between 0 and amount);
create index payout_holds_over on payout_holds (payable_at) where frozen = 0;
