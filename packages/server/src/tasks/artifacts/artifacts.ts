import { keyOf, type ObjectStore, sha256Of, storeOf } from '../../objects/index.ts';
import { type Clock, type Config, type Hosts, newUuid, type Pool, untilEmpty } from '../../platform/index.ts';
import { compareWithInput } from '../changes/compare.ts';
import type { Described } from '../changes/compare-worker.ts';
import type { Inputs } from '../inputs/inputs.ts';
import { type PullTask, preparePull } from '../pulls/prepare.ts';
import { storePrepared } from '../pulls/sql.ts';
import { chooseArtifacts } from './choose.ts';
import { contentTypeOf } from './content-type.ts';
import { type ArtifactRow, expiredArtifacts, forgetArtifacts, isCollected, storeArtifacts } from './sql.ts';

/** Files that agents leave under `/workspace/output`, kept beyond the sandbox. */
export interface Artifacts {
  /**
   * Stores the artifacts of a delivered workspace and what it changes, also for its pull request, once. Rejects if the store
   * cannot be reached; a later run stores them. Null: the agent used no workspace.
   */
  collect(task: PullTask, workspace: Buffer | null): Promise<void>;
  /** Whether the workspace of this task still has to be collected. */
  owes(taskId: string): boolean;
  /** Whether a task that has ended still has to be collected: also where a predecessor died before it was. */
  isDue(taskId: string): Promise<boolean>;
  /** Gives up collecting. */
  waive(taskId: string): void;
  eraseExpired(): Promise<void>;
}

interface Deps {
  pool: Pool;
  clock: Clock;
  config: Config;
  hosts: Pick<Hosts, 'store'>;
  objects: ObjectStore;
  inputs: Inputs;
}

const putsAtOnce = 4;
const batch = 200;
/** A store that is away is asked again after this time. */
const retryMs = 30_000;

export function createArtifacts(deps: Deps): Artifacts {
  const { pool, clock, hosts, objects } = deps;
  /** Tasks whose artifacts could not be stored, and when it is tried again. */
  const owed = new Map<string, number>();
  return {
    async collect(task, workspace) {
      const { id: taskId } = task;
      if (workspace === null) {
        const pull = await preparePull(deps, task, { commit: '', reason: 'no_changes' });
        if (pull !== null) await storePrepared(pool, taskId, pull, null, clock.now());
        return;
      }
      try {
        if (!(await isCollected(pool, taskId))) await store(deps, task, workspace);
        owed.delete(taskId);
      } catch (error) {
        owed.set(taskId, clock.now().getTime() + retryMs);
        throw error;
      }
    },
    owes: (taskId) => owed.has(taskId),
    async isDue(taskId) {
      const retryAt = owed.get(taskId);
      if (retryAt !== undefined) return retryAt <= clock.now().getTime();
      return !(await isCollected(pool, taskId));
    },
    waive: (taskId) => void owed.delete(taskId),
    eraseExpired: () =>
      untilEmpty(batch, async (limit) => {
        const ids = await expiredArtifacts(pool, hosts.store, clock.now(), limit);
        // The rows go last: while there are some, the bytes are tried again.
        await each(ids, (id) => objects.delete(keyOf('artifacts', id)));
        await forgetArtifacts(pool, ids);
        return ids.length;
      }),
  };
}

/** A file to be stored. */
interface Found extends Pick<ArtifactRow, 'kind' | 'position' | 'path' | 'sizeBytes' | 'dropped'> {
  content: Buffer;
}

/** The files of `/workspace/output`, and what the delivery changes, which takes of their room. */
async function found({ config }: Deps, workspace: Buffer, described: Described | null): Promise<Found[]> {
  const change = described === null || described.files === 0 ? [] : changeFiles(described);
  const taken = change.reduce((sum, { content }) => sum + content.length, 0);
  const chosen = await chooseArtifacts(workspace, {
    maxCount: config.ARTIFACT_MAX_COUNT,
    maxBytes: config.ARTIFACT_MAX_BYTES,
    totalBytes: Math.max(0, config.ARTIFACT_TOTAL_BYTES - taken),
  });
  return [...change, ...chosen.map((each, position) => ({ ...each, kind: 'output' as const, position }))];
}

/** Before all others by position, because lists of artifacts begin at 0. */
function changeFiles({ index, patch }: Described): Found[] {
  const list = Buffer.from(index.buffer);
  const text = patch === null ? Buffer.alloc(0) : Buffer.from(patch.buffer);
  const dropped = patch === null ? 'too_large' : null;
  return [
    { kind: 'changes', position: -2, path: 'changes', content: list, sizeBytes: list.length, dropped: null },
    { kind: 'patch', position: -1, path: 'changes.patch', content: text, sizeBytes: text.length, dropped },
  ];
}

/**
 * Contents first, then rows: after a crash between the two no row refers to the contents, and the hourly comparison
 * erases them.
 */
async function store(deps: Deps, task: PullTask, workspace: Buffer): Promise<void> {
  const { pool, clock, config, hosts, objects } = deps;
  const compared = await compareWithInput(deps, task, workspace);
  const pull = await preparePull(deps, task, compared?.pull ?? { commit: '', reason: 'not_compared' });
  const now = clock.now();
  const expiresAt = new Date(now.getTime() + config.ARTIFACT_TTL_MS).toISOString();
  const artifacts: ArtifactRow[] = [];
  await each(await found(deps, workspace, compared?.described ?? null), async ({ content, path, dropped, ...file }) => {
    const id = newUuid(clock);
    if (dropped === null) await objects.put(keyOf('artifacts', id), content);
    const sha256 = dropped === null ? await sha256Of(content) : null;
    const shown = path.replaceAll('\0', '').toWellFormed();
    artifacts.push({ id, ...file, path: shown, sha256, contentType: contentTypeOf(path), dropped, expiresAt });
  });
  if (await storeArtifacts(pool, task.id, { artifacts, store: storeOf(objects, hosts), pull }, now)) return;
  // Another process was faster, with objects of its own.
  const ours = artifacts.filter(({ dropped }) => dropped === null);
  await each(ours, ({ id }) => objects.delete(keyOf('artifacts', id)));
  if (pull?.objectId) await objects.delete(keyOf('changes', pull.objectId));
}

/** A few at a time: a store at a distance answers slowly, and one on disk syncs each. */
async function each<T>(items: T[], work: (item: T) => Promise<unknown>): Promise<void> {
  const next = items[Symbol.iterator]();
  await Promise.all(
    Array.from({ length: putsAtOnce }, async () => {
      for (const item of next) await work(item);
    }),
  );
}
