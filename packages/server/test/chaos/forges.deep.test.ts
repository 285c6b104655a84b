import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { makePair, type Pair } from '../api/scene.ts';
import { deliver, kinds, newest, saidAt, sceneOf, start } from '../forges/scene.ts';
import { apiOf, makeProject } from '../github/project.ts';
import { appHook, type FakeGitHub, installAt, postTo, saidIn, startGitHub } from '../github/scene.ts';
import type { Forge } from '../support/forge-state.ts';
import { makeOwner } from '../support/harness.ts';
import { endLeases, lookInto } from './look.ts';
import { clientsOf, createInstallation, type Installation } from './server-process.ts';

/**
 * A server that is killed while a forge does what it was asked, and has not answered: at each call on the way from an issue
 * to the pull request and its verdict.
 */

let github: FakeGitHub;
let server: Installation;
beforeAll(async () => {
  github = await startGitHub();
  await makeProject(github);
  const { OUTBOUND_ALLOW_LOOPBACK: _, ...settings } = github.settings;
  server = await createInstallation({
    ...{ OUTBOUND_ALLOW_LOOPBACK: 'true', SANDBOX_WARM: '0', ...settings, ...github.appSettings },
  });
  await server.start();
});
afterAll(async () => {
  await server?.remove();
  await github?.close();
});
afterEach(({ task }) => {
  if (task.result?.state === 'fail') console.error(server.log().slice(-4000));
});

const url = () => server.url() as string;

type Call = [method: string, path: RegExp];
const comment: Call = ['POST', /(?:comments|notes)$/];
const pull: Call = ['POST', /(?:pulls|merge_requests)$/];
const ofForges = {
  untilStarted: [['GET', /collaborators|members\/all/], comment],
  untilEnded: [['POST', /git-receive-pack$/], pull, ['POST', /statuses\/\w+$/], comment],
} satisfies Record<string, Call[]>;
const ofGitHub = {
  untilStarted: [['GET', /collaborators/], ['POST', /access_tokens$/], comment],
  untilEnded: [
    ...(['blobs', 'trees', 'commits', 'refs'] as const).map((made): Call => ['POST', new RegExp(`/git/${made}$`)]),
    ...([pull, ['POST', /\/check-runs$/], comment] satisfies Call[]),
  ],
} satisfies Record<string, Call[]>;

/** An issue at which a connected owner has asked for a task, and what its forge knows. */
interface Place {
  untilStarted: Call[];
  untilEnded: Call[];
  hold(...call: Call): Promise<void>;
  /** The forge tells of the comment. */
  tell(): Promise<number>;
  said(): Promise<string[]>;
  branches(): Promise<{ name: string; commit: string | null }[]>;
  pulls(): Promise<{ branch: string; base: string }[]>;
  verdicts(): Promise<{ commit: string; state: unknown }[]>;
}

async function placeAt(kind: (typeof kinds)[number], forge: Forge, parties: Pair): Promise<Place> {
  const made = await sceneOf(parties, url, kind, forge);
  const ticket = made.open('README is not good');
  const asked = made.comment(ticket, '/agora');
  const { state, hold } = forge;
  return {
    ...{ ...ofForges, hold, tell: () => made.post(made.intake.id, asked), said: async () => saidAt(ticket) },
    branches: async () => state.branches().map((name) => ({ name, commit: state.branch(name) })),
    pulls: async () => state.tickets.flatMap((each) => (each.pull === null ? [] : [each.pull])),
    async verdicts() {
      // The later one of a name replaces the one before.
      const last = state.statuses.map(({ commit, state, context, name }) => {
        return [`${commit} ${context ?? name}`, { commit, state }] as const;
      });
      return [...new Map(last).values()];
    },
  };
}

