import { defineFunction } from '../../platform/index.ts';
import { platformHolder } from './transfer.ts';

/**
 * The moves of money a task can cause, set-based over many tasks at once; the task steps call them in their own
 * statement. A hold is a transfer into `pool_held` and is resolved exactly once: `ledger_transfers_hold_resolved_once`
 * fails the batch that tries again, and so does a task without a hold.
 */

/**
 * Locks the pools of owners and the escrows of agents, by key, for steps that move money between them. One that was never
 * paid is opened first: so nobody that waits for another to open one holds an account that the other wants.
 */
defineFunction(
  'vault_lock',
  `create or replace function vault_lock(p_owners uuid[], p_agents uuid[]) returns void language plpgsql as $$
declare
  v_holder uuid[];
  v_kind account_kind[];
begin
  select array_agg(a.holder order by a.holder, a.kind), array_agg(a.kind order by a.holder, a.kind) into v_holder, v_kind from (
    select distinct o.id as holder, k.kind from unnest(p_owners) as o(id)
      cross join (values ('pool_available'::account_kind), ('pool_held')) as k(kind)
    union select a.id, 'wallet_escrowed' from unnest(p_agents) as a(id) where a.id is not null
  ) a;
  insert into ledger_accounts (holder, kind)
  select k.* from unnest(v_holder, v_kind) as k(holder, kind)
  where not exists (select from ledger_accounts a where a.holder = k.holder and a.kind = k.kind)
  on conflict do nothing;
  perform from unnest(v_holder, v_kind) as k(holder, kind)
    cross join lateral (select from ledger_accounts a where a.holder = k.holder and a.kind = k.kind for no key update) a;
end $$`,
);

/** A task was submitted: moves its budget from the owner's balance into the hold. */
defineFunction(
  'vault_hold',
  `create or replace function vault_hold(p_task uuid[], p_owner uuid[], p_amount bigint[], p_at timestamptz[])
returns void language plpgsql as $$
declare
  v_count constant int[] := array[cardinality(p_task)];
begin
  perform vault_transfer(p_task, array_fill('hold'::transfer_cause, v_count),
    p_owner, array_fill('pool_available'::account_kind, v_count),
    p_owner, array_fill('pool_held'::account_kind, v_count), p_amount, p_at);
end $$`,
);

/**
 * Tasks ended. Moves the payout from the hold to the agent's escrow, the fee to the platform and the rest back to the
 * pool. Without a payout everything goes back. Earnings wait in `earnings` until `p_release_at`.
 */
defineFunction(
  'vault_resolve_hold',
  `create or replace function vault_resolve_hold(
  p_task uuid[], p_agent uuid[], p_payout bigint[], p_fee bigint[], p_at timestamptz[], p_release_at timestamptz[]
) returns void language plpgsql as $$
declare
  v_resolved bigint;
begin
  with item as materialized (
    select i.*, h.from_holder as owner, h.amount as held
    from unnest(p_task, p_agent, p_payout, p_fee, p_at, p_release_at) with ordinality
      as i(task, agent, payout, fee, at, release_at, ord)
    cross join lateral (
      -- The limit keeps the look-up by key; as a join PostgreSQL 18 may skip through all holds instead.
      select from_holder, amount from ledger_transfers where subject = i.task and cause = 'hold' limit 1
    ) h
  ), earned as (
    insert into earnings (task_id, agent_id, amount, due_at, created_at)
    select task, agent, payout, release_at, at from item where release_at is not null
  ), moved as materialized (
    select vault_transfer(
      array_agg(task order by ord, part), array_agg(m.cause order by ord, part),
      array_agg(owner order by ord, part), array_agg('pool_held'::account_kind order by ord, part),
      array_agg(m.receiver order by ord, part), array_agg(m.kind order by ord, part),
      array_agg(m.amount order by ord, part), array_agg(at order by ord, part))
    from item i cross join lateral (values
      (1, 'payout'::transfer_cause, i.agent, 'wallet_escrowed'::account_kind, i.payout),
      (2, 'fee', '${platformHolder}'::uuid, 'platform_fees', i.fee),
      (3, (case when i.payout = 0 then 'hold_released' else 'hold_returned' end)::transfer_cause, i.owner,
        'pool_available', i.held - i.payout - i.fee)
    ) as m(part, cause, receiver, kind, amount)
    where m.amount is distinct from 0
  )
  select (select count(*) from item) into v_resolved from moved;
  if v_resolved is distinct from coalesce(cardinality(p_task), 0) then
    raise exception 'there is no hold to be resolved';
  end if;
end $$`,
);

