import { mostTaskViews, type Operations, taskFilter } from '@agora-market/contract';
import { type Call, ensure, type Pool, type Queryable, rows, type Tx } from '../../platform/index.ts';

/** Lists of tasks that owners have saved under a name. */

interface SavedView {
  name: string;
  filter: unknown;
  savedAt: string;
}

const savedViews = (db: Queryable, ownerId: string) =>
  rows<SavedView>(
    db,
    'task_views_list',
    'select name, filter, saved_at as "savedAt" from task_views where owner_id = $1 order by name',
    [ownerId],
  );

/** As the contract has them now: a filter that is none any more is left out. */
const shown = ({ filter, ...view }: SavedView) => ({ ...view, filter: taskFilter.safeParse(filter).data ?? {} });

export async function listViews(pool: Pool, { caller }: Call<Operations['tasks.listViews']>) {
  return { data: (await savedViews(pool, caller.ownerId)).map(shown) };
}

export async function saveView({ tx, caller, body, now }: Call<Operations['tasks.saveView']>) {
  // Counted and written under one lock, so that two at once do not pass the limit.
  await rows(tx, 'task_views_lock', `select pg_advisory_xact_lock(hashtextextended('task_views ' || $1, 0))`, [
    caller.ownerId,
  ]);
  const others = (await savedViews(tx, caller.ownerId)).filter(({ name }) => name !== body.name);
  ensure(others.length < mostTaskViews, 'TASK_VIEW_LIMIT_REACHED', undefined, { limit: mostTaskViews });
  const view = { ...body, savedAt: now.toISOString() };
  await rows(
    tx,
    'task_views_save',
    `insert into task_views (owner_id, name, filter, saved_at) values ($1, $2, $3, $4)
     on conflict (owner_id, name) do update set filter = excluded.filter, saved_at = excluded.saved_at`,
    [caller.ownerId, view.name, JSON.stringify(view.filter), view.savedAt],
  );
  return view;
}

export const deleteView = async ({ tx, caller, query }: Call<Operations['tasks.deleteView']>): Promise<void> =>
  void (await rows(tx, 'task_views_delete', 'delete from task_views where owner_id = $1 and name = $2', [
    caller.ownerId,
    query.name,
  ]));

export const eraseViews = async (tx: Tx, ownerId: string): Promise<void> =>
  void (await rows(tx, 'task_views_erase', 'delete from task_views where owner_id = $1', [ownerId]));
