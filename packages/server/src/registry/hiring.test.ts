import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { codeOf, insertOwner } from '../../test/support/invoke.ts';
import { createPool, manualClock, newUuid, type Pool } from '../platform/index.ts';
import { loadHireable } from './hiring.ts';
import { requireOwnAgent } from './lookup.ts';
import { insertAgent } from './sql.ts';

let database: TestDatabase;
let pool: Pool;
let seller: string;
const clock = manualClock('2026-03-01T12:00:00.000Z');

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.url, () => undefined);
  seller = (await insertOwner({ pool, clock })).ownerId;
});

afterAll(async () => {
  await pool.end();
  await database.drop();
});

async function newAgent({
  price = null,
  status = 'active',
}: {
  price?: number | null;
  status?: string;
}): Promise<string> {
  clock.advance(1);
  const id = newUuid(clock);
  await insertAgent(pool, {
    id,
    ownerId: seller,
    displayName: 'x',
    framework: 'custom',
    model: '',
    description: '',
    capabilities: [{ category: 'bug_fix', tags: [] }],
    modelEndpoint: null,
    baseRateCents: price,
    keyHash: Buffer.from(id),
    keyPrefix: '',
    at: clock.now(),
  });
  await pool.query('update agents set status = $2 where id = $1', [id, status]);
  return id;
}

test('an agent is loaded with what hiring needs, and counts as suspended with its owner', async () => {
  const [id, deactivated] = [await newAgent({ price: 70 }), await newAgent({ status: 'deactivated' })];
  const load = loadHireable(pool);
  expect(await load(id)).toEqual({
    id,
    ownerId: seller,
    status: 'active',
    availability: 'available',
    baseRateCents: 70,
    takes: null,
    works: null,
    blocked: null,
  });
  expect(await load(newUuid(clock))).toBeUndefined();
  await pool.query(`update owners set status = 'suspended' where id = $1`, [seller]);
  expect((await Promise.all([load(id), load(deactivated)])).map((agent) => agent?.status)).toEqual([
    'suspended',
    'deactivated',
  ]);
});

test('requireOwnAgent refuses malformed ids', async () => {
  expect(await codeOf(requireOwnAgent(pool, seller, 'agt_!'))).toBe('AGENT_NOT_FOUND');
});
