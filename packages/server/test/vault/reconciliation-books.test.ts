import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { noteOwed } from '../../src/vault/payments/debt-sql.ts';
import { minute, refusalOf } from '../api/scene.ts';
import type { TestAgent, TestOwner } from '../support/harness.ts';
import { uuidOf } from './plant.ts';
import { reconciliationScene } from './reconciliation-scene.ts';

/** Whatever the processor's books say otherwise than ours is found, and told to whom it concerns. */

const { server, forgery, reconcile, findingsAbout, earner, topUpOf } = reconciliationScene();

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
    const again = { ref: `again_${id}`, intentId: id, customerRef: null, amountCents: 600, at: server.clock.now() };
    forgery.charges.push(again);
    await reconcile();
    expect(await kinds(owner)).toEqual([['charge_twice', `again_${id}`, null, 600]]);
  });

  test('of which we know nothing, or that failed here; those of somebody else are not ours', async () => {
    const owner = await server.owner({ credits: 0 });
    await owner.agora.vault.addPaymentMethod({ paymentMethodId: 'pm_card_chargeDeclined' });
    expect(await refusalOf(owner.agora.vault.topUp({ amount: 700 }))).toBe('400 CARD_DECLINED');
    const failed = await topUpOf(owner);
    const unknown = randomUUID();
    const [at, customerRef] = [server.clock.now(), null];
    forgery.charges.push(
      { ref: `ch_${failed.id}`, intentId: failed.id, customerRef, amountCents: 700, at },
      { ref: `ch_${unknown}`, intentId: unknown, customerRef, amountCents: 800, at },
      { ref: 'ch_of_a_shop', intentId: null, customerRef, amountCents: 900, at },
      { ref: 'ch_of_another_shop', intentId: 'order 17', customerRef, amountCents: 900, at },
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
    await server.pool.query(`update top_up_reversals set state = 'undone', undone_at = $1`, [at]);
    await reconcile();
    // What the pool could not pay came back: nothing is missing any more.
    const short = (await findingsAbout({ ownerId: owner.id })).find(({ kind }) => kind === 'reversal_uncovered');
    expect(short).toMatchObject({ status: 'gone' });
    await server.pool.query('delete from top_up_reversals');
  });
});

test('who had a top-up charged back that the pool cannot pay withdraws nothing until the operator settles it', async () => {
  const { seller, agent } = await earner();
  await seller.agora.vault.addPaymentMethod({ paymentMethodId: 'pm_card_visa' });
  await seller.agora.vault.topUp({ amount: 1000 });
  await seller.agora.vault.allocate(agent.id, { amount: 1000 });
  const { id, ref: chargeRef } = await topUpOf(seller);
  const at = server.clock.now();
  await server.pool.query(
    `insert into top_up_reversals (id, top_up_id, owner_id, processor_ref, kind, amount, taken, state, created_at)
     values ($1, $2, $3, 'dp_gone', 'dispute', 1000, 0, 'standing', $4)`,
    [randomUUID(), id, uuidOf(seller), at],
  );
  await noteOwed(server.pool, uuidOf(seller), at);
  forgery.reversals.push({ ref: 'dp_gone', kind: 'dispute', state: 'standing', amountCents: 1000, chargeRef, at });
  const withdraw = () => refusalOf(seller.agora.vault.withdraw(agent.id, { amount: 850 }));
  expect(await withdraw()).toBe('403 WALLET_FLAGGED');
  await reconcile();
  expect(await withdraw()).toBe('403 WALLET_FLAGGED');
  const found = (await findingsAbout({ ownerId: seller.id })).find(({ kind }) => kind === 'reversal_uncovered');
  await server.operator().vault.clearFinding(found?.id ?? '', { reason: 'The owner has sent the money' });
  expect(await withdraw()).toBe('no refusal');
  await server.pool.query('delete from top_up_reversals');
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

  test('that their bank sent back are in order while the news of it is on its way, and no longer', async () => {
    const { agent, id: intentId, ref, accountRef } = await withdrawn();
    forgery.hidden.add(ref);
    const at = server.clock.now();
    forgery.payouts.push({ ref, intentId, accountRef, amountCents: 400, status: 'failed', at });
    await reconcile();
    expect(await about(agent)).toEqual([]);
    await server.pool.query('update withdrawals set due_at = null where id = $1', [intentId]);
    await reconcile();
    expect(await about(agent)).toEqual(['payout_missing_there 400 null']);
  });

  test('that were made although we gave the money back flag the wallet; failed ones are in order', async () => {
    const [paid, failed] = [await withdrawn(), await withdrawn()];
    for (const { id } of [paid, failed]) {
      await server.pool.query(`update withdrawals set status = 'failed', failure = 'x', due_at = null where id = $1`, [
        id,
      ]);
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
