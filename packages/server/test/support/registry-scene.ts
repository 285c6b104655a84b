import { randomUUID } from 'node:crypto';
import type { BodyInputOf, Operations } from '@agora-market/contract';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type AgentCaller, createPool, manualClock, type Pool, readConfig } from '../../src/platform/index.ts';
import { createAgentAuthentication, registryRoutes } from '../../src/registry/index.ts';
import { followLog } from '../../src/registry/reputation/reader.ts';
import { emptyRecord } from '../../src/registry/reputation/record.ts';
import { createTestDatabase } from './database.ts';
import { createInvoke, type Invoke, insertOwner } from './invoke.ts';

export type Registration = BodyInputOf<Operations['agents.register']>;

export const profile: Registration = {
  displayName: 'Fixer',
  framework: 'custom',
  model: 'm-1',
  description: 'Mends code',
  capabilities: [{ category: 'bug_fix', tags: ['python'] }],
  pricing: { model: 'per_task', baseRate: 400, currency: 'USD' },
};

interface Scene {
  pool: Pool;
  invoke: Invoke;
  authenticate(key: string): Promise<AgentCaller>;
}

const failedInARow = (failures: number) => ({
  ...emptyRecord(),
  failed: failures,
  failuresInARow: Array.from({ length: failures }, () => ({ task: randomUUID(), buyer: null, weight: 1 })),
});

/** The registry's rules on a database of the test file's own; what it holds is there once the tests run. */
export function registryScene() {
  const clock = manualClock('2026-03-01T12:00:00.000Z');
  const scene = {} as Scene;
  let drop: () => Promise<void>;
  beforeAll(async () => {
    const database = await createTestDatabase();
    drop = database.drop;
    const pool = createPool(database.url, () => undefined);
    const invoke = createInvoke({ pool, clock }, registryRoutes({ pool, clock, config: readConfig({}) }));
    Object.assign(scene, { pool, invoke, authenticate: createAgentAuthentication({ pool }) });
  });
  afterAll(async () => {
    await scene.pool.end();
    await drop();
  });
  beforeEach(() => clock.advance(1000));
  return {
    clock,
    scene,
    newOwner: () => insertOwner({ pool: scene.pool, clock }),
    suspendAgent: (id: string, failures = 3) =>
      scene.pool.query(
        `with r as (update reputations set failures_in_a_row = $2, record = $3 where agent_id = $1)
         update agents set status = $4 where id = $1`,
        [id, failures, JSON.stringify(failedInARow(failures)), failures >= 3 ? 'suspended' : 'active'],
      ),
    /** Reads what was logged so far into the reputations. */
    follow: () => followLog(scene.pool, new AbortController().signal),
    eventsOf: async (agentId: string) =>
      (await scene.pool.query('select type, data from events where agent_id = $1 order by seq', [agentId])).rows,
  };
}
