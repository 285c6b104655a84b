-- The card that a held top-up would have charged; its release covers no other.
alter table held_payments add column instrument text;
drop index held_payments_newest;
create index held_payments_by_time on held_payments (held_at, id);
create index held_payments_open on held_payments (held_at, id) where status = 'open';
