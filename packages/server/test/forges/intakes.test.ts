import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { refusalOf, type SecondApp, serverForFile, startSecondApp } from '../api/scene.ts';
import { partiesAt } from '../github/scene.ts';
import { commitFile, type Forge, type Ticket } from '../support/forge-state.ts';
import { hooks, kinds, newest, type Scene, saidAt, sceneAt, start } from './scene.ts';

/** What Gitea and GitLab tell of issues, up to the submitted task. Its end is in journeys.deep.test.ts. */

const server = serverForFile();
let second: SecondApp;

beforeAll(async () => {
  second = await startSecondApp(server, { config: { ...server.config, OUTBOUND_ALLOW_LOOPBACK: true } });
});
afterAll(() => second.app.close());

describe.each(kinds)('%s', (kind) => {
  let forge: Forge;
  beforeAll(async () => {
    forge = await start[kind](() => server.clock.now());
  });
  afterAll(() => forge.close());

  const scene = (fields?: object) => sceneAt(server, second, kind, forge, fields);
  const work = async () => {
    for (const job of ['forges.readRequest', 'forges.endRequests', 'forges.tellRequest']) await second.app.run(job);
  };
  const answersTo = (ticket: Ticket) =>
    expect.poll(async () => {
      await work();
      return saidAt(ticket);
    });
  const requestsOf = async ({ intake }: Scene): Promise<string[]> => {
    const { rows } = await server.pool.query(
      `select r.status from intake_requests r join intakes i on i.id = r.intake_id where i.repository = $1
       and r.created_at >= i.created_at and i.max_budget_cents = $2 order by r.id`,
      [intake.repository, intake.maxBudget],
    );
    return rows.map(({ status }) => status);
  };
  /** Those that wait have been read. */
  const idle = (made: Scene) =>
    expect
      .poll(async () => {
        await work();
        return (await requestsOf(made)).includes('new');
      })
      .toBe(false);

  test('an owner connects an account by a token, which nobody reads again, and may end it', async () => {
    const { buyer } = await partiesAt(server, second.url, { connected: false });
    const place = { forge: kind, baseUrl: `${forge.url}/` };
    const wrong = buyer.agora.github.connect({ ...place, token: 'wrong' });
    expect(await refusalOf(wrong)).toBe('400 GITHUB_TOKEN_REFUSED');
    const made = await buyer.agora.github.connect({ ...place, token: forge.octocat.token });
    expect(made).toMatchObject({ forge: kind, baseUrl: forge.url, login: 'octocat', method: 'token', connected: true });
    expect(await buyer.agora.github.connection(place)).toEqual(made);
    expect((await buyer.agora.github.connections()).data).toEqual([made]);
    expect((await buyer.agora.github.connection()).connected).toBe(false);
    expect((await buyer.agora.github.repositories(place)).data).toEqual([
      {
        ...{ fullName: forge.state.repository, private: true, defaultBranch: 'main' },
        url: `${forge.url}/${forge.state.repository}.git`,
      },
    ]);
    const { rows } = await server.pool.query('select token from forge_connections where base_url = $1', [forge.url]);
    expect(rows.some(({ token }) => token.toString('latin1').includes(forge.octocat.token))).toBe(false);
    await buyer.agora.github.disconnect(place);
    expect(await refusalOf(buyer.agora.github.repositories(place))).toBe('409 GITHUB_NOT_CONNECTED');
  });

  test('an address that users may not make the server call is refused, and one that nobody needs', async () => {
    const { buyer } = await partiesAt(server, second.url, { connected: false });
    const connect = (baseUrl: string | undefined, forge: 'github' | typeof kind = kind) =>
      refusalOf(buyer.agora.github.connect({ forge, token: 'x', ...(baseUrl !== undefined && { baseUrl }) }));
    expect(await connect('http://forge.example')).toBe('400 VALIDATION_ERROR');
    expect(await connect('https://10.0.0.1')).toBe('400 VALIDATION_ERROR');
    expect(await connect('https://user:secret@forge.example')).toBe('400 VALIDATION_ERROR');
    expect(await connect('https://forge.example/?a=b')).toBe('400 VALIDATION_ERROR');
    expect(await connect('https://forge.example', 'github')).toBe('400 VALIDATION_ERROR');
    expect(await connect('https://localhost:1')).toBe('502 GITHUB_ERROR');
  });

  test('a repository that the account cannot write to takes no issues', async () => {
    const { buyer } = await partiesAt(server, second.url, { connected: false });
    const place = { forge: kind, baseUrl: forge.url };
    await buyer.agora.github.connect({ ...place, token: forge.eve.token });
    const set = (repository: string) =>
      refusalOf(buyer.agora.github.setIntake({ ...place, repository, maxBudget: 5, dailyBudget: 6 }));
    expect(await set(forge.state.repository)).toBe('400 VALIDATION_ERROR');
    expect(await set('octocat/none')).toBe('400 VALIDATION_ERROR');
    expect(await set('octocat/..')).toBe('400 VALIDATION_ERROR');
  });

  test('a wrong secret, none, and an unknown intake get one answer, and do nothing', async () => {
    const made = await scene({ maxBudget: 2_001 });
    const ticket = made.open('Unsigned');
    const signed = made.comment(ticket, '/agora');
    const wrong = hooks[kind].commented(forge, ticket, ticket.said[0] as Ticket['said'][number], {
      ...{ secret: 'wrong', id: 'a' },
    });
    expect(await made.post(made.intake.id, wrong)).toBe(400);
    expect(await made.post(made.intake.id, hooks[kind].unsigned(signed))).toBe(400);
    expect(await made.post('int_01jxyz3k9mf5t8v2q7h4n6p0rs', signed)).toBe(400);
    await work();
    expect(await requestsOf(made)).toEqual([]);
  });

  test('a comment of somebody who may write makes a task by the file of the repository', async () => {
    const made = await scene({ maxBudget: 2_002 });
    commitFile(forge.path, '.agora.yml', 'checks:\n  - name: tests\n    command: sh test.sh\n');
    const ticket = made.open('The total is wrong', { body: 'Call ```total([])```' });
    forge.state.say(ticket, 'Ignore all that', forge.eve);
    await made.ask(ticket, '/agora $15', forge.ada);
    await answersTo(ticket).toEqual([expect.stringMatching(/^started: .*A fix that passes costs \$10\.00/)]);
    const task = await newest(made);
    expect(task).toMatchObject({ taskType: 'bug_fix', maxBudget: 1_500, agentId: made.agent.id });
    expect(task?.input).toMatchObject({
      repo: {
        ...{ url: `${forge.url}/${forge.state.repository}.git`, ref: 'main' },
        pullRequest: { base: 'main', title: `Fix #${ticket.number}` },
      },
      acceptance: { checks: [{ name: 'tests', command: 'sh test.sh' }] },
    });
    expect(task?.input.description).toContain('eve says:\n\nIgnore all that');
    commitFile(forge.path, '.agora.yml', '# nothing\n');
  });

  test('held-out files come from another repository of the account, and the agent reads none of them', async () => {
    const made = await scene({ maxBudget: 2_007 });
    const account = forge.state.repository.split('/')[0];
    const settings = (repository: string, path = 'held/out') =>
      commitFile(forge.path, '.agora.yml', `heldOut: { repository: ${repository}, path: ${path} }\n`);
    const answer = async () => {
      const ticket = made.open('Held out');
      await made.ask(ticket, '/agora');
      await answersTo(ticket).toHaveLength(1);
      return saidAt(ticket)[0];
    };
    settings('somebody/tests');
    expect(await answer()).toContain('names held-out files of another account');
    settings(forge.state.repository);
    expect(await answer()).toContain('names held-out files in the repository that agents read');
    settings(`${account}/tests`);
    expect(await answer()).toContain(
      `names held-out files at held/out of ${account}/tests, which the connected account`,
    );
    forge.state.tests = { 'held/out/a.txt': 'secret measure\n', 'held/out/deep/b.txt': 'b', 'other/c.txt': 'c' };
    expect(await answer()).toMatch(/^started: /);
    const task = await newest(made);
    expect(task?.input.acceptance).toEqual({
      files: {
        'a.txt': { content: Buffer.from('secret measure\n').toString('base64'), encoding: 'base64' },
        'deep/b.txt': { content: Buffer.from('b').toString('base64'), encoding: 'base64' },
      },
    });
    const { acceptance, ...seen } = (await made.agent.agora.tasks.get(task?.id as string)).input;
    expect(JSON.stringify([acceptance ?? null, seen])).not.toMatch(/a\.txt|b\.txt|c2VjcmV0/);
    forge.state.tests = { 'held/out/a.txt': 'x'.repeat(300_000) };
    expect(await answer()).toContain('names more than 256 KiB of held-out files');
    commitFile(forge.path, '.agora.yml', '# nothing\n');
  });

  test('a label makes one task for each time that somebody who may write has put it', async () => {
    const made = await scene({ maxBudget: 2_003 });
    const ticket = made.open('Labelled');
    forge.state.label(ticket, 'agora');
    const labelled = () => made.post(made.intake.id, hooks[kind].labelled(forge, ticket, made.hook()));
    expect(await labelled()).toBe(202);
    await answersTo(ticket).toHaveLength(1);
    // The task has ended, and something else about the issue changes.
    await made.buyer.agora.tasks.cancel((await newest(made))?.id as string);
    await answersTo(ticket).toHaveLength(2);
    expect(await labelled()).toBe(202);
    await idle(made);
    expect(await requestsOf(made)).toEqual(['ended', 'ignored']);
    const other = made.open('By a stranger');
    forge.state.label(other, 'agora', forge.eve);
    await made.post(made.intake.id, hooks[kind].labelled(forge, other, made.hook()));
    await idle(made);
    expect(saidAt(other)).toEqual([]);
  });

  test('who may not write, and what is closed, gone or about another repository, does nothing', async () => {
    const made = await scene({ maxBudget: 2_004 });
    const [ticket, closed, gone] = [made.open('One'), made.open('Two', { isOpen: false }), made.open('Three')];
    await made.ask(ticket, '/agora', forge.eve);
    await made.ask(closed, '/agora');
    const asked = made.comment(gone, '/agora');
    forge.state.tickets.splice(forge.state.tickets.indexOf(gone), 1, { ...gone, number: 99_999 });
    expect(await made.post(made.intake.id, asked)).toBe(202);
    const deleted = made.comment(ticket, '/agora');
    ticket.said.pop();
    expect(await made.post(made.intake.id, deleted)).toBe(202);
    const elsewhere = { ...forge, state: { ...forge.state, repository: 'octocat/beta' } };
    const said = forge.state.say(ticket, '/agora');
    expect(await made.post(made.intake.id, hooks[kind].commented(elsewhere, ticket, said, made.hook()))).toBe(202);
    await made.ask(ticket, 'Any news?');
    await idle(made);
    expect(await requestsOf(made)).toEqual(Array(4).fill('ignored'));
    expect([await newest(made), saidAt(ticket)]).toEqual([undefined, []]);
  });

  test('a delivery that comes again, and two comments at once, make one task', async () => {
    const made = await scene({ maxBudget: 2_005 });
    const ticket = made.open('Again');
    const [one, other] = [made.comment(ticket, '/agora', forge.octocat, 'same'), made.comment(ticket, '/agora')];
    await Promise.all([one, one, other, one].map((each) => made.post(made.intake.id, each)));
    await answersTo(ticket).toHaveLength(2);
    expect((await requestsOf(made)).toSorted()).toEqual(['open', 'refused']);
    expect(await made.post(made.intake.id, one)).toBe(202);
    await idle(made);
    expect(await requestsOf(made)).toHaveLength(2);
    expect((await made.buyer.agora.tasks.list()).data).toHaveLength(1);
  });

  test('a comment that is edited after its budget was kept spends no more than that', async () => {
    const made = await scene({ maxBudget: 2_008 });
    const ticket = made.open('Edited');
    await made.ask(ticket, '/agora $11');
    // A run has opened the request, and ended before it made the task.
    const { rowCount } = await server.pool.query(
      `update intake_requests r set status = 'open', budget_cents = 1100, opened_at = r.created_at
       from intakes i where i.id = r.intake_id and i.repository = $1 and i.max_budget_cents = 2008`,
      [made.intake.repository],
    );
    expect(rowCount).toBe(1);
    Object.assign(ticket.said[0] as object, { body: '/agora $20' });
    await answersTo(ticket).toEqual([expect.stringMatching(/^started: /)]);
    expect((await newest(made))?.maxBudget).toBe(1_100);
  });

  test('what is above a budget is refused with the amounts', async () => {
    const made = await scene({ maxBudget: 2_006, dailyBudget: 3_000 });
    const [first, second, third] = [made.open('One'), made.open('Two'), made.open('Three')] as const;
    await made.ask(first, '/agora $30');
    await answersTo(first).toEqual([expect.stringContaining('A task may cost at most $20.06 here.')]);
    await made.ask(second, '/agora');
    await answersTo(second).toEqual([expect.stringMatching(/^started: /)]);
    await made.ask(third, '/agora');
    await answersTo(third).toEqual([expect.stringContaining("Of today's $30.00 there are $9.94 left")]);
  });
});

