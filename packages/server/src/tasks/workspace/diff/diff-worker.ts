import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { formatPatch, structuredPatch } from 'diff';
import { type Change, changesBetween } from './changes.ts';
import { type Content, pairsOf, type TextPair } from './pairs.ts';

/** Reads the original tree and the present workspace, asks for missing files, and compares them one by one. */

export interface DiffJob {
  laid: ArrayBuffer;
  snapshot: ArrayBuffer;
}

/** All changes up to a limit, then the text of each in pieces, as soon as it is compared. */
export interface Found {
  changes: Pick<Change, 'path' | 'change'>[];
  /** Indexes of those that are no text. */
  binary: number[];
  truncated: boolean;
}

export interface Shown {
  index: number;
  /** Whole lines; null if not even one fits. */
  unified: string | null;
  isCut: boolean;
}

/** `fetch` is answered with a `Content`; the thread ends itself after `done`. */
export type DiffMessage = { fetch: string } | { found: Found } | { shown: Shown } | { damaged: true } | { done: true };

const maxChanges = 1_000;
const maxUnifiedChars = 128 * 1024;
const maxUnifiedTotal = 2 * 1024 ** 2;
const fileMs = 1_000;
const maxEdits = 10_000;

const port = parentPort!;
const say = (message: DiffMessage) => port.postMessage(message);

async function fetch(path: string): Promise<Content> {
  say({ fetch: path });
  return (await once(port, 'message'))[0] as Content;
}

/** In Git's form, which allows any name and shows a changed mode. Null if it takes too long. */
function compare({ path, before, after }: TextPair): string | null {
  const names = [before ? `a/${path}` : '/dev/null', after ? `b/${path}` : '/dev/null'] as const;
  const bounds = { context: 3, timeout: fileMs, maxEditLength: maxEdits };
  const patch = structuredPatch(...names, before?.text ?? '', after?.text ?? '', undefined, undefined, bounds);
  if (!patch) return null;
  const modes = before?.mode === after?.mode ? {} : { oldMode: before?.mode, newMode: after?.mode };
  return formatPatch({ ...patch, ...modes, isGit: true, isCreate: before === null, isDelete: after === null });
}

/** Whole lines only; null if not even one fits. */
function cut(text: string, chars: number): string | null {
  if (text.length <= chars) return text;
  const end = text.lastIndexOf('\n', Math.max(0, chars - 1)) + 1;
  return end > 0 && chars > 0 ? text.slice(0, end) : null;
}

function read({ laid, snapshot }: DiffJob): Change[] | null {
  try {
    return changesBetween(Buffer.from(laid), Buffer.from(snapshot));
  } catch (error) {
    if ((error as Error).name !== 'SandboxError') throw error;
    return null;
  }
}

async function run(job: DiffJob): Promise<void> {
  const all = read(job);
  if (all === null) return say({ damaged: true });
  const changes = all.slice(0, maxChanges);
  const { pairs, binary } = await pairsOf(changes, fetch);
  const listed = changes.map(({ path, change }) => ({ path, change }));
  say({ found: { changes: listed, binary, truncated: all.length > maxChanges } });
  let left = maxUnifiedTotal;
  for (const pair of pairs) {
    const whole = compare(pair);
    if (whole === null) continue;
    const unified = cut(whole, Math.min(maxUnifiedChars, left));
    left -= unified?.length ?? 0;
    say({ shown: { index: pair.index, unified, isCut: unified !== whole } });
  }
  say({ done: true });
}

await run(workerData as DiffJob);
