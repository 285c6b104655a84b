import { randomUUID } from 'node:crypto';
import type { Reply } from '@agora/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hireAndPass, makePair, minute, pass, refusalOf, startSecondApp } from '../api/scene.ts';
import { startTestServer, type TestAgent, type TestOwner, type TestServer } from '../harness.ts';
import { type Forgery, forgedBooks } from './books.ts';
import { uuidOf } from './plant.ts';

/** Contradictions of each kind are planted behind the constraints' back; each must be found, told once and cleared. */

const hour = 60 * minute;
let server: TestServer;
const { processor, forgery } = forgedBooks(() => server.clock.now());

beforeAll(async () => {
  server = await startTestServer({ processor, config: { SESSION_IDLE_MS: 1e12 } });
});
afterAll(() => server.close());

const nothing: Omit<Forgery, 'beforeList'> = {
  hidden: new Set(),
  amounts: new Map(),
  charges: [],
  reversals: [],
  payouts: [],
};
beforeEach(() => {
  Object.assign(forgery, structuredClone(nothing), { beforeList: async () => {} });
});

type Finding = Reply<'vault.clearFinding'>;

/** Lets what is young come of age, and reconciles. */
async function reconcile() {
  server.clock.advance(2 * hour);
  return server.operator().vault.reconcile();
}

async function findingsAbout(who: { ownerId?: string; agentId?: string }, status?: 'open' | 'cleared' | 'gone') {
  const found: Finding[] = [];
  for await (const each of server.operator().vault.listFindings({ ...(status && { status }), pageSize: 2 })) {
    if (who.agentId ? each.agentId === who.agentId : each.ownerId === who.ownerId) found.push(each);
  }
  return found;
}

const eventsOf = async (type: string, who: TestOwner | TestAgent) =>
  (
    await server.pool.query(
      'select data, agent_id, owner_id from events where type = $1 and $2 in (agent_id, owner_id)',
      [type, uuidOf(who)],
    )
  ).rows;

async function addTo(who: TestOwner | TestAgent, kind: string, cents: number): Promise<void> {
  await server.pool.query('insert into ledger_accounts (holder, kind) values ($1, $2) on conflict do nothing', [
    uuidOf(who),
    kind,
  ]);
  await server.pool.query('update ledger_accounts set balance = balance + $3 where holder = $1 and kind = $2', [
    uuidOf(who),
    kind,
    cents,
  ]);
}

/** An agent with 850 cents that can be withdrawn. */
async function earner() {
  const pair = await makePair(server);
  await hireAndPass(pair);
  await pass(server, 20 * minute);
  await pair.seller.agora.vault.onboardPayouts();
  return pair;
}

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

/** The newest top-up of an owner, as our books have it. */
const topUpOf = async (owner: TestOwner) =>
  (
    await server.pool.query(
      'select id, processor_ref as ref from top_ups where owner_id = $1 order by created_at desc',
      [uuidOf(owner)],
    )
  ).rows[0] as { id: string; ref: string };

describe('charges', () => {
  const kinds = async (owner: TestOwner) =>
    (await findingsAbout({ ownerId: owner.id }, 'open')).map(({ kind, subject, here, there }) => [
      kind,
      subject,
      here,
      there,
    ]);

  test('that the processor does not know', async () => {
    const owner = await server.owner({ credits: 600 });
    const { ref } = await topUpOf(owner);
    forgery.hidden.add(ref);
    await reconcile();
    expect(await kinds(owner)).toEqual([['charge_missing_there', ref, 600, null]]);
    forgery.hidden.clear();
    await reconcile();
    expect(await findingsAbout({ ownerId: owner.id })).toMatchObject([{ status: 'gone' }]);
  });

  test('of another amount', async () => {
    const owner = await server.owner({ credits: 600 });
    const { ref } = await topUpOf(owner);
    forgery.amounts.set(ref, 601);
    await reconcile();
    expect(await kinds(owner)).toEqual([['charge_amount', ref, 600, 601]]);
  });

  test('that came twice for one top-up', async () => {
    const owner = await server.owner({ credits: 600 });
    const { id } = await topUpOf(owner);
    forgery.charges.push({ ref: `again_${id}`, intentId: id, amountCents: 600, at: server.clock.now() });
    await reconcile();
    expect(await kinds(owner)).toEqual([['charge_twice', `again_${id}`, null, 600]]);
  });

  test('of which we know nothing, or that failed here; those of somebody else are not ours', async () => {
    const owner = await server.owner({ credits: 0 });
    await owner.agora.vault.addPaymentMethod({ paymentMethodId: 'pm_card_chargeDeclined' });
    expect(await refusalOf(owner.agora.vault.topUp({ amount: 700 }))).toBe('400 CARD_DECLINED');
    const failed = await topUpOf(owner);
    const unknown = randomUUID();
    const at = server.clock.now();
    forgery.charges.push(
      { ref: `ch_${failed.id}`, intentId: failed.id, amountCents: 700, at },
      { ref: `ch_${unknown}`, intentId: unknown, amountCents: 800, at },
      { ref: 'ch_of_a_shop', intentId: null, amountCents: 900, at },
      { ref: 'ch_of_another_shop', intentId: 'order 17', amountCents: 900, at },
    );
    expect(await reconcile()).toMatchObject({ raised: 2 });
    expect(await kinds(owner)).toEqual([['charge_missing_here', `ch_${failed.id}`, null, 700]]);
    const all = await server.operator().vault.listFindings({ status: 'open', pageSize: 100 });
    expect(all.data).toContainEqual(expect.objectContaining({ subject: `ch_${unknown}`, ownerId: null, there: 800 }));
  });

  test('that are young, or not decided yet, may still be on their way', async () => {
    const owner = await server.owner({ credits: 600 });
    const { ref } = await topUpOf(owner);
    forgery.hidden.add(ref);
    server.clock.advance(30 * minute);
    await server.operator().vault.reconcile();
    expect(await kinds(owner)).toEqual([]);
    await server.pool.query(
      `insert into top_ups (id, owner_id, amount, payment_method_id, correlation_id, created_at)
       values ($1, $2, 500, 'pm', 'x', $3)`,
      [randomUUID(), uuidOf(owner), server.clock.now()],
    );
    forgery.hidden.clear();
    await reconcile();
    expect(await kinds(owner)).toEqual([]);
    await server.pool.query(`delete from top_ups where status = 'pending'`);
  });
});

