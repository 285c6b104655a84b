import type { Operations } from '@agora-market/contract';
import { type Call, joined } from '../../platform/index.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import type { TaskDeps } from '../deps.ts';
import { type Comparison, compareTrees } from './diff/compare.ts';
import { type Content, maxFileBytes } from './diff/pairs.ts';
import { openTask } from './handlers.ts';
import { exportMs } from './lanes.ts';
import { inSandbox } from './session.ts';

/**
 * Changes in a workspace since the buyer's inputs were written. Each step is bounded, and the reply says what was cut.
 */

/** Bytes of the workspace that are compared; beyond them size and time show what has changed. */
const maxSnapshotBytes = 16 * 1024 ** 2;
const compareMs = 10_000;

export async function workspaceDiff(deps: TaskDeps, call: Call<Operations['sandbox.diff']>) {
  const task = await openTask(deps, call);
  const sandbox = await deps.sandboxes.workspace(task, 'look');
  const over = new AbortController();
  const take = async () => {
    // Fetched in its turn, for those that wait must not hold a tree each.
    const { archive: laid } = await deps.inputs.originals(task);
    const snapshot = await sandbox.snapshot({ maxFileBytes, maxBytes: maxSnapshotBytes, timeoutMs: exportMs });
    const signal = AbortSignal.any([over.signal, deps.stopping]);
    return compareTrees({ laid, snapshot: await joined([snapshot]) }, (path) => contentOf(sandbox, path), signal);
  };
  try {
    return await inSandbox(() =>
      deps.underWay.diffs(call.caller.ownerId, take, async (comparison) => ({ data: await describe(comparison) })),
    );
  } finally {
    over.abort();
  }
}

async function describe({ changes, binary, truncated, shown }: Comparison) {
  const texts = await shown(compareMs);
  const isBinary = new Set(binary);
  const files = changes.map(({ path, change }, index) => {
    const { unified, isCut } = texts.get(index) ?? { unified: null, isCut: true };
    return { path, change, binary: isBinary.has(index), unified, truncated: isCut && !isBinary.has(index) };
  });
  return { files, truncated };
}

async function contentOf(sandbox: Sandbox, path: string): Promise<Content> {
  const found = await sandbox.read(path).catch(() => null);
  return found && !found.truncated ? { content: found.content, encoding: found.encoding } : null;
}
