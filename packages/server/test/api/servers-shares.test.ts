import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { TestOwner } from '../support/harness.ts';
import { acquainted, type Peer, shared, startPeer } from './peer.ts';
import { hireAndStart, makePair, refusalOf, serverForFile } from './scene.ts';

/** What one owner may have of two servers. Each has four places for sandboxes of tasks, and an owner half of all eight. */

const server = serverForFile({ config: { ...shared, SANDBOX_MAX_LIVE: 5 } });
let peer: Peer;
beforeAll(async () => {
  peer = await startPeer(server);
});
afterAll(() => peer?.close());
beforeEach(() => acquainted(server));

const share = 4;
const full = '503 SANDBOX_UNAVAILABLE';
const served = 'no refusal';

/** Tasks that have one owner in common, as buyer or as seller. */
async function tasksOf(party: 'buyer' | 'seller', count: number) {
  const common = await makePair(server);
  const made = Array.from({ length: count }, async () => {
    const other = await makePair(server);
    const isBought = party === 'buyer';
    const buyer = isBought ? common.buyer : other.buyer;
    const agent = isBought ? other.agent : await common.seller.agent();
    const { id } = await hireAndStart({ buyer, agent });
    const { agora } = agent;
    const at = ({ url: baseUrl }: { url: string }) => agora.withOptions({ baseUrl, maxRetries: 0 });
    return {
      use: (which: { url: string }) => refusalOf(at(which).sandbox.exec(id, { command: 'true' })),
      end: () => agora.tasks.fail(id, { reason: 'The test is over' }),
    };
  });
  return Promise.all(made);
}

type Task = Awaited<ReturnType<typeof tasksOf>>[0];

/** Both servers let go of what they have of the tasks. */
async function end(tasks: readonly Task[]): Promise<void> {
  for (const task of tasks) await task.end();
  for (const { app } of [server, peer]) await app.run('tasks.clearEnded');
}

describe.each(['buyer', 'seller'] as const)('the sandboxes of one %s', (party) => {
  test('are one share of both servers, also where they start at the same moment, and others get theirs', async () => {
    const tasks = await tasksOf(party, share + 2);
    const tried = await Promise.all(tasks.map(({ use }, nth) => use(nth % 2 === 0 ? server : peer)));
    expect([...tried].sort()).toEqual([full, full, ...Array.from({ length: share }, () => served)]);
    const left = tasks.filter((_, nth) => tried[nth] === full);
    for (const { use } of left) expect([await use(server), await use(peer)]).toEqual([full, full]);
    const others = await tasksOf(party, 2);
    expect([await others[0]?.use(server), await others[1]?.use(peer)]).toEqual([served, served]);
    await end([...tasks, ...others]);
  });

  test('are that share where all of them start at one server, and make room at the other', async () => {
    const tasks = await tasksOf(party, share + 1);
    const last = tasks.pop() as Task;
    for (const { use } of tasks) expect(await use(server)).toBe(served);
    expect([await last.use(server), await last.use(peer)]).toEqual([full, full]);
    await end([tasks[0] as Task]);
    expect(await last.use(peer)).toBe(served);
    await end([...tasks.slice(1), last]);
  });
});

test('an owner tries checks once at a time at both servers, and others try theirs', async () => {
  const [mine, other] = await Promise.all([server.owner({ credits: 0 }), server.owner({ credits: 0 })]);
  const tryAt = ({ url: baseUrl }: { url: string }, { agora }: TestOwner, command: string, signal?: AbortSignal) => {
    const input = { description: 'x', acceptance: { checks: [{ name: 'a check', command }] } };
    return refusalOf(agora.withOptions({ baseUrl, maxRetries: 0 }).tasks.tryChecks({ input }, { signal }));
  };
  const off = new AbortController();
  const long = tryAt(server, mine, 'sleep 100', off.signal);
  await expect.poll(async () => (await server.pool.query('select from dry_runs')).rowCount).toBe(1);
  expect(await tryAt(peer, mine, 'true')).toBe('409 DRY_RUN_IN_PROGRESS');
  expect(await tryAt(peer, other, 'true')).toBe(served);
  off.abort();
  await long;
  await expect.poll(() => tryAt(peer, mine, 'true')).toBe(served);
});