describe('what went back of charges', () => {
  const reversal = { kind: 'refund', state: 'standing', amountCents: 200 } as const;

  test('and is not in our books, unless it was undone or is of others', async () => {
    const owner = await server.owner({ credits: 600 });
    const { ref: chargeRef } = await topUpOf(owner);
    const at = server.clock.now();
    forgery.reversals.push(
      { ...reversal, ref: `re_${chargeRef}`, chargeRef, at },
      { ...reversal, ref: `undone_${chargeRef}`, chargeRef, at, state: 'undone' },
      { ...reversal, ref: 're_of_a_shop', chargeRef: 'ch_of_a_shop', at },
    );
    expect(await reconcile()).toMatchObject({ raised: 1 });
    const { data } = await server.operator().vault.listFindings({ pageSize: 1 });
    expect(data[0]).toMatchObject({
      kind: 'reversal_missing_here',
      subject: `re_${chargeRef}`,
      here: null,
      there: 200,
    });
  });

  test('in another amount, or in our books alone, or beyond what the pool had', async () => {
    const owner = await server.owner({ credits: 600 });
    const { id, ref: chargeRef } = await topUpOf(owner);
    const at = server.clock.now();
    for (const [ref, amount, taken] of [
      ['re_other', 200, 200],
      ['re_alone', 100, 100],
      ['re_short', 300, 250],
    ]) {
      await server.pool.query(
        `insert into top_up_reversals (id, top_up_id, owner_id, processor_ref, kind, amount, taken, state, created_at)
         values ($1, $2, $3, $4, 'refund', $5, $6, 'standing', $7)`,
        [randomUUID(), id, uuidOf(owner), ref, amount, taken, at],
      );
    }
    forgery.reversals.push(
      { ...reversal, ref: 're_other', chargeRef, at, amountCents: 201 },
      { ...reversal, ref: 're_short', chargeRef, at, amountCents: 300 },
    );
    expect(await reconcile()).toMatchObject({ raised: 3 });
    const found = await findingsAbout({ ownerId: owner.id });
    expect(found.map(({ kind, subject, here, there }) => `${kind} ${subject} ${here} ${there}`).toSorted()).toEqual([
      'reversal_amount re_other 200 201',
      'reversal_missing_there re_alone 100 null',
      'reversal_uncovered re_short 250 300',
    ]);
    await server.pool.query('delete from top_up_reversals');
  });
});

describe('payouts', () => {
  const withdrawn = async () => {
    const { seller, agent } = await earner();
    const { id } = await seller.agora.vault.withdraw(agent.id, { amount: 400 });
    const { rows } = await server.pool.query(
      `select id, processor_ref as ref, account_ref as "accountRef" from withdrawals where agent_id = $1`,
      [uuidOf(agent)],
    );
    expect(id).toMatch(/^wdr_/);
    // The bank has it for good.
    await server.pool.query('update withdrawals set due_at = null where id = $1', [rows[0].id]);
    return { agent, seller, ...(rows[0] as { id: string; ref: string; accountRef: string }) };
  };
  const about = async (agent: TestAgent) =>
    (await findingsAbout({ agentId: agent.id }, 'open')).map(({ kind, here, there }) => `${kind} ${here} ${there}`);

  test('that the processor does not know, of another amount, and made twice flag the wallet', async () => {
    const [lost, other, twice] = [await withdrawn(), await withdrawn(), await withdrawn()];
    forgery.hidden.add(lost.ref);
    forgery.amounts.set(other.ref, 399);
    const { id: intentId, accountRef } = twice;
    const at = server.clock.now();
    forgery.payouts.push({ ref: `again_${intentId}`, intentId, accountRef, amountCents: 400, status: 'paid', at });
    expect(await reconcile()).toMatchObject({ raised: 3 });
    expect(await about(lost.agent)).toEqual(['payout_missing_there 400 null']);
    expect(await about(other.agent)).toEqual(['payout_amount 400 399']);
    expect(await about(twice.agent)).toEqual(['payout_twice null 400']);
    for (const { agent } of [lost, other, twice]) {
      expect((await agent.agora.vault.getWallet()).flagged).toBe(true);
    }
  });

  test('that were made although we gave the money back flag the wallet; failed ones are in order', async () => {
    const [paid, failed] = [await withdrawn(), await withdrawn()];
    for (const { id } of [paid, failed]) {
      await server.pool.query(`update withdrawals set status = 'failed', failure = 'x' where id = $1`, [id]);
    }
    forgery.hidden.add(failed.ref);
    const { id: intentId, ref, accountRef } = failed;
    const at = server.clock.now();
    forgery.payouts.push({ ref, intentId, accountRef, amountCents: 400, status: 'failed', at });
    await reconcile();
    expect(await about(paid.agent)).toEqual(['payout_missing_here null 400']);
    expect(await about(failed.agent)).toEqual([]);
  });
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
