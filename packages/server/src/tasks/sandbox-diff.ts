import type { Operations } from '@agora/contract';
import type { Call } from '../platform/index.ts';
import type { Sandbox } from '../sandbox/index.ts';
import type { TaskDeps } from './deps.ts';
import { type Change, changesBetween, isBinary, modeOf } from './diff/changes.ts';
import { compareTexts } from './diff/compare.ts';
import type { TextPair } from './diff/diff-worker.ts';
import { exportMs, lanesPer } from './lanes.ts';
import { inSandbox } from './sandbox-held.ts';
import { openTask } from './sandbox-rules.ts';

/** What has changed in a workspace since the buyer's inputs were laid. Each step is bounded; what is cut says so. */

const maxChanges = 1_000;
const maxFileBytes = 512 * 1024;
/** Content of the workspace that is looked at byte by byte; beyond it size and time tell what has changed. */
const maxSnapshotBytes = 16 * 1024 ** 2;
/** Text of both sides that is compared. */
const maxTextBytes = 8 * 1024 ** 2;
/** Files that are fetched besides because they have changed beyond that. */
const maxFetched = 100;
const maxUnifiedChars = 128 * 1024;
const maxUnifiedTotal = 2 * 1024 ** 2;
const compareMs = 10_000;

/** Each holds a workspace and inputs in memory. */
const diffsAtOnce = 2;
const lanesOf = lanesPer(diffsAtOnce);

export async function workspaceDiff(deps: TaskDeps, call: Call<Operations['sandbox.diff']>) {
  const task = await openTask(deps, call);
  const sandbox = await deps.sandboxes.workspace(task, 'look');
  const take = async () => {
    // Fetched in its turn, for those that wait must not hold a tree each.
    const { archive } = await deps.inputs.originals(task);
    const bounds = { maxFileBytes, maxBytes: maxSnapshotBytes, timeoutMs: exportMs };
    const all = changesBetween(archive, await sandbox.snapshot(bounds));
    const changes = all.slice(0, maxChanges);
    return { changes, truncated: all.length > maxChanges, ...(await gather(sandbox, changes)) };
  };
  return inSandbox(() =>
    lanesOf(deps)(call.caller.ownerId, take, async ({ truncated, ...gathered }) => ({
      data: { files: await describe(deps, gathered), truncated },
    })),
  );
}

const sizeOf = ({ before, after }: Change) => (before?.content.length ?? 0) + (after?.sizeBytes ?? 0);

interface Gathered {
  changes: Change[];
  order: number[];
  pairs: TextPair[];
  binary: Set<number>;
}

async function describe(deps: TaskDeps, { changes, order, pairs, binary }: Gathered) {
  const texts = await compareTexts(pairs, compareMs, deps.stopping);
  const shown = new Map<number, string | null>();
  let left = maxUnifiedTotal;
  for (const index of order) {
    const whole = texts.get(index);
    const unified = whole === undefined ? null : cut(whole, Math.min(maxUnifiedChars, left));
    left -= unified?.length ?? 0;
    shown.set(index, unified);
  }
  return changes.map(({ path, change }, index) => {
    const unified = shown.get(index) ?? null;
    const isBin = binary.has(index);
    return { path, change, binary: isBin, unified, truncated: !isBin && unified !== texts.get(index) };
  });
}

/**
 * The texts to compare, as far as there is room, and which of the changes are no text. Small changes first, for those
 * are what people make; what tools leave behind must not use up the room.
 */
async function gather(sandbox: Sandbox, changes: Change[]) {
  const order = changes.map((_, index) => index).sort((a, b) => sizeOf(changes[a]!) - sizeOf(changes[b]!));
  const pairs: TextPair[] = [];
  const binary = new Set<number>();
  let room = maxTextBytes;
  let fetched = 0;
  for (const index of order) {
    const { path, before, after } = changes[index]!;
    const fetches = isFetchable(after) && fetched < maxFetched && sizeOf(changes[index]!) <= room;
    if (fetches) fetched += 1;
    const now = fetches ? await contentOf(sandbox, path) : after?.content;
    if ([before?.content, now].some((content) => content && isBinary(content))) binary.add(index);
    else if ((!after || now) && (before?.content.length ?? 0) <= maxFileBytes) {
      room -= (before?.content.length ?? 0) + (now?.length ?? 0);
      if (room < 0) break;
      pairs.push({ index, path, before: side(before, before?.content), after: side(after, now) });
    }
  }
  return { order, pairs, binary };
}

const side = (entry: Parameters<typeof modeOf>[0] | undefined, content: Buffer | undefined) =>
  entry && content ? { text: content.toString('utf8'), mode: modeOf(entry) } : null;

const isFetchable = (after: Change['after']): boolean =>
  after?.type === 'file' && after.content === undefined && after.sizeBytes <= maxFileBytes;

/** Undefined where it cannot be had: gone since, closed, or of a name that cannot be written down. */
async function contentOf(sandbox: Sandbox, path: string): Promise<Buffer | undefined> {
  const found = await sandbox.read(path).catch(() => undefined);
  return found && !found.truncated ? Buffer.from(found.content, found.encoding) : undefined;
}

/** Whole lines only; null where not even one fits. */
function cut(text: string, chars: number): string | null {
  if (text.length <= chars) return text;
  const end = text.lastIndexOf('\n', Math.max(0, chars - 1)) + 1;
  return end > 0 && chars > 0 ? text.slice(0, end) : null;
}
