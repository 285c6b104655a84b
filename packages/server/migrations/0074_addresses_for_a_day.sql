-- Digests of network addresses are forgotten once no limit counts them.
create index top_ups_with_address on top_ups (created_at) where address is not null;
create index withdrawals_with_address on withdrawals (created_at) where address is not null;
