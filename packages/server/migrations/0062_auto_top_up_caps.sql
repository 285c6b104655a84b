-- What automatic top-ups may charge in a day and in a month: a leaked key of an agent emptied the pool, and each reload after
-- it. Settings of before get a cap, because none would leave their cards as open as they were; five reloads a day and twenty a
-- month are above what ordinary pools take. Owners are told when a cap is reached, and set another.
alter table auto_top_ups
  add column max_per_day bigint check (max_per_day > 0),
  add column max_per_month bigint check (max_per_month > 0);
update auto_top_ups set max_per_day = 5 * reload_amount, max_per_month = 20 * reload_amount;
alter table auto_top_ups
  add constraint auto_top_ups_capped check (not enabled or (max_per_day is not null and max_per_month is not null));

-- Those of before count as made by hand, so that the caps of the first month look at what was charged since.
alter table top_ups add column automatic boolean not null default false;
create index top_ups_automatic on top_ups (owner_id, created_at) where automatic;
