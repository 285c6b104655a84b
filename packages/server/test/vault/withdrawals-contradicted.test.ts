import { describe, expect, test } from 'vitest';
import { day, expectSoundLedger, minute, pass, refusalOf } from '../api/scene.ts';
import { availableOf, movementsOf, onlyWithdrawal, uuidOf } from './payout-scene.ts';
import { hour } from './reconciliation-scene.ts';
import { type StripeEarner, stripePayoutScene } from './stripe-payout-scene.ts';

/** Withdrawals whose account goes, or whose transfer is taken back, while the money is under way: nothing is paid twice. */

const { bank, fake, server, withdraw, makeEarner, atStripe, takeBack } = await stripePayoutScene();

const failureReason = 'The payment processor no longer has the account. Onboard again.';
const loseAccount = ({ accountRef }: StripeEarner) => bank.books.accounts.delete(accountRef);

async function reconcile() {
  server.clock.advance(2 * hour);
  return server.operator().vault.reconcile();
}

/** Open findings about a wallet: what, and what was given out by our books and by Stripe's. */
async function findingsOf({ agent }: StripeEarner) {
  const found: unknown[] = [];
  for await (const { agentId, kind, here, there } of server.operator().vault.listFindings({ status: 'open' })) {
    if (agentId === agent.id) found.push([kind, here, there]);
  }
  return found;
}

describe('an account that is gone', () => {
  test.each(['drop before', 'drop after'] as const)(
    'between transfer and payout (%s): the money comes back, or is at the bank',
    async (kind) => {
      const earner = await makeEarner(1000);
      fake.fault({ kind, path: '/v1/payouts', method: 'POST' });
      expect(await refusalOf(withdraw(earner, 400))).toBe('502 PROCESSOR_ERROR');
      fake.mend();
      loseAccount(earner);
      await pass(server, minute);
      await pass(server, day);
      if (kind === 'drop before') {
        expect(await onlyWithdrawal(earner)).toMatchObject({ status: 'failed', failureReason });
        expect([await availableOf(earner), atStripe(earner)]).toEqual([1000, { sent: 0, held: 0 }]);
      } else {
        // Stripe has nothing to give back: the payout was made, and nobody can say any more what became of it.
        expect(await onlyWithdrawal(earner)).toMatchObject({ status: 'pending' });
        expect([await availableOf(earner), atStripe(earner)]).toEqual([600, { sent: 400, held: 0 }]);
      }
    },
  );

  test('takes nothing back of what the bank was paid, though the account has money for it', async () => {
    const earner = await makeEarner(1000);
    const { id } = await withdraw(earner, 400);
    bank.decide(uuidOf(id), 'paid');
    await pass(server, minute);
    expect(await onlyWithdrawal(earner)).toMatchObject({ status: 'paid' });
    bank.books.balances.set(earner.accountRef, 400);
    loseAccount(earner);
    for (let week = 0; week < 2; week++) await pass(server, 8 * day);
    expect(await onlyWithdrawal(earner)).toMatchObject({ status: 'paid' });
    expect([await availableOf(earner), atStripe(earner)]).toEqual([600, { sent: 400, held: 400 }]);
    await takeBack(id);
    expect(await availableOf(earner)).toBe(600);
  });

  test('takes nothing back of a payout that is on its way', async () => {
    const earner = await makeEarner(1000);
    await withdraw(earner, 400);
    bank.books.balances.set(earner.accountRef, 400);
    loseAccount(earner);
    await pass(server, day);
    expect(await onlyWithdrawal(earner)).toMatchObject({ status: 'pending' });
    expect([await availableOf(earner), atStripe(earner)]).toEqual([600, { sent: 400, held: 400 }]);
  });

  test('does not keep the others from being reconciled with Stripe', async () => {
    const [lost, other] = [await makeEarner(1000), await makeEarner(1000)];
    const [{ id }, paid] = [await withdraw(lost, 400), await withdraw(other, 300)];
    for (const each of [id, paid.id]) bank.decide(uuidOf(each), 'paid');
    await pass(server, minute);
    loseAccount(lost);
    const [, transfer] = [...bank.books.transfers.values()].slice(-2);
    transfer?.metadata && Object.assign(transfer, { amount: 299 });
    expect(await reconcile()).toMatchObject({ processor: 'checked' });
    expect(await findingsOf(lost)).toEqual([]);
    expect(await findingsOf(other)).toEqual([['payout_amount', 300, 299]]);
    if (transfer) transfer.amount = 300;
  });
});

