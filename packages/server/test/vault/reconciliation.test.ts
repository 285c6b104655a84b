import { describe, expect, test } from 'vitest';
import { hireAndPass, minute, pass, refusalOf, startSecondApp } from '../api/scene.ts';
import type { TestAgent, TestOwner } from '../support/harness.ts';
import { uuidOf } from './plant.ts';
import { type Finding, hour, reconciliationScene } from './reconciliation-scene.ts';

/** Contradictions are planted behind the constraints' back; each must be found, told once and cleared. */

const { server, forgery, reconcile, findingsAbout, eventsOf, addTo, earner, topUpOf } = reconciliationScene();

test('books that fit raise nothing', async () => {
  const { seller, agent } = await earner();
  await seller.agora.vault.withdraw(agent.id, { amount: 300 });
  const run = await reconcile();
  expect(run).toMatchObject({ processor: 'checked', raised: 0, open: 0 });
  expect(run.accounts).toBeGreaterThan(3);
  expect(run.records).toBe(2);
});

describe('a wallet whose balance is not the sum of its entries', () => {
  let agent: TestAgent;
  let seller: TestOwner;
  let buyer: TestOwner;
  const withdraw = () => refusalOf(seller.agora.vault.withdraw(agent.id, { amount: 100 }));

  test('is flagged: its agent, its owner and the operator are told, and nothing can be withdrawn', async () => {
    ({ agent, seller, buyer } = await earner());
    await addTo(agent, 'wallet_available', 5);
    expect(await reconcile()).toMatchObject({ raised: 1, open: 1 });
    expect((await agent.agora.vault.getWallet()).flagged).toBe(true);
    expect((await seller.agora.vault.getAgentWallet(agent.id)).flagged).toBe(true);
    const [finding] = await findingsAbout({ agentId: agent.id });
    expect(finding).toMatchObject({ kind: 'balance', subject: `${agent.id} wallet_available`, here: 855, there: 850 });
    expect(finding).toMatchObject({ status: 'open', ownerId: seller.id, clearedAt: null, clearedBy: null });
    expect(await eventsOf('wallet.flagged', seller)).toMatchObject([{ agent_id: uuidOf(agent) }]);
    expect(await eventsOf('reconciliation.finding', seller)).toHaveLength(1);
    expect(await withdraw()).toBe('403 WALLET_FLAGGED');
  });

  test('keeps what is in it: neither the pool nor another wallet gets it, from where it could be withdrawn', async () => {
    const other = await seller.agent();
    const { vault } = seller.agora;
    const refusals = [
      vault.transfer({ fromAgentId: agent.id, toAgentId: other.id, amount: 1 }),
      vault.reclaim(agent.id, { amount: 1 }),
    ];
    expect(await Promise.all(refusals.map(refusalOf))).toEqual(['403 WALLET_FLAGGED', '403 WALLET_FLAGGED']);
    expect((await agent.agora.vault.getWallet()).available).toBe(855);
  });

  test('is found again and not told again, also while money moves', async () => {
    await hireAndPass({ buyer, agent });
    await pass(server, 20 * minute);
    expect(await reconcile()).toMatchObject({ raised: 0, open: 1 });
    expect(await findingsAbout({ agentId: agent.id })).toMatchObject([{ here: 1705, there: 1700 }]);
    expect(await eventsOf('wallet.flagged', seller)).toHaveLength(1);
  });

  test('is cleared by the operator alone, and the audit trail says who, when and why', async () => {
    const body = { reason: 'A gift booked by hand', by: 'Ada' };
    const [finding] = await findingsAbout({ agentId: agent.id });
    const { vault } = server.operator();
    expect(await refusalOf(vault.clearFinding(finding?.id as string, body))).toBe('400 WRONG_STATE');
    expect(await refusalOf(server.client({ operatorToken: seller.token }).vault.clearFlag(agent.id, body))).toBe(
      '401 INVALID_OPERATOR_TOKEN',
    );
    const clearedAt = server.clock.now().toISOString();
    const cleared = { clearedAt, clearedBy: 'Ada', clearedReason: body.reason };
    expect(await vault.clearFlag(agent.id, body)).toMatchObject({ agentId: agent.id, flagged: false, ...cleared });
    expect(await findingsAbout({ agentId: agent.id })).toMatchObject([{ status: 'cleared', ...cleared }]);
    expect((await eventsOf('wallet.flag_cleared', seller))[0].data).toMatchObject({ ...body, findings: [finding?.id] });
    expect((await agent.agora.vault.getWallet()).flagged).toBe(false);
    expect(await withdraw()).toBe('no refusal');
    expect(await refusalOf(vault.clearFlag(agent.id, body))).toBe('400 WRONG_STATE');
  });

  test('stays cleared while the difference is the same, and is flagged again when it changes', async () => {
    expect(await reconcile()).toMatchObject({ raised: 0, open: 0 });
    expect((await agent.agora.vault.getWallet()).flagged).toBe(false);
    await addTo(agent, 'wallet_available', 1);
    expect(await reconcile()).toMatchObject({ raised: 1, open: 1 });
    expect((await agent.agora.vault.getWallet()).flagged).toBe(true);
    expect(await findingsAbout({ agentId: agent.id })).toMatchObject([{ status: 'open', clearedReason: null }]);
  });

  test('that fits again stays flagged until the operator has looked at it', async () => {
    await addTo(agent, 'wallet_available', -6);
    expect(await reconcile()).toMatchObject({ raised: 0, open: 0 });
    expect(await findingsAbout({ agentId: agent.id })).toMatchObject([{ status: 'gone' }]);
    expect(await withdraw()).toBe('403 WALLET_FLAGGED');
    await server.operator().vault.clearFlag(agent.id, { reason: 'Repaired' });
    expect(await withdraw()).toBe('no refusal');
  });
});

