import { webcrypto } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { SandboxFile } from '../../sandbox/index.ts';
import type { Ran } from '../evidence/ran.ts';

/**
 * Runs over a buyer's untouched files. They come again: with each attempt at a task, with appeals and disputes, and with
 * other tasks over the same files.
 */
export interface Baselines {
  /** The run that is known under this name, or a new one. `input`: what `inputDigest` gives; null keeps nothing. */
  run(input: string | null, name: string, run: () => Promise<Ran>): Promise<Ran>;
  isKnown(input: string | null, name: string): boolean;
}

/** Output and reports of all of them, in characters. */
const keptChars = 64 * 1024 ** 2;

const sizeOf = (ran: Ran) =>
  'result' in ran
    ? ran.reports.reduce((sum, { text }) => sum + text.length, 1 + ran.result.stdout.length + ran.result.stderr.length)
    : 1;

/** Whether it would end so again. A time that was up, or a sandbox that broke, may be the machine's doing. */
const isLasting = (ran: Ran) => 'result' in ran && !ran.result.timedOut;

export function createBaselines(maxChars = keptChars): Baselines {
  const known = new LRUCache<string, Ran>({ maxSize: maxChars, sizeCalculation: sizeOf });
  const keyOf = (input: string | null, name: string) => `${input} ${name}`;
  return {
    isKnown: (input, name) => input !== null && known.has(keyOf(input, name)),
    async run(input, name, run) {
      const key = keyOf(input, name);
      const found = input === null ? undefined : known.get(key);
      if (found !== undefined) return found;
      const ran = await run();
      if (input !== null && isLasting(ran)) known.set(key, ran);
      return ran;
    },
  };
}

/** Of all that lies in the sandbox, off this thread. Null where there is no archive, as in a dry run. */
export async function inputDigest(
  archive: Buffer | null | undefined,
  heldOut: readonly SandboxFile[],
  /** Of the packages that lie there from the start. */
  installation: string | null = null,
): Promise<string | null> {
  if (!archive) return null;
  const hashes = await Promise.all(
    [archive, ...heldOut.flatMap(({ path, content }) => [Buffer.from(path), content])].map(async (bytes) =>
      Buffer.from(await webcrypto.subtle.digest('SHA-256', bytes as Buffer<ArrayBuffer>)).toString('hex'),
    ),
  );
  return [...hashes, installation].join();
}
