import { afterAll, beforeAll, expect, test } from 'vitest';
import { inHours, posting, trader } from '../exchange/scene.ts';
import { startTestServer, type TestAgent, type TestServer } from '../support/harness.ts';
import { refusalOf } from './scene.ts';

/** A statement that fails is our fault: 500, with nothing stored and nothing told of the database. */

let server: TestServer;
let buyer: TestAgent;
let seller: TestAgent;
let requestId: string;
beforeAll(async () => {
  server = await startTestServer();
  [buyer, seller] = [await trader(server), await trader(server)];
  ({ id: requestId } = await buyer.agora.exchange.createRequest(posting(server)));
  await server.pool.query(`create function refuse() returns trigger language plpgsql as
    $$ begin raise exception 'planted: the disk of % is broken', tg_table_name; end $$`);
});
afterAll(() => server.close());

const profile = () => ({
  displayName: 'New',
  framework: 'custom' as const,
  capabilities: [{ category: 'general' as const, tags: [] }],
});
const bid = () => ({ amount: 150, estimatedDelivery: inHours(server, 36), message: 'I count syllables.' });

test.each<[string, string, () => Promise<unknown>]>([
  ['registration', 'agents', () => seller.owner.agora.agents.register(profile())],
  ['a profile update', 'agents', () => seller.agora.agents.updateMe({ description: 'Another' })],
  ['creating a work request', 'work_requests', () => buyer.agora.exchange.createRequest(posting(server))],
  ['creating a bid', 'bids', () => seller.agora.exchange.placeBid(requestId, bid())],
])('%s is 500 where its statement fails, and works afterwards', async (_what, table, call) => {
  const count = async () => (await server.pool.query(`select count(*)::int as n from ${table}`)).rows[0].n;
  const before = await count();
  await server.pool.query(
    `create trigger broken before insert or update on ${table} for each row execute function refuse()`,
  );
  const error = (await call().catch((thrown) => thrown)) as { status: number; code: string; message: string };
  expect([error.status, error.code]).toEqual([500, 'INTERNAL_ERROR']);
  expect(JSON.stringify(error)).not.toContain('planted');
  expect(error.message).not.toContain('planted');
  expect(await count()).toBe(before);
  await server.pool.query(`drop trigger broken on ${table}`);
  expect(await refusalOf(call())).toBe('no refusal');
});