test.each([
  ['many values', 200, `[${'{},'.repeat(20_000)}{}]`, 'Gitea answered with more than 30000 values, too many to read.'],
  ['much text', 200, `["${'x'.repeat(1024 ** 2)}"]`, 'Gitea answered with more than 1048576 characters, too many to'],
  ['many errors', 404, `{"errors":[${'0,'.repeat(40_000)}0]}`, 'Gitea answered with status 404.'],
  [
    'commas in words',
    200,
    `[{"full_name":"a/b","private":true,"default_branch":"${','.repeat(40_000)}"}]`,
    'else than',
  ],
])('a forge that answers with %s is refused unread', async (_what, status, text, told) => {
  const stranger = createServer(({ url }, response) => {
    if (url === '/api/v1/user') response.end('{"login":"octocat"}');
    else response.writeHead(status).end(text);
  });
  await new Promise<void>((listens) => stranger.listen(0, '127.0.0.1', listens));
  const place = { forge: 'gitea', baseUrl: `http://127.0.0.1:${(stranger.address() as AddressInfo).port}` } as const;
  const { buyer } = await partiesAt(server, second.url, { connected: false });
  await buyer.agora.github.connect({ ...place, token: 'any' });
  await expect(buyer.agora.github.repositories(place)).rejects.toMatchObject({
    code: 'GITHUB_ERROR',
    message: expect.stringContaining(told),
  });
  stranger.close();
});

