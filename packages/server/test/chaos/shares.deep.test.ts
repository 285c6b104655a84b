import { Agora } from '@agora-market/sdk';
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { refusalOf } from '../api/scene.ts';
import { type Cluster, createCluster } from './cluster.ts';
import type { Installation } from './server-process.ts';

/** What an owner had at a server that was killed does not count against it for ever. */

let cluster: Cluster;
afterEach(async (context) => {
  if (context.task.result?.state === 'fail') for (const each of cluster.servers) console.error(each.log().slice(-3000));
  await cluster?.remove();
});

test('the sandboxes and the dry run that a killed server had are the owner’s to have again', async () => {
  cluster = await createCluster(2, { PEER_DEAD_MS: '4000', SANDBOX_MAX_LIVE: '5' });
  const [first, second] = cluster.servers as [Installation, Installation];
  for (const each of [first, second]) await each.start();
  const urls = [first.url() as string, second.url() as string] as const;
  const at = (baseUrl: string, credentials: object) => new Agora({ baseUrl, maxRetries: 0, ...credentials });
  const signUp = async (name: string) => {
    const { token } = await at(urls[0], {}).auth.signUp({
      name,
      email: `${name}@example.com`,
      password: 'correct horse',
    });
    return (baseUrl: string) => at(baseUrl, { ownerToken: token });
  };
  const [buyer, seller] = [await signUp('buyer'), await signUp('seller')];
  await buyer(urls[0]).vault.addPaymentMethod({ paymentMethodId: 'pm_card_visa' });
  await buyer(urls[0]).vault.topUp({ amount: 100_000 });

  /** A task that an agent of its own has started, and its use of a sandbox. */
  async function task(nth: number) {
    const { agent, apiKey } = await seller(urls[0]).agents.register({
      displayName: `Worker ${nth}`,
      framework: 'custom',
      capabilities: [{ category: 'general', tags: [] }],
      pricing: { model: 'per_task', baseRate: 100, currency: 'USD' },
    });
    const input = { description: 'Look at it' };
    const { id } = await buyer(urls[0]).tasks.submit({ taskType: 'general', maxBudget: 500, input, agentId: agent.id });
    await at(urls[0], { agentKey: apiKey }).tasks.start(id, { sandboxId: 'mine' });
    return (url: string) => refusalOf(at(url, { agentKey: apiKey }).sandbox.exec(id, { command: 'true' }));
  }
  const tryChecks = (url: string, command: string) => {
    const input = { description: 'x', acceptance: { checks: [{ name: 'a check', command }] } };
    return refusalOf(buyer(url).tasks.tryChecks({ input }));
  };

  // Half of the eight places that the two have for tasks.
  for (const nth of [1, 2, 3, 4]) {
    const use = await task(nth);
    await expect.poll(() => use(urls[0])).toBe('no refusal');
  }
  const fifth = await task(5);
  expect(await fifth(urls[1])).toBe('503 SANDBOX_UNAVAILABLE');
  await first.end('SIGKILL');
  await expect.poll(() => fifth(urls[1])).toBe('no refusal');

  await first.start();
  const began = tryChecks(first.url() as string, 'sleep 50');
  const client = new pg.Client({ connectionString: cluster.databaseUrl });
  await client.connect();
  await expect.poll(async () => (await client.query('select from dry_runs')).rowCount).toBe(1);
  await client.end();
  expect(await tryChecks(urls[1], 'true')).toBe('409 DRY_RUN_IN_PROGRESS');
  await first.end('SIGKILL');
  await began;
  await expect.poll(() => tryChecks(urls[1], 'true')).toBe('no refusal');
});
