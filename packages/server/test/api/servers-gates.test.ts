import { toUuid } from '@agora-market/contract';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startGitServer } from '../support/git-server.ts';
import { acquainted, type Peer, shared, startPeer } from './peer.ts';
import { goodOutput, hireAndStart, makePair, minute, type Pair, serverForFile } from './scene.ts';

/** What one buyer may have of two judges, whose deliveries come in at a third server. Gates are leased where the test says so. */

const server = serverForFile({ config: { ...shared, ROLES: ['api'], OUTBOUND_ALLOW_LOOPBACK: true } });
let judges: [Peer, Peer];
beforeAll(async () => {
  const start = () => startPeer(server, { ROLES: ['sandboxes', 'gate', 'webhooks', 'jobs'] });
  judges = [await start(), await start()];
});
afterAll(async () => {
  await Promise.all((judges ?? []).map(({ close }) => close()));
});

/** A delivery that waits for a judge. Its caller waits for the verdict, which the test does not. */
async function deliver(pair: Pick<Pair, 'buyer' | 'agent'>, repo?: { url: string }): Promise<string> {
  const acceptance = { checks: [{ name: 'passes', command: 'true' }] };
  const input = { description: 'Write a haiku about ledgers', acceptance, ...(repo && { repo }) };
  const { id } = await hireAndStart(pair, { input });
  void pair.agent.agora.tasks.complete(id, { output: goodOutput }).catch(() => undefined);
  await expect.poll(async () => (await pair.buyer.agora.tasks.get(id)).status).toBe('quality_check');
  return id;
}

test('one judge may take all of a buyer’s share of both, the other takes none of it then, and those of others', async () => {
  await acquainted(server);
  // Gates wait for a repository whose server does not answer, and none ends before the test does.
  const remote = await startGitServer(() => true);
  const repo = { url: `${remote.url}/held` };
  onTestFinished(async () => {
    // Those who wait for a verdict wait no longer.
    server.clock.advance(minute);
    await remote.close();
  });
  const share = 32;
  const pair = await makePair(server);
  // An owner may have ten agents, and an agent works at one task at a time.
  const sellers = await Promise.all(Array.from({ length: 4 }, () => server.owner({ credits: 0 })));
  const agents = await Promise.all(sellers.flatMap((seller) => Array.from({ length: 9 }, () => seller.agent())));
  const ids = await Promise.all(agents.map((agent) => deliver({ ...pair, agent }, repo)));
  const leased = async () => {
    const { rows } = await server.pool.query(
      'select count(*)::int as n from tasks where id = any($1) and attempts > 1 and gate_host is not null',
      [ids.map((id) => toUuid('task', id))],
    );
    return rows[0].n;
  };
  const other = await makePair(server);
  await judges[0].app.run('tasks.resumeGates');
  expect(await leased()).toBe(share);
  const theirs = await deliver(other);
  await judges[1].app.run('tasks.resumeGates');
  await expect.poll(async () => (await other.buyer.agora.tasks.get(theirs)).status).toBe('completed');
  expect(await leased()).toBe(share);
});
