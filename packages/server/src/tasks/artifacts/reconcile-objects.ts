import type { ObjectKind } from '../../objects/index.ts';
import { madeAt } from '../../platform/index.ts';
import type { TaskDeps } from '../deps.ts';
import { keptObjects } from '../inputs/sql.ts';
import { changeObjects } from '../pulls/sql.ts';
import { workspaceObjects } from '../workspace/archive-sql.ts';
import { artifactObjects, markLost, storedBetween } from './sql.ts';

/** Younger objects may belong to a row that is still being written. */
const settledMs = 3_600_000;
const batch = 500;
const first = '00000000-0000-0000-0000-000000000000';

/**
 * Puts objects and rows in order after a crash or a loss: an object that no row knows is erased, a row whose object is
 * gone says so. Kept repositories need no more than the first: one that is gone is cloned again when it is wanted, or its
 * bundle sent again.
 */
export async function reconcileObjects(deps: TaskDeps): Promise<void> {
  const before = new Date(deps.clock.now().getTime() - settledMs);
  await deps.storage.recount();
  await deps.objects.tidy(before);
  await eraseUnknown(deps, 'repositories', before, (ids) => keptObjects(deps.pool, ids));
  await eraseUnknown(deps, 'changes', before, (ids) => changeObjects(deps.pool, ids));
  await eraseUnknown(deps, 'workspaces', before, (ids) => workspaceObjects(deps.pool, ids));
  let seen = first;
  let lost = 0;
  await eraseUnknown(deps, 'artifacts', before, async (ids) => {
    const known = await artifactObjects(deps.pool, ids);
    // The listing is in order, so a row between the objects of this part and none of them has lost its own.
    lost += await markMissing(deps, seen, ids.at(-1) ?? null, before, new Set(ids));
    seen = ids.at(-1) ?? seen;
    return known;
  });
  lost += await markMissing(deps, seen, null, before, new Set());
  if (lost > 0) deps.log.warn({ lost }, 'artifacts read as lost: their content is not in the object store');
}

/** Goes through all objects of a kind in parts; `known` gives those of a part that a row is about. */
async function eraseUnknown(
  { objects, stopping }: TaskDeps,
  kind: ObjectKind,
  before: Date,
  known: (ids: string[]) => Promise<Set<string>>,
): Promise<void> {
  const judge = async (ids: string[]) => {
    const kept = await known(ids);
    for (const id of ids) if (!kept.has(id) && madeAt(id) < before) await objects.delete(`${kind}/${id}`);
  };
  let part: string[] = [];
  for await (const key of objects.list(kind)) {
    stopping.throwIfAborted();
    part.push(key.slice(kind.length + 1));
    if (part.length < batch) continue;
    await judge(part);
    part = [];
  }
  if (part.length > 0) await judge(part);
}

/** Gives how many. */
async function markMissing(
  { pool, hosts }: TaskDeps,
  after: string,
  to: string | null,
  before: Date,
  present: Set<string>,
): Promise<number> {
  let count = 0;
  for (let from = after; ; ) {
    const rows = await storedBetween(pool, hosts.store, { after: from, to, before, limit: batch });
    const lost = rows.filter((id) => !present.has(id));
    await markLost(pool, lost);
    count += lost.length;
    const last = rows.at(-1);
    if (last === undefined || rows.length < batch) return count;
    from = last;
  }
}
