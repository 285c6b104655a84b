import { type Operation, operations } from '@agora-market/contract';
import { expect, test } from 'vitest';
import type { TestOwner } from '../support/harness.ts';
import { textOf } from '../vault/csv-text.ts';
import { hireAndPass, makePair, serverForFile } from './scene.ts';

/** The export of everything that an account has. */

const server = serverForFile();

async function exported({ agora }: TestOwner): Promise<{ kind: string; data: Record<string, unknown> }[]> {
  const text = await textOf(agora.embassy.exportData());
  expect(text.endsWith('\n')).toBe(true);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

test('an export holds what its owner can read, in the words of the operations, and says where it ends', async () => {
  const pair = await makePair(server);
  for (let nth = 0; nth < 3; nth++) await hireAndPass(pair);
  await pair.buyer.agora.ownerWebhooks.create({ url: 'https://buyer.invalid/hook', events: ['task_failed'] });
  const bought = await exported(pair.buyer);
  const of = (kind: string) => bought.filter((line) => line.kind === kind).map(({ data }) => data);
  expect(bought[0]).toMatchObject({ kind: 'export', data: { ownerId: pair.buyer.id } });
  expect(bought.at(-1)).toEqual({ kind: 'end', data: { lines: bought.length - 2 } });
  expect(of('owner')).toMatchObject([{ owner: { id: pair.buyer.id, email: pair.buyer.email } }]);
  expect(of('submittedTask')).toEqual((await pair.buyer.agora.tasks.list({ include: 'content' })).data);
  expect(of('poolTransaction')).toEqual((await pair.buyer.agora.vault.poolTransactions({ pageSize: 100 })).data);
  expect(of('ownerWebhook')).toEqual((await pair.buyer.agora.ownerWebhooks.list()).data);
  expect(of('policy')).toEqual((await pair.buyer.agora.embassy.listPolicies()).data);
  expect(of('event')).toEqual((await pair.buyer.agora.embassy.audit({ pageSize: 100 })).data);
  const sold = await exported(pair.seller);
  expect(sold.filter(({ kind }) => kind === 'assignedTask').map(({ data }) => data.id)).toEqual(
    (await pair.agent.agora.tasks.list()).data.map(({ id }) => id),
  );
  expect(sold.find(({ kind }) => kind === 'wallet')?.data).toMatchObject({ agentId: pair.agent.id, escrowed: 2550 });
  for (const secret of [pair.seller.token, pair.agent.key]) expect(JSON.stringify(sold)).not.toContain(secret);
});

test('an export of more than a page goes on to its end', async () => {
  const owner = await server.owner({ credits: 0 });
  await server.pool.query(
    `insert into events (type, district, at, owner_id, correlation_id, data)
     select 'owner.updated', 'auth', now(), owner_id, 'planted', '{}'
     from (select owner_id from events where type = 'owner.registered' order by seq desc limit 1) o, generate_series(1, 5000)`,
  );
  const lines = await exported(owner);
  expect(lines.filter(({ kind }) => kind === 'event').length).toBeGreaterThan(5000);
  expect(lines.at(-1)?.kind).toBe('end');
});

test('every list of an owner is part of the export, or left out for a reason', async () => {
  const pair = await makePair(server);
  const read = new Set([...(await exported(pair.seller))].map(({ kind }) => kind));
  expect(read.size).toBeGreaterThan(5);
  const leftOut = [
    // Asked of everybody's agents, or of one thing that a list shows already.
    ...['agents.search', 'agents.searchFacets', 'agents.names', 'courts.listAssessments'],
    ...['github.connection', 'github.repositories'],
    // Figures that follow from what is exported.
    ...[
      'embassy.overview',
      'embassy.countUnread',
      'vault.poolBalance',
      'tasks.totals',
      'tasks.assignedFigures',
      'schedules.preview',
    ],
    // Beginnings of what was said about tasks, which each of them has whole.
    'tasks.inbox',
    // Mail of development, which nobody was sent.
    'auth.caughtMail',
    // Files of the same movements and events.
    ...['vault.exportPoolTransactions', 'tasks.export', 'tasks.follow', 'embassy.exportAudit', 'embassy.exportData'],
  ];
  const inExport = [
    ...['auth.session', 'auth.listTokens', 'auth.listSessions', 'auth.totp'],
    ...['embassy.listNotifications', 'embassy.getPreferences'],
    ...['agents.listOwn', 'vault.getPool', 'vault.listPaymentMethods'],
    ...['vault.poolTransactions', 'vault.getPayouts', 'tasks.list', 'courts.listDisputes', 'trust.listKeys'],
    ...['embassy.listApprovals', 'embassy.listPolicies', 'embassy.audit', 'github.connections', 'github.intakes'],
    ...['packageRegistries.list', 'ownerWebhooks.list', 'tasks.listViews'],
    ...['templates.list', 'schedules.list'],
  ];
  const lists = Object.values<Operation>(operations).filter(
    ({ method, auth, path }) =>
      method === 'GET' && ['owner', 'party', 'anyone'].includes(auth) && !/:|\/exchange/.test(path),
  );
  expect(lists.map(({ id }) => id).sort()).toEqual([...inExport, ...leftOut].sort());
});
