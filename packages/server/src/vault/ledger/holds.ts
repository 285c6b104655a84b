import { defineFunction } from '../../platform/index.ts';
import { platformHolder } from './transfer.ts';

/**
 * The four moves of money a task can cause, set-based over many tasks at once; the task steps call them in their own
 * statement. A hold is resolved exactly once: the row's status guards it, and a hold that is not pending fails the batch.
 * Holds change under the ledger lock only, so what is locked is never newer than the snapshot and ctid finds it again.
 */

/** A task was submitted: its budget leaves what the owner can spend and waits. */
defineFunction(
  'vault_hold',
  `create or replace function vault_hold(p_task uuid[], p_owner uuid[], p_amount bigint[], p_at timestamptz[])
returns void language plpgsql as $$
begin
  insert into holds (task_id, kind, holder, amount, created_at)
  select task, 'task', owner, amount, at from unnest(p_task, p_owner, p_amount, p_at) as t(task, owner, amount, at);

  perform vault_transfer(
    array_agg(task order by ord), array_agg('hold'::transfer_cause order by ord),
    array_agg(owner order by ord), array_agg('pool_available'::account_kind order by ord),
    array_agg(owner order by ord), array_agg('pool_held'::account_kind order by ord),
    array_agg(amount order by ord), array_agg(task order by ord), array_agg(at order by ord))
  from unnest(p_task, p_owner, p_amount, p_at) with ordinality as t(task, owner, amount, at, ord);
end $$`,
);

/**
 * The gate passed: of the hold, the payout goes to the agent's escrow, the fee to the platform and the rest back.
 * The earnings wait as a hold of their own until `p_release_at`.
 */
defineFunction(
  'vault_settle',
  `create or replace function vault_settle(
  p_task uuid[], p_agent uuid[], p_payout bigint[], p_fee bigint[], p_at timestamptz[], p_release_at timestamptz[]
) returns void language plpgsql as $$
declare
  v_posted bigint;
begin
  with item as materialized (
    select * from unnest(p_task, p_agent, p_payout, p_fee, p_at, p_release_at) with ordinality
      as t(task, agent, payout, fee, at, release_at, ord)
  ), located as materialized (
    select i.*, h.tid, h.holder, h.amount from item i cross join lateral (
      select ctid as tid, holder, amount from holds
      where task_id = i.task and kind = 'task' and status = 'pending' for update
    ) h
  ), posted as (
    update holds h set status = 'posted', posted_amount = l.payout + l.fee, resolved_at = l.at
    from located l where h.ctid = l.tid
  ), earned as (
    insert into holds (task_id, kind, holder, amount, due_at, created_at)
    select task, 'earnings', agent, payout, release_at, at from located
  ), moves as materialized (
    select l.ord, l.task, l.at, l.holder, m.* from located l cross join lateral (values
      (1, 'payout'::transfer_cause, l.agent, 'wallet_escrowed'::account_kind, l.payout),
      (2, 'fee', '${platformHolder}'::uuid, 'platform_fees', l.fee),
      (3, 'hold_released', l.holder, 'pool_available', l.amount - l.payout - l.fee)
    ) as m(part, cause, receiver, kind, amount)
  ), moved as materialized (
    select vault_transfer(
      array_agg(task order by ord, part), array_agg(cause order by ord, part),
      array_agg(holder order by ord, part), array_agg('pool_held'::account_kind order by ord, part),
      array_agg(receiver order by ord, part), array_agg(kind order by ord, part),
      array_agg(amount order by ord, part), array_agg(task order by ord, part), array_agg(at order by ord, part))
    from moves
  )
  select (select count(*) from located) into v_posted from moved;
  if v_posted is distinct from coalesce(cardinality(p_task), 0) then
    raise exception 'a hold to be settled is not pending';
  end if;
end $$`,
);