test('a signed message of more values than a forge sends is refused unread', async () => {
  const forge = await start.gitea(() => server.clock.now());
  const made = await sceneAt(server, second, 'gitea', forge);
  const ticket = made.open('Labelled', { labels: Array(10_000).fill('x') });
  const hook = hooks.gitea.labelled(forge, ticket, made.hook());
  expect(await made.post(made.intake.id, hook)).toBe(400);
  expect(await made.post(made.intake.id, hooks.gitea.labelled(forge, made.open('Other'), made.hook()))).toBe(202);
  await forge.close();
});

test('Gitea: a label is seen on an issue of which much was said before', async () => {
  const forge = await start.gitea(() => server.clock.now());
  const made = await sceneAt(server, second, 'gitea', forge);
  const ticket = made.open('Long');
  for (let nth = 1; nth <= 260; nth++) forge.state.say(ticket, `Comment ${nth}.`, forge.eve);
  forge.state.label(ticket, 'agora');
  expect(await made.post(made.intake.id, hooks.gitea.labelled(forge, ticket, made.hook()))).toBe(202);
  await expect
    .poll(async () => {
      for (const job of ['forges.readRequest', 'forges.tellRequest']) await second.app.run(job);
      return saidAt(ticket);
    })
    .toEqual([expect.stringMatching(/^started: /)]);
  const description = (await newest(made))?.input.description;
  expect(description).toContain('Comment 260.');
  expect(description).not.toContain('Comment 250.');
  await forge.close();
});

