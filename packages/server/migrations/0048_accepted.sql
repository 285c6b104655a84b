-- A buyer pays for work that the gate has failed. PostgreSQL uses new values of a type only in a later transaction.
alter type transfer_cause add value 'accepted_payout';
alter type transfer_cause add value 'accepted_fee';
alter table tasks add column accepted_at timestamptz(3);
