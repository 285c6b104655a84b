import type { Encryption } from '../http/encryption.ts';
import { type Queryable, rows } from '../postgres/db.ts';

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

interface Column<Key extends string> {
  table: string;
  column: string;
  /** The primary key of the table. */
  key: readonly Key[];
  keyOf(safe: Encryption, row: Record<Key, string>): Buffer;
}

const batch = 500;

/** Encrypts a column anew, a batch of rows at a time. The caller's transaction makes it all or nothing. */
export async function reencryptColumn<Key extends string>(
  tx: Queryable,
  { from, to }: Secrets,
  { table, column, key, keyOf }: Column<Key>,
): Promise<Reencrypted> {
  const counts = { done: 0, unreadable: 0 };
  const names = key.join(', ');
  const values = key.map((_, at) => `$${at + 2}`).join(', ');
  const name = `reencrypt_${table}_${column}`;
  const read = (after: string[] | null) =>
    rows<Record<Key, string> & { encrypted: Buffer }>(
      tx,
      `${name}_${after === null ? 'first' : 'next'}`,
      `select ${names}, ${column} as encrypted from ${table}
       where ${column} is not null ${after === null ? '' : `and (${names}) > (${values})`}
       order by ${names} limit $1 for update`,
      [batch, ...(after ?? [])],
    );
  for (let last: string[] | null = null; ; ) {
    const found: (Record<Key, string> & { encrypted: Buffer })[] = await read(last);
    for (const row of found) {
      const text = from.decrypt(keyOf(from, row), row.encrypted);
      last = key.map((each) => row[each]);
      if (text === null) counts.unreadable += 1;
      else {
        const encrypted = to.encrypt(keyOf(to, row), text);
        await rows(tx, name, `update ${table} set ${column} = $1 where (${names}) = (${values})`, [encrypted, ...last]);
        counts.done += 1;
      }
    }
    if (found.length < batch) return counts;
  }
}

export const totalReencrypted = (all: readonly Reencrypted[]): Reencrypted => ({
  done: all.reduce((sum, { done }) => sum + done, 0),
  unreadable: all.reduce((sum, { unreadable }) => sum + unreadable, 0),
});
