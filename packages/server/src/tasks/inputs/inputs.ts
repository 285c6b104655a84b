import { setTimeout as sleep } from 'node:timers/promises';
import { bundles } from '@agora-market/contract';
import { keyOf, type ObjectStore, readWhole } from '../../objects/index.ts';
import { type ApiError, ensure, newUuid, type Pool, untilEmpty } from '../../platform/index.ts';
import type { TaskRow } from '../sql.ts';
import type { TreeFacts } from './clean.ts';
import {
  type CloneDeps,
  type Cloned,
  createCloneQueue,
  type DryRunLimits,
  reasonOf,
  unavailable,
  type Wanted,
} from './clone-queue.ts';
import { bundledCommit, type GitRemote, remoteOf } from './git-remote.ts';
import { inputFiles } from './input-files.ts';
import { layOver, type Originals } from './originals.ts';
import { CloneRefused } from './pack.ts';
import {
  bundledTree,
  forgetTrees,
  keepBundle,
  keepTree,
  keptTree,
  replaceTree,
  treeFacts,
  treeOfCommit,
} from './sql.ts';

type TaskInput = Pick<TaskRow, 'id' | 'ownerId' | 'submitterAgentId' | 'input' | 'inputExpiresAt' | 'createdAt'>;

/** The buyers' inputs: attached files, and repositories. A repository is cloned once and kept as long as the input. */
export interface Inputs {
  /** Clones the task's repository unless that was done or there is none. */
  prepare(task: TaskInput): Promise<void>;
  /**
   * The same for the gate, with one more try: why the repository cannot be cloned, or null. Never rejects: the gate
   * meets other failures itself.
   */
  missing(task: TaskInput): Promise<string | null>;
  /** All that the buyer provided; 410 where it has been erased. */
  originals(task: TaskInput): Promise<Originals>;
  /** All that an owner's input provides which is no task's yet, and what its clone could not get. Nothing is kept. */
  unsubmitted(
    of: Pick<TaskInput, 'ownerId' | 'input'>,
    until: DryRunLimits,
  ): Promise<Originals & { warnings: string[] }>;
  /** Keeps the tree of a bundle for tasks of its owner. */
  receive(
    ownerId: string,
    bundle: Buffer,
    until: DryRunLimits,
  ): Promise<{ commit: string; warnings: string[]; keptUntil: Date }>;
  /** The tree of the task's repository, its commit, and what of that the tree does not show; null where it has none. */
  base(task: TaskInput): Promise<{ commit: string; archive: Buffer; facts: TreeFacts } | null>;
  /** Whether the owner has a token for the host of this URL. */
  hasToken(ownerId: string, url: string): Promise<boolean>;
  /** The attached files alone. */
  attached(task: TaskInput): Promise<Originals>;
  /** Whether this refusal of a clone ends the task: it has no tree yet, and no other try would give one. */
  isHopeless(task: Pick<TaskInput, 'id'>, error: ApiError): Promise<boolean>;
  /** Tasks whose clone failed for a reason that may have passed by now; each is given once a minute. */
  takeRetries(): string[];
  /** No clone of this task is tried again by itself. */
  giveUp(taskId: string): void;
  /** Erases kept trees of inputs that have expired. */
  eraseExpired(): Promise<void>;
}

interface Deps extends CloneDeps {
  pool: Pool;
  objects: ObjectStore;
}

/** Before the gate tries once more. */
const pauseMs = 2_000;
const batch = 200;

