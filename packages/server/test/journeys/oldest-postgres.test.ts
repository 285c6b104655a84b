import pg from 'pg';
import { expect, test } from 'vitest';
import { verifyLedger } from '../../src/audit/index.ts';
import { checkDatabase, migrate } from '../../src/platform/postgres/index.ts';
import { schemaFunctions } from '../../src/schema.ts';
import { startDebianPostgres } from '../support/debian-postgres.ts';
import { startTestServer } from '../support/harness.ts';

// The embedded PostgreSQL is newer than the oldest that the documents promise, and takes SQL that this one refuses.
test('migrations, SQL functions and a paid task work on the PostgreSQL of the system', async () => {
  const postgres = await startDebianPostgres();
  try {
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    await client.query('create database agora');
    await client.end();
    const url = new URL(postgres.url);
    url.pathname = '/agora';
    expect((await checkDatabase(url.href)).version).toMatch(new RegExp(`^${postgres.major}\\.`));
    await migrate(url.href, { functions: schemaFunctions });
    const server = await startTestServer({ database: { url: url.href, drop: async () => {} } });
    try {
      const buyer = await server.owner({ credits: 10_000 });
      const agent = await (await server.owner({ credits: 0 })).agent();
      const input = { description: 'Say hello' };
      const { id } = await buyer.agora.tasks.submit({ taskType: 'general', maxBudget: 1500, agentId: agent.id, input });
      await agent.agora.tasks.start(id, { sandboxId: 'mine' });
      const done = await agent.agora.tasks.complete(id, { output: { result: 'hello' } });
      expect(done).toMatchObject({ status: 'completed', creditsCharged: 1000 });
      server.clock.advance(15 * 60_000);
      await server.app.sweep();
      expect(await agent.agora.vault.getWallet()).toMatchObject({ available: 850, escrowed: 0 });
      for (const check of await verifyLedger(server.databaseUrl)) expect(check).toMatchObject({ broken: [] });
    } finally {
      await server.close();
    }
  } finally {
    await postgres.stop();
  }
});
