-- An endpoint to which several messages failed is paused: what failed waits until then. A new message does not.
alter table webhooks add column paused_until timestamptz(3);
update webhooks set held = null, paused_until = next_at where held = 'failure';
