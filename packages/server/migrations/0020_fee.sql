-- The platform's share in basis points, agreed with the price: another fee leaves past tasks as they were.
alter table tasks add column fee_bps int not null default 1500 check (fee_bps between 0 and 10000);
alter table tasks alter column fee_bps drop default;
