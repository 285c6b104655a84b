import { isWorking } from '@agora-market/contract';
import {
  ApiError,
  type Config,
  changedRows,
  defineFunction,
  type Pool,
  recent,
  row,
  rows,
  untilEmpty,
} from '../../platform/index.ts';
import type { TaskRow } from '../sql.ts';
import { maxWorkspaceBytes } from './archive-store.ts';

/**
 * Quota of disk or bucket for an owner, as buyer and again as seller. What a delivery may need is reserved when a
 * task's sandbox starts. So a delivery always has its room, and an owner without room learns so earlier.
 */
export interface Storage {
  /**
   * Refuses a submission of a buyer without room for one more task. The figure may be a moment old, so that it costs
   * nothing.
   */
  requireRoom(buyerId: string): Promise<void>;
  /** Reserves what the task may need for its delivery and artifacts, or refuses. */
  setAside(task: TaskRow): Promise<void>;
  /** Releases the reservations of tasks that are over or have moved to another seller. */
  release(): Promise<void>;
  /** Recomputes the sums from what they sum up. */
  recount(): Promise<void>;
}

/** Time between two queries for owners without room. */
const lookEveryMs = 2_000;
const nobody = '00000000-0000-0000-0000-000000000000';

const mebibytes = (bytes: number) => `${Math.ceil(bytes / 1024 ** 2)} MiB`;

const explanations = {
  total: 'This installation stores as much as it may (STORAGE_TOTAL_BYTES). Try again later.',
  buyer:
    'What is stored for the tasks of this buyer has reached the quota of an owner. Room comes back as its tasks end and its artifacts expire; an agent can decline meanwhile.',
  seller:
    'What the agents of this owner have stored has reached the quota of an owner. End other tasks of these agents, or wait until artifacts expire.',
} as const;

/** If others use the space, a client may try again. If the owner's own tasks use it, the owner must end some. */
const refusal = (quota: keyof typeof explanations, limitBytes: number) =>
  new ApiError(quota === 'total' ? 'STORAGE_FULL' : 'STORAGE_QUOTA_REACHED', explanations[quota], {
    quota,
    limitBytes,
  });

export function createStorage(pool: Pool, config: Config): Storage {
  const { STORAGE_OWNER_BYTES: ownerBytes, STORAGE_TOTAL_BYTES: totalBytes } = config;
  const mostOf = (limit: number) => Math.min(limit, config.SANDBOX_DISK_BYTES);
  /** Of one task: the delivered workspace, and the artifacts in it. */
  const taskBytes = mostOf(maxWorkspaceBytes) + mostOf(config.ARTIFACT_TOTAL_BYTES);
  if (taskBytes > Math.min(ownerBytes, totalBytes)) {
    throw new Error(
      `STORAGE_OWNER_BYTES and STORAGE_TOTAL_BYTES must be at least ${taskBytes} (${mebibytes(taskBytes)}), which one task may need.`,
    );
  }
  const full = recent(
    lookEveryMs,
    new Set<string>(),
    async () => new Set(await ownersAbove(pool, ownerBytes - taskBytes, totalBytes - taskBytes)),
  );

  return {
    async requireRoom(buyerId) {
      const owners = await full.get();
      if (owners.has(nobody)) throw refusal('total', totalBytes);
      if (owners.has(buyerId)) throw refusal('buyer', ownerBytes);
    },
    async setAside(task) {
      // What its buyer stores does not affect an agent that has committed.
      const buyersLimit = isWorking(task) ? null : ownerBytes;
      const found = await row<{ outcome: 'ok' | keyof typeof explanations }>(
        pool,
        'storage_set_aside',
        'select storage_set_aside($1, $2, $3, $4, $5) as outcome',
        [task.id, taskBytes, buyersLimit, ownerBytes, totalBytes],
      );
      const outcome = found?.outcome ?? 'ok';
      if (outcome !== 'ok') throw refusal(outcome, outcome === 'total' ? totalBytes : ownerBytes);
    },
    async release() {
      await untilEmpty(releasedAtOnce, (limit) => changedRows(pool, 'storage_release', releaseSql, [limit]));
    },
    async recount() {
      await rows(pool, 'storage_recount', 'select storage_recount()');
    },
  };
}

