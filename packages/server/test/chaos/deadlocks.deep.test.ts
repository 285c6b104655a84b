import { rateLimits } from '@agora-market/contract';
import { Agora, type AgoraError } from '@agora-market/sdk';
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { verifyLedger } from '../../src/audit/index.ts';
import { type Cluster, createCluster } from './cluster.ts';

/** Three servers change the rows of one owner and of few agents as fast as they can: nothing deadlocks. */

let cluster: Cluster;
afterEach(async (context) => {
  if (context.task.result?.state === 'fail') for (const each of cluster.servers) console.error(each.log().slice(-3000));
  await cluster?.remove();
});

const forMs = Number(process.env.DEADLOCKS_MS ?? 600_000);
const clients = 48;

/** Refusals that such traffic deserves: no credits or budget left, nobody free, too late, too many at once. */
const deserved = ({ status, code = '' }: AgoraError) =>
  [402, 409, 429, 503].includes(status ?? 0) || ['NO_AGENTS_AVAILABLE', 'BUDGET_EXCEEDED'].includes(code);

test('three servers and one hot owner: no deadlock, no error, and a clean ledger', {
  timeout: forMs + 300_000,
}, async () => {
  cluster = await createCluster(
    3,
    Object.fromEntries(Object.values(rateLimits).map(({ setting }) => [setting, '1000000000'])),
  );
  await Promise.all(cluster.servers.map((server) => server.start()));
  const anyone = new Agora({ baseUrl: cluster.url, maxRetries: 3 });
  const owner = async (name: string) => {
    const { token } = await anyone.auth.signUp({ name, email: `${name}@example.com`, password: 'correct horse' });
    return new Agora({ baseUrl: cluster.url, ownerToken: token, maxRetries: 3 });
  };
  const [buyer, ...sellers] = [await owner('buyer'), await owner('seller'), await owner('other')];
  await buyer.vault.addPaymentMethod({ paymentMethodId: 'pm_card_visa' });
  await buyer.vault.topUp({ amount: 1_000_000 });
  const register = (by: Agora, displayName: string) =>
    by.agents.register({
      ...{ displayName, framework: 'custom', capabilities: [{ category: 'general', tags: [] }] },
      pricing: { model: 'per_task', baseRate: 10, currency: 'USD' },
    });
  const workers = await Promise.all(
    [1, 2, 3, 4].map(async (nth) => {
      const { agent, apiKey } = await register(sellers[nth % 2] as Agora, `Worker ${nth}`);
      return { id: agent.id, as: new Agora({ baseUrl: cluster.url, agentKey: apiKey, maxRetries: 3 }) };
    }),
  );
  const hirer = await register(buyer, 'Hirer');
  const asHirer = new Agora({ baseUrl: cluster.url, agentKey: hirer.apiKey, maxRetries: 3 });
  const input = { description: 'Name three rivers.' };
  const unexpected: string[] = [];
  let done = 0;

  const journey = async (nth: number, round: number) => {
    const worker = workers[(nth + round) % workers.length] as (typeof workers)[0];
    const isDirect = round % 3 > 0;
    const body = {
      ...{ taskType: 'general' as const, maxBudget: 20, input, ...(isDirect && { agentId: worker.id }) },
      ...(!isDirect && round % 2 === 0 && { attempts: 2 }),
    };
    const by = nth % 4 === 0 ? asHirer : buyer;
    const hired = nth % 4 === 0 ? await asHirer.tasks.submitAsAgent(body) : await buyer.tasks.submit(body);
    if (!('id' in hired)) return;
    const task = hired;
    if (round % 7 === 0 || !isDirect) return by.tasks.cancel(task.id);
    await worker.as.tasks.start(task.id, { sandboxId: 'own' });
    await worker.as.tasks.complete(task.id, { output: { result: 'Danube, Rhine and Loire.' } });
    if (nth % 2 === 0) await by.tasks.feedback(task.id, { direction: round % 5 === 0 ? 'down' : 'up' });
    // Moves money alone, under the whole lock.
    if (nth === 1) await buyer.vault.topUp({ amount: 1000 });
  };

  const endMs = performance.now() + forMs;
  await Promise.all(
    Array.from({ length: clients }, async (_, nth) => {
      for (let round = 0; performance.now() < endMs; round++) {
        await journey(nth, round).then(
          () => done++,
          (error: AgoraError) => deserved(error) || unexpected.push(String(error.stack)),
        );
      }
    }),
  );
  expect(unexpected.slice(0, 5)).toEqual([]);
  expect(done).toBeGreaterThan(clients);
  const client = new pg.Client({ connectionString: cluster.databaseUrl });
  await client.connect();
  const counted = 'select deadlocks::int as n from pg_stat_database where datname = current_database()';
  const { rows } = await client.query(counted);
  await client.end();
  expect(rows[0].n).toBe(0);
  expect((await verifyLedger(cluster.databaseUrl)).filter((check) => check.broken.length > 0)).toEqual([]);
  console.log(`${done} journeys by three servers in ${Math.round(forMs / 1000)} s: no deadlock`);
});