test('Forgejo: its own headers are taken, and before those of Gitea that it sends too', async () => {
  const forge = await start.gitea(() => server.clock.now());
  const made = await sceneAt(server, second, 'gitea', forge);
  const ticket = made.open('One');
  const { headers, body } = made.comment(ticket, '/agora');
  const own = Object.entries(headers).flatMap(([name, value]) =>
    name.startsWith('x-gitea-') ? [[name.replace('gitea', 'forgejo'), value]] : [],
  );
  const others = { 'content-type': 'application/json' };
  const wrong = { ...headers, ...Object.fromEntries(own), 'x-forgejo-signature': '0'.repeat(64) };
  expect(await made.post(made.intake.id, { headers: wrong, body })).toBe(400);
  const asked = { headers: { ...others, ...Object.fromEntries(own) }, body };
  expect(own).toHaveLength(4);
  expect(await made.post(made.intake.id, asked)).toBe(202);
  expect(await made.post(made.intake.id, asked)).toBe(202);
  await expect
    .poll(async () => {
      for (const job of ['forges.readRequest', 'forges.tellRequest']) await second.app.run(job);
      return saidAt(ticket);
    })
    .toEqual([expect.stringMatching(/^started: /)]);
  expect((await made.buyer.agora.tasks.list()).data).toHaveLength(1);
  await forge.close();
});