export function createInputs(deps: Deps): Inputs {
  const { pool, objects } = deps;
  const queue = createCloneQueue(deps);
  /** What was sent as a bundle has been laid out then. */
  const clone = (task: Wanted['task'], remote: GitRemote, how: Pick<Wanted, 'isForGate' | 'dryRun'>) => {
    const commit = bundledCommit(remote);
    if (commit !== null) return bundled(deps, task.ownerId, commit);
    return queue.clone({ task, from: { url: remote.url, ref: remote.ref ?? null }, ...how });
  };
  /** Trees being fetched, by task: requests of one moment share a clone. */
  const fetching = new Map<string, Promise<Buffer>>();

  function tree(task: TaskInput, remote: GitRemote, isForGate = false): Promise<Buffer> {
    const existing = fetching.get(task.id);
    if (existing) return existing;
    // A branch may have moved on; the task stays with the commit that it began with.
    const cloneAt = (commit?: string) => clone(task, { ...remote, ref: commit ?? remote.ref }, { isForGate });
    const work = fetchTree(deps, task, cloneAt).finally(() => fetching.delete(task.id));
    fetching.set(task.id, work);
    return work;
  }

  async function prepare(task: TaskInput, isForGate = false): Promise<void> {
    const remote = remoteOf(task.input);
    if (remote === null || task.inputExpiresAt === null) return;
    if ((await keptTree(pool, task.id)) === null) await tree(task, remote, isForGate);
  }
  /** For what no task wants yet. */
  const nobodys = (ownerId: string) => ({ id: newUuid(deps.clock), ownerId, submitterAgentId: null });
  const reasonAgainst = (task: TaskInput) => prepare(task, true).then(() => null, reasonOf);

  return {
    prepare: (task) => prepare(task),
    async missing(task) {
      try {
        if ((await reasonAgainst(task)) === null) return null;
        await sleep(pauseMs, undefined, { signal: deps.stopping });
        return await reasonAgainst(task);
      } catch {
        return null;
      }
    },
    attached: (task) => layOver(null, inputFiles(task.input), new Date(task.createdAt).getTime()),
    async originals(task) {
      ensure(task.inputExpiresAt !== null, 'INPUT_EXPIRED');
      const remote = remoteOf(task.input);
      const kept = remote === null ? null : await tree(task, remote);
      return layOver(kept, inputFiles(task.input), new Date(task.createdAt).getTime());
    },
    async unsubmitted({ ownerId, input }, dryRun) {
      const remote = remoteOf(input);
      const cloned = remote && (await clone(nobodys(ownerId), remote, { isForGate: false, dryRun }));
      const laid = await layOver(cloned?.archive ?? null, inputFiles(input), deps.clock.now().getTime());
      return { ...laid, warnings: cloned?.warnings ?? [] };
    },
    async receive(ownerId, bundle, until) {
      const from = { task: nobodys(ownerId), from: { bundle }, isForGate: false, dryRun: until };
      const { commit, archive, lacks, warnings, facts } = await queue.clone(from);
      const before = await treeOfCommit(pool, ownerId, commit, lacks);
      const isStored = before !== null && (await has(objects, before.objectId));
      const { objectId, undo } = await storeTree(deps, archive, isStored ? before.objectId : null);
      const at = deps.clock.now();
      const keptUntil = new Date(at.getTime() + bundles.keptMs);
      const tree = { objectId, commit, lacks, warnings, facts, sizeBytes: archive.length, at, until: keptUntil };
      const replaced = await keepBundle(pool, ownerId, { ...tree, isStored }).catch(async (error) => {
        await undo();
        throw error;
      });
      if (replaced !== null) await objects.delete(keyOf('repositories', replaced));
      return { commit, warnings, keptUntil };
    },
    async base(task) {
      const remote = task.inputExpiresAt === null ? null : remoteOf(task.input);
      if (remote === null) return null;
      const archive = await tree(task, remote);
      const [kept, facts] = [await keptTree(pool, task.id), await treeFacts(pool, task.id)];
      return kept && facts && { commit: kept.commit, archive, facts };
    },
    hasToken: async (ownerId, url) => (await deps.cloneToken(ownerId, url)) !== null,
    isHopeless: async ({ id }, error) => queue.isHopeless(id, error) && (await keptTree(pool, id)) === null,
    takeRetries: queue.takeRetries,
    giveUp: queue.forget,
    eraseExpired: () =>
      untilEmpty(batch, async (limit) => {
        const { ended, objectIds } = await forgetTrees(pool, deps.clock.now(), limit);
        // Where the store is away now, the repair finds that no row knows them.
        for (const id of objectIds) await objects.delete(keyOf('repositories', id));
        return ended;
      }),
  };
}

async function has(objects: ObjectStore, objectId: string): Promise<boolean> {
  const found = await objects.get(keyOf('repositories', objectId));
  found?.stream.destroy();
  return found !== null;
}

/** Stores a tree, unless an object has it already. Where no row comes to name the new object, `undo` deletes it. */
async function storeTree(
  { clock, objects }: Pick<Deps, 'clock' | 'objects'>,
  archive: Buffer,
  existing: string | null,
) {
  if (existing !== null) return { objectId: existing, undo: async () => {} };
  const objectId = newUuid(clock);
  const key = keyOf('repositories', objectId);
  await objects.put(key, archive);
  return { objectId, undo: () => objects.delete(key) };
}

/** What was laid out of a bundle when it came. `missed` is an object that was just looked for: the bundle may have come again. */
async function bundled(
  deps: Pick<Deps, 'pool' | 'objects'>,
  ownerId: string,
  commit: string,
  missed: string | null = null,
): Promise<Cloned> {
  const tree = await bundledTree(deps.pool, ownerId, commit);
  if (tree === null || tree.objectId === missed) throw unavailable(new CloneRefused('not_kept'));
  const archive = await readWhole(deps.objects, keyOf('repositories', tree.objectId));
  return archive === null ? bundled(deps, ownerId, commit, tree.objectId) : { ...tree, archive };
}

/** The kept tree; the first time, and where its object was lost, the repository is cloned. */
async function fetchTree(
  deps: Deps,
  { id: taskId, ownerId }: TaskInput,
  cloneAt: (commit?: string) => Promise<Cloned>,
): Promise<Buffer> {
  const { pool, clock, objects } = deps;
  const kept = await keptTree(pool, taskId);
  const found = kept && (await readWhole(objects, keyOf('repositories', kept.objectId)));
  if (found) return found;
  const { commit, archive, facts, lacks, warnings } = await cloneAt(kept?.commit);
  // Of several tasks of a buyer that begin with the same commit, one stores its tree.
  const shared = kept ? null : await treeOfCommit(pool, ownerId, commit, lacks);
  const { objectId, undo } = await storeTree(deps, archive, shared?.objectId ?? null);
  const stored = kept
    ? await replaceTree(pool, ownerId, kept, objectId)
    : await keepTree(pool, {
        ...{ taskId, objectId, commit, lacks, warnings, facts },
        ...{ sizeBytes: archive.length, at: clock.now() },
      });
  if (stored?.commit === commit && stored.objectId === objectId) return archive;
  // Another process was faster, or the input has been erased meanwhile.
  await undo();
  const other = stored ?? (await keptTree(pool, taskId));
  const theirs = other && (await readWhole(objects, keyOf('repositories', other.objectId)));
  ensure(theirs, 'INPUT_EXPIRED');
  return theirs;
}
