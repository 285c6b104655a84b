import type { Encryption } from './encryption.ts';

/** The secret that encrypted what is stored, and the one that takes its place. */
export interface Secrets {
  from: Encryption;
  to: Encryption;
}

/** What became of the stored texts; unreadable ones stay as they are, for an earlier secret encrypted them. */
export interface Reencrypted {
  done: number;
  unreadable: number;
}

interface Stored {
  id: string;
  encrypted: Buffer;
}

const batch = 500;

/** Encrypts a column anew, a batch of rows at a time. The caller's transaction makes it all or nothing. */
export async function reencryptAll(
  { from, to }: Secrets,
  column: {
    /** The next rows by id, locked. */
    after(id: string | null, limit: number): Promise<Stored[]>;
    keyOf(safe: Encryption, id: string): Buffer;
    store(id: string, encrypted: Buffer): Promise<unknown>;
  },
): Promise<Reencrypted> {
  const counts = { done: 0, unreadable: 0 };
  for (let last: string | null = null; ; ) {
    const found: Stored[] = await column.after(last, batch);
    for (const { id, encrypted } of found) {
      const text = from.decrypt(column.keyOf(from, id), encrypted);
      if (text === null) counts.unreadable += 1;
      else {
        await column.store(id, to.encrypt(column.keyOf(to, id), text));
        counts.done += 1;
      }
    }
    if (found.length < batch) return counts;
    last = found.at(-1)?.id ?? null;
  }
}