/** Buyers with more bytes than that, and the id of zeros where all together have more. */
const ownersAbove = async (pool: Pool, ownerBytes: number, totalBytes: number): Promise<string[]> =>
  (
    await rows<{ id: string }>(
      pool,
      'storage_owners_above',
      `select owner_id as id from storage_sums
       where role <> 'seller' and bytes > $1 and (role = 'buyer' or bytes > $2) order by bytes desc limit 10000`,
      [Math.min(ownerBytes, totalBytes), totalBytes],
    )
  ).map(({ id }) => id);

/** Whether anything is reserved. */
export const anySetAside = 'exists (select from task_storage where set_aside > 0)';

const releasedAtOnce = 500;

/** A workspace whose artifacts could not be stored yet is still kept for them, and keeps its room. */
const releaseSql = `with over as materialized (
    select s.task_id from task_storage s join tasks t on t.id = s.task_id join agents a on a.id = t.agent_id
    where s.set_aside > 0 and (a.owner_id <> s.seller_id or t.due_at is null and (
      exists (select from artifact_sets x where x.task_id = t.id)
      or not exists (select from deliveries d where d.task_id = t.id)))
    order by s.task_id limit $1 for update of s skip locked
  ), emptied as (
    delete from task_storage s using over o where s.task_id = o.task_id and s.artifacts = 0
  ), kept as (
    update task_storage s set set_aside = 0 from over o where s.task_id = o.task_id and s.artifacts > 0
  )
  select from over`;

/** Checks and reserves in one transaction; others at the same time wait for the row of the total. */
defineFunction(
  'storage_set_aside',
  `create or replace function storage_set_aside(p_task uuid, p_bytes bigint, p_buyer_limit bigint, p_owner_limit bigint,
  p_total_limit bigint) returns text language plpgsql as $$
declare
  v_buyer uuid; v_seller uuid; v_total bigint; v_bought bigint; v_sold bigint; v_own task_storage;
begin
  -- Not worth a wait for the disk, in which all others would wait for the row of all: what a crash of PostgreSQL takes
  -- back is a moment's reservation, with its sums. Nothing else is in this transaction.
  set local synchronous_commit to off;
  select t.owner_id, a.owner_id into v_buyer, v_seller from tasks t join agents a on a.id = t.agent_id where t.id = p_task;
  perform from task_storage where task_id = p_task and seller_id = v_seller and set_aside >= p_bytes;
  if found then return 'ok'; end if;
  select bytes into v_total from storage_sums where role = 'all' and owner_id = '${nobody}' for update;
  select * into v_own from task_storage where task_id = p_task;
  -- What is counted already of this task makes room for itself.
  v_total := v_total - coalesce(v_own.set_aside, 0);
  select bytes - coalesce(v_own.set_aside, 0) into v_bought from storage_sums where role = 'buyer' and owner_id = v_buyer;
  select bytes into v_sold from storage_sums where role = 'seller' and owner_id = v_seller;
  if v_total + p_bytes > p_total_limit then return 'total'; end if;
  if coalesce(v_bought, 0) + p_bytes > p_buyer_limit then return 'buyer'; end if;
  if coalesce(v_sold, 0) + p_bytes > p_owner_limit then return 'seller'; end if;
  insert into task_storage (task_id, buyer_id, seller_id, set_aside) values (p_task, v_buyer, v_seller, p_bytes)
    on conflict (task_id) do update set seller_id = excluded.seller_id, set_aside = excluded.set_aside;
  return 'ok';
end $$`,
);

defineFunction(
  'storage_recount',
  `create or replace function storage_recount() returns void language plpgsql as $$
begin
  perform from storage_sums where role = 'all' and owner_id = '${nobody}' for update;
  with counted as (
    select buyer_id as owner_id, 'buyer' as role, set_aside + artifacts as bytes from task_storage
    union all select seller_id, 'seller', set_aside + artifacts from task_storage
    union all select '${nobody}', 'all', set_aside + artifacts from task_storage
    union all select owner_id, 'buyer', size_bytes from kept_trees
    union all select '${nobody}', 'all', size_bytes from kept_trees
  ), summed as materialized (
    select c.owner_id, c.role, sum(c.bytes)::bigint as bytes from counted c group by 1, 2
  )
  update storage_sums s set bytes = coalesce(x.bytes, 0)
  from storage_sums y left join summed x on x.owner_id = y.owner_id and x.role = y.role
  where s.owner_id = y.owner_id and s.role = y.role and s.bytes <> coalesce(x.bytes, 0);
  delete from storage_sums where bytes = 0 and role <> 'all';
end $$`,
);