/** The task ended without a charge: the whole hold returns. */
defineFunction(
  'vault_release_hold',
  `create or replace function vault_release_hold(p_task uuid[], p_at timestamptz[]) returns void language plpgsql as $$
declare
  v_voided bigint;
begin
  with located as materialized (
    select i.task, i.at, i.ord, h.tid, h.holder, h.amount
    from unnest(p_task, p_at) with ordinality as i(task, at, ord) cross join lateral (
      select ctid as tid, holder, amount from holds
      where task_id = i.task and kind = 'task' and status = 'pending' for update
    ) h
  ), voided as (
    update holds h set status = 'voided', resolved_at = l.at from located l where h.ctid = l.tid
  ), moved as materialized (
    select vault_transfer(
      array_agg(task order by ord), array_agg('hold_released'::transfer_cause order by ord),
      array_agg(holder order by ord), array_agg('pool_held'::account_kind order by ord),
      array_agg(holder order by ord), array_agg('pool_available'::account_kind order by ord),
      array_agg(amount order by ord), array_agg(task order by ord), array_agg(at order by ord))
    from located
  )
  select (select count(*) from located) into v_voided from moved;
  if v_voided is distinct from coalesce(cardinality(p_task), 0) then
    raise exception 'a hold to be released is not pending';
  end if;
end $$`,
);

/** Thumbs-down inside the window: payout and fee return to the buyer's pool. Fails where the earnings are out already. */
defineFunction(
  'vault_refund',
  `create or replace function vault_refund(p_task uuid[], p_owner uuid[], p_price bigint[], p_at timestamptz[])
returns void language plpgsql as $$
declare
  v_voided bigint;
begin
  with located as materialized (
    select i.task, i.owner, i.price, i.at, i.ord, h.tid, h.holder, h.amount
    from unnest(p_task, p_owner, p_price, p_at) with ordinality as i(task, owner, price, at, ord) cross join lateral (
      select ctid as tid, holder, amount from holds
      where task_id = i.task and kind = 'earnings' and status = 'pending' for update
    ) h
  ), voided as (
    update holds h set status = 'voided', resolved_at = l.at from located l where h.ctid = l.tid
  ), moves as materialized (
    select l.ord, l.task, l.owner, l.at, m.* from located l cross join lateral (values
      (1, 'payout_refunded'::transfer_cause, l.holder, 'wallet_escrowed'::account_kind, l.amount),
      (2, 'fee_refunded', '${platformHolder}'::uuid, 'platform_fees', l.price - l.amount)
    ) as m(part, cause, payer, kind, amount)
  ), moved as materialized (
    select vault_transfer(
      array_agg(task order by ord, part), array_agg(cause order by ord, part),
      array_agg(payer order by ord, part), array_agg(kind order by ord, part),
      array_agg(owner order by ord, part), array_agg('pool_available'::account_kind order by ord, part),
      array_agg(amount order by ord, part), array_agg(task order by ord, part), array_agg(at order by ord, part))
    from moves
  )
  select (select count(*) from located) into v_voided from moved;
  if v_voided is distinct from coalesce(cardinality(p_task), 0) then
    raise exception 'earnings to be refunded are not pending';
  end if;
end $$`,
);

/** Releases earnings whose time has come, oldest first; returns how many. Called by a sweep under `ledgerLock`. */
defineFunction(
  'vault_release_earnings',
  `create or replace function vault_release_earnings(p_now timestamptz, p_limit int) returns int language plpgsql as $$
declare
  v_released int;
begin
  with claimed as materialized (
    select ctid as tid, task_id, holder, amount, due_at from holds
    where kind = 'earnings' and status = 'pending' and due_at <= p_now
    order by due_at, task_id limit p_limit for update
  ), due as materialized (
    select c.*, row_number() over (order by c.due_at, c.task_id) as ord from claimed c
  ), posted as (
    update holds h set status = 'posted', posted_amount = d.amount, resolved_at = p_now from due d where h.ctid = d.tid
  ), logged as (
    insert into events (type, district, at, task_id, agent_id, correlation_id, data)
    select 'earnings.released', 'vault', p_now, d.task_id, d.holder,
      (select correlation_id from tasks t where t.id = d.task_id), json_build_object('amount', d.amount)
    from due d
  ), moved as materialized (
    select vault_transfer(
      array_agg(task_id order by ord), array_agg('earnings_released'::transfer_cause order by ord),
      array_agg(holder order by ord), array_agg('wallet_escrowed'::account_kind order by ord),
      array_agg(holder order by ord), array_agg('wallet_available'::account_kind order by ord),
      array_agg(amount order by ord), array_agg(task_id order by ord), array_agg(p_now order by ord))
    from due
  )
  select (select count(*) from due) into v_released from moved;
  return coalesce(v_released, 0);
end $$`,
);