async function placeAtGitHub({ buyer, agent }: Pair): Promise<Place> {
  await installAt(github);
  await buyer.agora.github.connect(await github.agree((await buyer.agora.github.authorize()).url));
  const budgets = { maxBudget: 2_000, dailyBudget: 10_000 };
  await buyer.agora.github.setIntake({ repository: 'octocat/alpha', agentIds: [agent.id], ...budgets });
  const octocat = apiOf(github, 'alpha');
  const { number } = await octocat.post('issues', { title: 'README is not good', body: 'Make it better' });
  const { id, body } = await octocat.post(`issues/${number}/comments`, { body: '/agora' });
  const asked = appHook('issue_comment', { action: 'created', issue: { number }, comment: { id, body } });
  const branches = async (): Promise<{ name: string; commit: string }[]> =>
    (await octocat.get('branches')).map(({ name, commit }: { name: string; commit: { sha: string } }) => {
      return { name, commit: commit.sha };
    });
  return {
    ...{ ...ofGitHub, hold: github.hold, branches, tell: () => postTo(url(), 'app', asked) },
    said: async () => saidIn((await octocat.get(`issues/${number}/comments`)) as { body: string }[]),
    async pulls() {
      const all: { head: { ref: string }; base: { ref: string } }[] = await octocat.get('pulls?state=all');
      return all.map(({ head, base }) => ({ branch: head.ref, base: base.ref }));
    },
    async verdicts() {
      const found: { commit: string; state: unknown }[] = [];
      for (const { commit } of await branches()) {
        const { check_runs: runs } = await octocat.get(`commits/${commit}/check-runs`);
        for (const { conclusion } of runs) found.push({ commit, state: conclusion });
      }
      return found;
    },
  };
}

/** Does what leads to these calls, and kills the server in the middle of each; the last server stays. */
async function killedAt({ hold }: Place, calls: Call[], begin: () => Promise<void>) {
  for (const [nth, call] of calls.entries()) {
    const held = hold(...call);
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

async function isDoneOnce(place: Place, parties: Pair): Promise<void> {
  const { buyer, agent } = parties;
  await killedAt(place, place.untilStarted, async () => {
    expect(await place.tell()).toBe(202);
  });
  await untilIdle();
  expect(await place.said()).toEqual([expect.stringMatching(/^started: /)]);
  const { id } = (await newest(parties))!;
  const [budget, price] = [2_000, 1_000];
  expect(await buyer.agora.vault.getPool()).toMatchObject({ held: budget, balance: 100_000 - budget });

  const work = ['echo better > README', String.raw`printf "\\377" > new.bin`];
  await killedAt(place, place.untilEnded, () => deliver(parties, id, work));
  // A forge that saw a server end tells it again.
  expect(await place.tell()).toBe(202);
  await untilIdle();
  expect((await place.said()).map((text) => text.split(':')[0])).toEqual(['started', 'ended']);
  const branch = `agora/${id}`;
  const branches = await place.branches();
  expect(branches.map(({ name }) => name).toSorted()).toEqual([branch, 'main']);
  expect(await place.pulls()).toMatchObject([{ branch, base: 'main' }]);
  const commit = branches.find(({ name }) => name === branch)?.commit;
  expect(await place.verdicts()).toEqual([{ commit, state: 'success' }]);
  const { data } = await buyer.agora.tasks.list();
  expect(data).toMatchObject([
    { id, price, status: 'completed', creditsCharged: price, pullRequest: { status: 'opened' } },
  ]);
  expect(await buyer.agora.vault.getPool()).toMatchObject({ held: 0, balance: 100_000 - price });
  expect(await agent.agora.vault.getWallet()).toMatchObject({ escrowed: price * 0.85 });
  expect(await server.command('verify-ledger')).toMatchObject({ code: 0 });
}

describe('a comment becomes one task, one pull request and two comments, and is paid once', () => {
  const pair = () => makePair({ owner: ({ credits = 0 } = {}) => makeOwner(clientsOf(server), credits) });

  test.each(kinds)('at %s', async (kind) => {
    const forge = await start[kind](() => new Date());
    const parties = await pair();
    await isDoneOnce(await placeAt(kind, forge, parties), parties).finally(() => forge.close());
  });

  test('at github, by its App', async () => {
    const parties = await pair();
    await isDoneOnce(await placeAtGitHub(parties), parties);
  });
});
