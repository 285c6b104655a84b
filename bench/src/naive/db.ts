import pg from 'pg';

// Usual for numbers as numbers: bigint columns here never pass 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export const pool = new pg.Pool({
  connectionString: process.env.DATABASE_URL,
  max: Number(process.env.POOL_SIZE ?? 16),
});
pool.on('error', (error) => console.error(error));

export type Db = Pick<pg.ClientBase, 'query'>;

/** One named, prepared statement. */
export async function rows<R>(db: Db, name: string, text: string, values: unknown[]): Promise<R[]> {
  return (await db.query({ name, text, values })).rows as R[];
}

/** One transaction, tried again when it was a deadlock's victim. */
export async function transaction<R>(work: (client: Db) => Promise<R>): Promise<R> {
  for (let attempt = 1; ; attempt++) {
    const client = await pool.connect();
    try {
      await client.query('begin');
      const result = await work(client);
      await client.query('commit');
      return result;
    } catch (error) {
      await client.query('rollback');
      if ((error as { code?: string }).code !== '40P01' || attempt === 3) throw error;
    } finally {
      client.release();
    }
  }
}
