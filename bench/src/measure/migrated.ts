import { migrate, schemaFunctions, schemaOfFunctions } from '@agora-market/server';
import pg from 'pg';

/** Migrates a bench's database. Its sessions then find Agora's functions without naming their schema. */
export async function migrated(url: string): Promise<void> {
  await migrate(url, { functions: schemaFunctions });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const database = client.escapeIdentifier(new URL(url).pathname.slice(1));
    await client.query(`alter database ${database} set search_path = public, ${schemaOfFunctions(schemaFunctions)}`);
  } finally {
    await client.end();
  }
}
