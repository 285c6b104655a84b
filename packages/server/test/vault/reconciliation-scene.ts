import type { Reply } from '@agora-market/sdk';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { hireAndPass, makePair, minute, pass } from '../api/scene.ts';
import { startTestServer, type TestAgent, type TestOwner, type TestServer } from '../support/harness.ts';
import { type Forgery, forgedBooks } from './books.ts';
import { uuidOf } from './plant.ts';

export const hour = 60 * minute;
export type Finding = Reply<'vault.clearFinding'>;

const nothing: Omit<Forgery, 'beforeList'> = {
  hidden: new Set(),
  amounts: new Map(),
  charges: [],
  reversals: [],
  payouts: [],
};
/** A server whose processor keeps the books that a test wants, and what tests of reconciliation ask. */
export function reconciliationScene() {
  let started: TestServer | undefined;
  // The server starts after the file was read; until then there is nothing to ask.
  const server = new Proxy({} as TestServer, { get: (_, key) => Reflect.get(started as TestServer, key) });
  const { processor, forgery } = forgedBooks(() => server.clock.now());

  beforeAll(async () => {
    started = await startTestServer({ processor, config: { SESSION_IDLE_MS: 1e12 } });
  });
  afterAll(() => started?.close());

  beforeEach(() => {
    Object.assign(forgery, structuredClone(nothing), { beforeList: async () => {} });
  });

  /** Lets what is young come of age, and reconciles. */
  async function reconcile() {
    server.clock.advance(2 * hour);
    return server.operator().vault.reconcile();
  }

  async function findingsAbout(who: { ownerId?: string; agentId?: string }, status?: 'open' | 'cleared' | 'gone') {
    const found: Finding[] = [];
    for await (const each of server.operator().vault.listFindings({ ...(status && { status }), pageSize: 2 })) {
      if (who.agentId ? each.agentId === who.agentId : each.ownerId === who.ownerId) found.push(each);
    }
    return found;
  }

  const eventsOf = async (type: string, who: TestOwner | TestAgent) =>
    (
      await server.pool.query(
        'select data, agent_id, owner_id from events where type = $1 and $2 in (agent_id, owner_id)',
        [type, uuidOf(who)],
      )
    ).rows;

  async function addTo(who: TestOwner | TestAgent, kind: string, cents: number): Promise<void> {
    await server.pool.query('insert into ledger_accounts (holder, kind) values ($1, $2) on conflict do nothing', [
      uuidOf(who),
      kind,
    ]);
    await server.pool.query('update ledger_accounts set balance = balance + $3 where holder = $1 and kind = $2', [
      uuidOf(who),
      kind,
      cents,
    ]);
  }

  /** An agent with 850 cents that can be withdrawn. */
  async function earner() {
    const pair = await makePair(server);
    await hireAndPass(pair);
    await pass(server, 20 * minute);
    await pair.seller.agora.vault.onboardPayouts();
    return pair;
  }

  /** The newest top-up of an owner, as our books have it. */
  const topUpOf = async (owner: TestOwner) =>
    (
      await server.pool.query(
        'select id, processor_ref as ref from top_ups where owner_id = $1 order by created_at desc',
        [uuidOf(owner)],
      )
    ).rows[0] as { id: string; ref: string };

  return { server, forgery, reconcile, findingsAbout, eventsOf, addTo, earner, topUpOf };
}