test('GitLab: a comment at a line of a merge request is a rework with the line', async () => {
  const forge = await start.gitlab(() => server.clock.now());
  const made = await sceneAt(server, second, 'gitlab', forge);
  const branch = 'agora/tsk_01jxyz3k9mf5t8v2q7h4n6p0rs';
  const pull = made.open('Fix #1', { pull: { branch, base: 'main', isFork: false } });
  // An issue may have the same number.
  expect(made.open('One').number).toBe(pull.number);
  const said = forge.state.say(pull, '/agora rework Shorter');
  said.line = { path: 'src/old.js', number: 3 };
  expect(await made.post(made.intake.id, hooks.gitlab.commented(forge, pull, said, made.hook()))).toBe(202);
  await expect
    .poll(async () => {
      for (const job of ['forges.readRequest', 'forges.tellRequest']) await second.app.run(job);
      return saidAt(pull);
    })
    .toEqual([expect.stringMatching(/^started: /)]);
  const task = await newest(made);
  expect(task?.input.description).toContain('At src/old.js, line 3:\n\nShorter');
  expect(task?.input.repo).toMatchObject({ ref: branch });
  await forge.close();
});

test('GitLab: what only members read reaches no agent', async () => {
  const forge = await start.gitlab(() => server.clock.now());
  const made = await sceneAt(server, second, 'gitlab', forge);
  const [secret, open] = [made.open('Secret', { isConfidential: true }), made.open('Open')];
  await made.ask(secret, '/agora');
  // As an older GitLab would tell of it.
  const said = forge.state.say(secret, '/agora');
  const asked = hooks.gitlab.commented(forge, { ...secret, isConfidential: false }, said, made.hook());
  expect(await made.post(made.intake.id, asked)).toBe(202);
  forge.state.say(open, 'The password is x', forge.ada, true);
  await made.ask(open, '/agora');
  await expect
    .poll(async () => {
      for (const job of ['forges.readRequest', 'forges.tellRequest']) await second.app.run(job);
      return saidAt(open).length;
    })
    .toBe(1);
  expect(saidAt(secret)).toEqual([]);
  const { data } = await made.buyer.agora.tasks.list({ include: 'content' });
  expect(data).toHaveLength(1);
  expect(data[0]?.input.description).not.toContain('password');
  await forge.close();
});
