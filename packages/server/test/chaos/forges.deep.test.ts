import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { makePair } from '../api/scene.ts';
import { deliver, kinds, newest, saidAt, sceneOf, start } from '../forges/scene.ts';
import type { Forge } from '../support/forge-state.ts';
import { makeOwner } from '../support/harness.ts';
import { endLeases, lookInto } from './look.ts';
import { clientsOf, createInstallation, type Installation } from './server-process.ts';

/**
 * A server that is killed while a forge does what it was asked, and has not answered: at each call on the way from an issue
 * to the pull request and its verdict.
 */

let server: Installation;
beforeAll(async () => {
  server = await createInstallation({ OUTBOUND_ALLOW_LOOPBACK: 'true', SANDBOX_WARM: '0' });
  await server.start();
});
afterAll(() => server?.remove());
afterEach(({ task }) => {
  if (task.result?.state === 'fail') console.error(server.log().slice(-4000));
});

type Call = [method: string, path: RegExp];
const comment: Call = ['POST', /(?:comments|notes)$/];
const untilStarted: Call[] = [['GET', /collaborators|members\/all/], comment];
const untilEnded: Call[] = [
  ['POST', /git-receive-pack$/],
  ['POST', /(?:pulls|merge_requests)$/],
  ['POST', /statuses\/\w+$/],
  comment,
];

describe.each(kinds)('%s', (kind) => {
  let forge: Forge;
  beforeAll(async () => {
    forge = await start[kind](() => new Date());
  });
  afterAll(() => forge.close());

  /** Does what leads to these calls, and kills the server in the middle of each; the last server stays. */
  async function killedAt(calls: Call[], begin: () => Promise<void>) {
    for (const [nth, call] of calls.entries()) {
      const held = forge.hold(...call);
      await (nth === 0 ? begin() : server.start());
      await held;
      await server.end('SIGKILL');
      await endLeases(server);
    }
    await server.start();
  }

  /** Nothing of the forge waits or runs any more. */
  const untilIdle = () =>
    expect
      .poll(() =>
        lookInto(server, (query) =>
          query(`select kind as waits from queued_jobs where kind like 'forges.%'
            union all select 'pull request' from pull_requests where due_at is not null
            union all select 'end of a request' from intake_requests where status = 'open' and task_id in (
              select id from tasks where status = 'completed')`),
        ),
      )
      .toEqual([]);

  test('a comment becomes one task, one pull request and two comments, and is paid once', async () => {
    const parties = await makePair({ owner: ({ credits = 0 } = {}) => makeOwner(clientsOf(server), credits) });
    const { buyer, agent } = parties;
    const made = await sceneOf(parties, () => server.url() as string, kind, forge);
    const ticket = made.open('README is not good');
    const asked = made.comment(ticket, '/agora');
    await killedAt(untilStarted, async () => {
      expect(await made.post(made.intake.id, asked)).toBe(202);
    });
    await untilIdle();
    expect(saidAt(ticket)).toEqual([expect.stringMatching(/^started: /)]);
    const { id } = (await newest(made))!;
    const [budget, price] = [2_000, 1_000];
    expect(await buyer.agora.vault.getPool()).toMatchObject({ held: budget, balance: 100_000 - budget });

    await killedAt(untilEnded, () => deliver(made, id, ['echo better > README']));
    // A forge that saw a server end tells it again.
    expect(await made.post(made.intake.id, asked)).toBe(202);
    await untilIdle();
    expect(saidAt(ticket).map((text) => text.split(':')[0])).toEqual(['started', 'ended']);
    expect(forge.state.branches()).toEqual([`agora/${id}`, 'main']);
    const pulls = forge.state.tickets.filter(({ pull }) => pull !== null);
    expect(pulls).toMatchObject([{ pull: { branch: `agora/${id}`, base: 'main' } }]);
    // At the forge, the later one of a name replaces the one before.
    const verdicts = forge.state.statuses.map(({ commit, state }) => ({ commit, state }));
    expect(verdicts).toContainEqual({ commit: forge.state.branch(`agora/${id}`), state: 'success' });
    expect(new Set(verdicts.map((each) => JSON.stringify(each))).size).toBe(1);
    const { data } = await buyer.agora.tasks.list();
    expect(data).toMatchObject([
      { id, price, status: 'completed', creditsCharged: price, pullRequest: { status: 'opened' } },
    ]);
    expect(await buyer.agora.vault.getPool()).toMatchObject({ held: 0, balance: 100_000 - price });
    expect(await agent.agora.vault.getWallet()).toMatchObject({ escrowed: price * 0.85 });
    expect(await server.command('verify-ledger')).toMatchObject({ code: 0 });
  });
});
