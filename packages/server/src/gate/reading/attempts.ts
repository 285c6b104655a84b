import { mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Counts readings on disk before they begin. If a reading ends this process, the next start knows the delivery. A
 * delivery that did so twice is not read again.
 */
export interface Attempts {
  isBarred(subject: string): boolean;
  /** `subject` names what is read. False if reading it has ended this process too often. */
  begin(subject: string): Promise<boolean>;
  end(subject: string): Promise<void>;
}

/** For tests and tools that keep nothing. */
export const uncounted: Attempts = { isBarred: () => false, begin: async () => true, end: async () => undefined };

const maxDeaths = 2;
/** Deaths that are remembered; the oldest are forgotten first. */
const maxRemembered = 1000;
const book = 'deaths.json';

async function deathsIn(dir: string): Promise<Map<string, number>> {
  try {
    return new Map(JSON.parse(await readFile(join(dir, book), 'utf8')) as [string, number][]);
  } catch {
    return new Map();
  }
}

/** Files named after subjects stand for readings under way; those found at the start were ended by the end of the process. */
export async function openAttempts(dir: string): Promise<Attempts> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const deaths = await deathsIn(dir);
  const ended = (await readdir(dir)).filter((name) => name !== book);
  for (const subject of ended) {
    const before = deaths.get(subject) ?? 0;
    deaths.delete(subject);
    deaths.set(subject, before + 1);
  }
  if (ended.length > 0) {
    await writeFile(join(dir, book), JSON.stringify([...deaths].slice(-maxRemembered)));
    await Promise.all(ended.map((name) => rm(join(dir, name), { force: true })));
  }
  const isBarred = (subject: string) => (deaths.get(subject) ?? 0) >= maxDeaths;
  return {
    isBarred,
    async begin(subject) {
      if (isBarred(subject)) return false;
      await (await open(join(dir, subject), 'w', 0o600)).close();
      return true;
    },
    end: (subject) => rm(join(dir, subject), { force: true }),
  };
}
