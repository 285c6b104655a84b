import { randomUUID } from 'node:crypto';
import { beforeEach, expect, test } from 'vitest';
import type { PayoutRecord } from '../../src/vault/payments/payment-processor.ts';
import { refusalOf } from '../api/scene.ts';
import { earn } from '../support/earn.ts';
import type { TestAgent, TestOwner } from '../support/harness.ts';
import { makeEarner } from './payout-scene.ts';
import { uuidOf } from './plant.ts';
import { reconciliationScene } from './reconciliation-scene.ts';

/** What contradicts the books of an owner keeps credits from leaving by way of a wallet, until the operator clears it. */

const { server, forgery, reconcile, findingsAbout, addTo, topUpOf } = reconciliationScene();
let owner: TestOwner;
let agent: TestAgent;

beforeEach(async () => {
  ({ owner, agent } = await makeEarner(server, 1_000));
  await owner.agora.vault.topUp({ amount: 1_000 });
});

const attempts = async () => [
  await refusalOf(owner.agora.vault.allocate(agent.id, { amount: 100 })),
  await refusalOf(owner.agora.vault.withdraw(agent.id, { amount: 100 })),
];
const refused = ['403 WALLET_FLAGGED', '403 WALLET_FLAGGED'];
const allowed = ['no refusal', 'no refusal'];

/** As where the database was restored to a moment before its withdrawal. */
const unknownPayout = (to: TestOwner): PayoutRecord => {
  const intentId = randomUUID();
  const accountRef = `test_account_${uuidOf(to)}`;
  return { ref: `po_${intentId}`, intentId, accountRef, amountCents: 100, status: 'paid', at: server.clock.now() };
};

async function clearAll(): Promise<void> {
  for (const { id } of await findingsAbout({ ownerId: owner.id }, 'open')) {
    await server.operator().vault.clearFinding(id, { reason: 'Settled' });
  }
}

test('a pool that has more than its entries say: nothing is allocated or withdrawn, and the refusal says why', async () => {
  await addTo(owner, 'pool_available', 50_000);
  expect(await attempts()).toEqual(allowed);
  await reconcile();
  expect(await attempts()).toEqual(refused);
  const [finding] = await findingsAbout({ ownerId: owner.id }, 'open');
  const refusal = await owner.agora.vault.allocate(agent.id, { amount: 50_000 }).catch((error) => error);
  expect(refusal.message).toContain(`balance of ${owner.id} pool_available`);
  expect(refusal.message).toContain('operator');
  expect(refusal.details).toEqual({ findingId: finding?.id, kind: 'balance' });
  await clearAll();
  expect(await attempts()).toEqual(allowed);
  await addTo(owner, 'pool_available', -50_000);
});

test('what blocks one owner is nothing to another, and a flag of one wallet nothing to the others', async () => {
  const [other, sibling] = [await makeEarner(server, 500), await owner.agent()];
  await owner.agora.vault.allocate(sibling.id, { amount: 200 });
  await addTo(owner, 'pool_held', 3);
  await addTo(other.agent, 'wallet_available', 3);
  await reconcile();
  const { vault } = other.owner.agora;
  const third = await other.owner.agent();
  expect(await attempts()).toEqual(refused);
  expect(await refusalOf(vault.withdraw(other.agent.id, { amount: 100 }))).toBe('403 WALLET_FLAGGED');
  await vault.topUp({ amount: 500 });
  await earn(server, third, 100);
  expect(await refusalOf(vault.allocate(third.id, { amount: 200 }))).toBe('no refusal');
  expect(await refusalOf(vault.withdraw(third.id, { amount: 100 }))).toBe('no refusal');
  await addTo(owner, 'pool_held', -3);
  await addTo(other.agent, 'wallet_available', -3);
});

test.each<[string, (ref: string) => unknown]>([
  ['a charge that the processor does not know', (ref) => forgery.hidden.add(ref)],
  ['a charge of another amount', (ref) => forgery.amounts.set(ref, 999)],
  [
    'money that went back and is not booked',
    (chargeRef) =>
      forgery.reversals.push({
        ...{ kind: 'refund', state: 'standing', amountCents: 400, ref: `re_${chargeRef}`, chargeRef },
        at: server.clock.now(),
      }),
  ],
  ['a payout of which we know nothing', () => forgery.payouts.push(unknownPayout(owner))],
])(
  '%s: nothing is allocated or withdrawn until the operator clears the finding, or it is gone',
  async (_what, plant) => {
    plant((await topUpOf(owner)).ref);
    await reconcile();
    expect(await attempts()).toEqual(refused);
    await clearAll();
    expect(await attempts()).toEqual(allowed);
    await reconcile();
    expect(await attempts()).toEqual(allowed);
  },
);
