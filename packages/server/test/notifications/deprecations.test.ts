import { expect, onTestFinished, test } from 'vitest';
import { verify } from '../api/mailed.ts';
import { shared, startPeer } from '../api/peer.ts';
import { day, refusalOf, serverForFile } from '../api/scene.ts';
import type { TestOwner } from '../support/harness.ts';
import { mailsTo, tellAll } from './scene.ts';

/** The end of the legacy exchange stands for all: 90 days before it, those who used it are told. */

const sunset = Date.parse('2027-06-30T00:00:00.000Z');
const server = serverForFile({ config: { ...shared, EXCHANGE_SUNSET: new Date(sunset).toISOString() } });
const at = (days: number) => server.clock.set(new Date(sunset + days * day));

const announce = async (app = server.app) => {
  await app.run('embassy.announceDeprecations');
  await tellAll(server);
};

/** Of an owner that has not signed in since; its session has ended meanwhile. */
const told = async (owner: TestOwner) => {
  const { token } = await server.client().auth.signIn({ email: owner.email, password: 'correct horse' });
  const { data } = await server.client({ ownerToken: token }).embassy.listNotifications({ pageSize: 100 });
  return data.filter(({ kind }) => kind === 'deprecation_announced').map(({ text }) => text);
};
const mailed = async (owner: TestOwner) =>
  (await mailsTo(server, owner)).filter(({ subject }) => subject === 'Something that you use will end');

test('owners whose agents use what ends are told once, by list and mail, 90 days before', async () => {
  at(-95);
  const user = await server.owner();
  await verify(server, user);
  const idle = await server.owner();
  const agent = await user.agent();
  await idle.agent();
  await agent.agora.exchange.searchRequests({});
  await agent.agora.exchange.searchRequests({});
  await agent.agora.exchange.listNotifications({});
  at(-90.001);
  await announce();
  expect(await told(user)).toEqual([]);
  at(-90);
  await announce();
  await announce();
  const texts = await told(user);
  expect(texts).toEqual([
    'On 2027-06-30 this ends, which you have used lately: GET /api/v1/exchange/notifications; ' +
      'GET /api/v1/exchange/requests. What to use instead: GET /api/v1/changelog',
  ]);
  const [mail, ...more] = await mailed(user);
  expect(more).toEqual([]);
  expect(mail?.text).toContain(texts[0]);
  const page = await fetch(`${server.url}/api/v1/changelog`);
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/markdown; charset=utf-8']);
  expect(await page.text()).toContain('| `GET /api/v1/exchange/requests` |');
  // More of the same changes nothing; what it has not used before is told by itself.
  await agent.agora.exchange.searchRequests({});
  at(-60);
  await announce();
  expect(await told(user)).toHaveLength(1);
  expect(await refusalOf(agent.agora.exchange.getRequest('x'))).toBe('404 WORK_REQUEST_NOT_FOUND');
  await announce();
  await announce();
  expect((await told(user)).map((text) => text.match(/GET [^ ;.]+(?=\. What)/)?.[0])).toEqual([
    'GET /api/v1/exchange/requests/:requestId',
    'GET /api/v1/exchange/requests',
  ]);
  expect(await told(idle)).toEqual([]);
  expect(await mailed(idle)).toEqual([]);
});

test('what was last used more than 90 days before the announcement is told to nobody', async () => {
  at(-200);
  const owner = await server.owner();
  await (await owner.agent()).agora.exchange.searchRequests({});
  await server.app.run('embassy.announceDeprecations');
  at(-90);
  await announce();
  expect(await told(owner)).toEqual([]);
});

test('several servers tell each owner once, also of what one of them noted as it stopped', async () => {
  at(-80);
  const [first, second] = await Promise.all([startPeer(server), startPeer(server)]);
  onTestFinished(() => second.close());
  const owners = await Promise.all(Array.from({ length: 5 }, () => server.owner()));
  for (const owner of owners) {
    const { key } = await owner.agent();
    await fetch(`${first.url}/api/v1/exchange/requests`, { headers: { 'x-api-key': key } });
    await fetch(`${first.url}/api/v1/exchange/notifications`, { headers: { 'x-api-key': key } });
  }
  await first.close();
  await Promise.all([server.app, second.app].map((app) => app.run('embassy.announceDeprecations')));
  await tellAll(server);
  for (const owner of owners) {
    expect(await told(owner)).toHaveLength(1);
    expect(await mailed(owner)).toHaveLength(1);
  }
});
