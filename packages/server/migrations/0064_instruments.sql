-- What pays and is paid, the same for every account that uses it: a keyed digest of the processor's mark of a card, or of
-- the bank account behind a payout account. Null where the card was saved before this column.
alter table payment_methods add column instrument text;
alter table top_ups add column instrument text;
alter table payout_accounts add column instrument text;
create index top_ups_instrument on top_ups (instrument, created_at) where instrument is not null;