test('a pool that does not fit is a finding; cleared, it comes back only with another difference', async () => {
  const owner = await server.owner({ credits: 1000 });
  await addTo(owner, 'pool_available', 7);
  await addTo(owner, 'pool_held', 3);
  expect(await reconcile()).toMatchObject({ raised: 2 });
  const found = await findingsAbout({ ownerId: owner.id });
  expect(found.map(({ subject, here, there, agentId }) => [subject, here, there, agentId])).toEqual(
    expect.arrayContaining([
      [`${owner.id} pool_available`, 1007, 1000, null],
      [`${owner.id} pool_held`, 3, 0, null],
    ]),
  );
  const { vault } = server.operator();
  for (const { id } of found) {
    expect(await vault.clearFinding(id, { reason: 'Known' })).toMatchObject({
      status: 'cleared',
      clearedBy: 'operator',
    });
    expect(await refusalOf(vault.clearFinding(id, { reason: 'Known' }))).toBe('400 WRONG_STATE');
  }
  expect(await eventsOf('reconciliation.finding_cleared', owner)).toHaveLength(2);
  await owner.agora.vault.topUp({ amount: 500 });
  expect(await reconcile()).toMatchObject({ raised: 0 });
  await addTo(owner, 'pool_held', 1);
  expect(await reconcile()).toMatchObject({ raised: 1 });
  await addTo(owner, 'pool_available', -7);
  await addTo(owner, 'pool_held', -4);
  expect(await reconcile()).toMatchObject({ raised: 0, open: 0 });
});

describe('the processor', () => {
  test('that cannot be reached leaves its books for the next run; balances are checked all the same', async () => {
    const owner = await server.owner({ credits: 600 });
    const { ref } = await topUpOf(owner);
    forgery.hidden.add(ref);
    await addTo(owner, 'pool_held', 2);
    forgery.beforeList = () => Promise.reject(new Error('away'));
    expect(await reconcile()).toMatchObject({ processor: 'unreachable', records: 0, raised: 1 });
    forgery.beforeList = async () => {};
    server.clock.advance(72 * hour);
    expect(await reconcile()).toMatchObject({ processor: 'checked' });
    const found = (await findingsAbout({ ownerId: owner.id }, 'open')).map(({ kind }) => kind);
    expect(found.toSorted()).toEqual(['balance', 'charge_missing_there']);
    await addTo(owner, 'pool_held', -2);
  });

  test('is not asked where none is configured', async () => {
    const { app, url } = await startSecondApp(server, { processor: null });
    try {
      const operator = server.operator().withOptions({ baseUrl: url });
      expect(await operator.vault.reconcile()).toMatchObject({ processor: 'not_configured', records: 0 });
    } finally {
      await app.close();
    }
  });
});

test('of two runs at once, on whatever server, one is refused', async () => {
  const { app, url } = await startSecondApp(server, { processor: null });
  let letGo = () => {};
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const listing = new Promise<void>((resolve) => {
    forgery.beforeList = () => {
      resolve();
      return held;
    };
  });
  try {
    const first = server.operator().vault.reconcile();
    await listing;
    const second = server.operator().withOptions({ baseUrl: url }).vault.reconcile();
    expect(await refusalOf(second)).toBe('409 RECONCILIATION_IN_PROGRESS');
    letGo();
    expect(await refusalOf(first)).toBe('no refusal');
  } finally {
    await app.close();
  }
});

test('findings are listed by status, on pages of any size, and for the operator alone', async () => {
  const { vault } = server.operator();
  await addTo(await server.owner({ credits: 500 }), 'pool_held', 1);
  await reconcile();
  const all = (await vault.listFindings({ pageSize: 100 })).data;
  expect(all.map((each) => each.foundAt)).toEqual(
    all
      .map((each) => each.foundAt)
      .toSorted()
      .toReversed(),
  );
  for (const status of ['open', 'cleared', 'gone'] as const) {
    const found: Finding[] = [];
    for await (const each of vault.listFindings({ status, pageSize: 3 })) found.push(each);
    expect(found).toEqual(all.filter((each) => each.status === status));
    expect(found.length).toBeGreaterThan(0);
  }
  expect(await refusalOf(vault.listFindings({ status: 'closed' as never }))).toBe('400 VALIDATION_ERROR');
  expect(await refusalOf(vault.listFindings({ cursor: 'x' }))).toBe('400 VALIDATION_ERROR');
  expect(await refusalOf(server.client().vault.listFindings())).toBe('401 MISSING_CREDENTIALS');
});