describe('a transfer that the operator takes back by hand', () => {
  test('before a payout was made returns the money to the wallet', async () => {
    const earner = await makeEarner(1000);
    fake.fault({ kind: 'drop before', path: '/v1/payouts' });
    expect(await refusalOf(withdraw(earner, 400))).toBe('502 PROCESSOR_ERROR');
    fake.mend();
    const { id } = await onlyWithdrawal(earner);
    await takeBack(id);
    expect(await onlyWithdrawal(earner)).toMatchObject({ id, status: 'failed' });
    expect(await availableOf(earner)).toBe(1000);
  });

  test.each(['paid', 'failed'] as const)(
    'while the payout is on its way waits for the bank, which says that it %s',
    async (decision) => {
      const earner = await makeEarner(1000);
      const { id } = await withdraw(earner, 400);
      bank.books.balances.set(earner.accountRef, 400);
      await takeBack(id);
      expect([(await onlyWithdrawal(earner)).status, await availableOf(earner)]).toEqual(['pending', 600]);
      bank.decide(uuidOf(id), decision);
      await pass(server, day);
      expect([(await onlyWithdrawal(earner)).status, await availableOf(earner), await findingsOf(earner)]).toEqual(
        decision === 'paid' ? ['paid', 600, [['payout_amount', 400, 0]]] : ['failed', 1000, []],
      );
    },
  );

  test.each([
    ['all of it', undefined, 0],
    ['a part', 150, 250],
  ])('after the bank was paid (%s) returns nothing: a finding, and a flag on the wallet', async (_, part, net) => {
    const earner = await makeEarner(1000);
    const { id } = await withdraw(earner, 400);
    bank.decide(uuidOf(id), 'paid');
    await pass(server, minute);
    bank.books.balances.set(earner.accountRef, 400);
    await takeBack(id, part);
    const state = async () => [
      (await onlyWithdrawal(earner)).status,
      await availableOf(earner),
      await findingsOf(earner),
    ];
    const flagged = ['paid', 600, [['payout_amount', 400, net]]];
    expect(await state()).toEqual(flagged);
    expect(await refusalOf(withdraw(earner, 400))).toBe('403 WALLET_FLAGGED');
    // Reconciliation sees the same and raises nothing more, in the days in which a bank may refuse and after them.
    for (const days of [1, 8]) {
      await pass(server, days * day);
      expect(await reconcile()).toMatchObject({ processor: 'checked', raised: 0 });
    }
    expect(await state()).toEqual(flagged);
    expect(await movementsOf(earner)).toEqual(['withdrawal -400']);
    await expectSoundLedger(server);
    await server.operator().vault.clearFlag(earner.agent.id, { reason: 'settled with the owner', by: 'ops' });
    await takeBack(id, 0);
    expect((await withdraw(earner, 100)).status).toBe('pending');
  });

  test('after the bank was paid, and then the bank sends the money back: it is in the wallet once', async () => {
    const earner = await makeEarner(1000);
    const { id } = await withdraw(earner, 400);
    bank.decide(uuidOf(id), 'paid');
    await pass(server, minute);
    bank.books.balances.set(earner.accountRef, 400);
    await takeBack(id);
    bank.decide(uuidOf(id), 'failed');
    await pass(server, 8 * day);
    expect([(await onlyWithdrawal(earner)).status, await availableOf(earner)]).toEqual(['failed', 1000]);
    expect(await movementsOf(earner)).toEqual(['withdrawal -400', 'withdrawal_returned 400']);
  });
});