/** Thumbs-down inside the window: payout and fee return to the buyer's pool. Fails where the earnings are out already. */
defineFunction(
  'vault_refund',
  `create or replace function vault_refund(p_task uuid[], p_owner uuid[], p_price bigint[], p_at timestamptz[])
returns void language plpgsql as $$
declare
  v_refunded bigint;
begin
  with item as materialized (
    select i.*, e.tid, e.agent_id as agent, e.amount as payout
    from unnest(p_task, p_owner, p_price, p_at) with ordinality as i(task, owner, price, at, ord)
    cross join lateral (
      select ctid as tid, agent_id, amount from earnings where task_id = i.task and status = 'pending' for update
    ) e
  ), resolved as (
    update earnings e set status = 'refunded', resolved_at = i.at from item i where e.ctid = i.tid
  ), moved as materialized (
    select vault_transfer(
      array_agg(task order by ord, part), array_agg(m.cause order by ord, part),
      array_agg(m.payer order by ord, part), array_agg(m.kind order by ord, part),
      array_agg(owner order by ord, part), array_agg('pool_available'::account_kind order by ord, part),
      array_agg(m.amount order by ord, part), array_agg(at order by ord, part))
    from item i cross join lateral (values
      (1, 'payout_refunded'::transfer_cause, i.agent, 'wallet_escrowed'::account_kind, i.payout),
      (2, 'fee_refunded', '${platformHolder}'::uuid, 'platform_fees', i.price - i.payout)
    ) as m(part, cause, payer, kind, amount)
  )
  select (select count(*) from item) into v_refunded from moved;
  if v_refunded is distinct from coalesce(cardinality(p_task), 0) then
    raise exception 'earnings to be refunded are not pending';
  end if;
end $$`,
);

/**
 * Releases earnings whose time has come, oldest first, and notes until when they cannot be withdrawn; returns how many.
 * Called by a sweep under `ledgerLock`.
 */
defineFunction(
  'vault_release_earnings',
  `create or replace function vault_release_earnings(p_now timestamptz, p_limit int, p_hold_ms bigint default 0)
returns int language plpgsql as $$
declare
  v_released int;
  v_tasks uuid[];
  v_agents uuid[];
  v_buyers uuid[];
  v_amounts bigint[];
begin
  with due as materialized (
    select ctid as tid, task_id, agent_id, amount, row_number() over (order by due_at, task_id) as ord from (
      select ctid, * from earnings where status = 'pending' and due_at <= p_now order by due_at, task_id
      limit p_limit for update
    ) e
  ), resolved as (
    update earnings e set status = 'released', resolved_at = p_now from due d where e.ctid = d.tid
  ), logged as (
    insert into events (type, district, at, task_id, agent_id, owner_id, correlation_id, data)
    select 'earnings.released', 'vault', p_now, d.task_id, d.agent_id, t.owner_id, t.correlation_id,
      json_build_object('amount', d.amount)
    from due d cross join lateral (
      -- The task's first event has its buyer and its correlation id.
      select owner_id, correlation_id from events where task_id = d.task_id order by seq limit 1
    ) t
    order by d.ord
  ), moved as materialized (
    select vault_transfer(
      array_agg(task_id order by ord), array_agg('earnings_released'::transfer_cause order by ord),
      array_agg(agent_id order by ord), array_agg('wallet_escrowed'::account_kind order by ord),
      array_agg(agent_id order by ord), array_agg('wallet_available'::account_kind order by ord),
      array_agg(amount order by ord), array_agg(p_now order by ord))
    from due having count(*) > 0
  )
  select d.* into v_released, v_tasks, v_agents, v_buyers, v_amounts from (select count(*) from moved) m, (
    select count(*), array_agg(task_id), array_agg(agent_id),
      array_agg((select from_holder from ledger_transfers where subject = task_id and cause = 'hold' limit 1)),
      array_agg(amount) from due
  ) d;
  perform vault_hold_payouts(v_tasks, v_agents, v_buyers, v_amounts, p_now, p_hold_ms);
  return v_released;
end $$`,
);
