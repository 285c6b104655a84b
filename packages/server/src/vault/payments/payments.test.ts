import { createHash, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { databaseForFile } from '../../../test/support/database.ts';
import { codeOf, createInvoke, digest, type Invoke, insertOwner, silentLog } from '../../../test/support/invoke.ts';
import { manualClock, type OwnerCaller, readConfig, route } from '../../platform/index.ts';
import type { GuardedDeps } from './calls.ts';
import { addPaymentMethod, listPaymentMethods } from './payment-methods.ts';
import { configuredProcessor } from './processor.ts';
import { createTestProcessor, type TestProcessor } from './processor-test.ts';
import { settlePendingTopUps, topUp } from './top-up.ts';
import { paymentGuard } from './velocity.ts';

const { pool } = await databaseForFile();
let processor: TestProcessor;
let invoke: Invoke;
const clock = manualClock('2026-03-01T12:00:00.000Z');

const invokeWith = (changes: Partial<GuardedDeps>) => {
  const deps: GuardedDeps = {
    pool,
    clock,
    log: silentLog,
    digest,
    guard: paymentGuard('off', digest),
    processor,
    ...changes,
  };
  return createInvoke(deps, [
    route('vault.addPaymentMethod', (call) => addPaymentMethod(deps, call)),
    route('vault.listPaymentMethods', (call) => listPaymentMethods(deps, call)),
    route('vault.topUp', (call) => topUp(deps, call)),
  ]);
};

beforeEach(() => {
  clock.advance(3_600_000);
  processor = createTestProcessor();
  invoke = invokeWith({});
});

async function newOwner(card?: string): Promise<OwnerCaller> {
  const caller = await insertOwner({ pool, clock });
  if (card) await invoke('vault.addPaymentMethod', { caller, body: { paymentMethodId: card } });
  return caller;
}

const pay = (caller: OwnerCaller, amount = 2500) => invoke('vault.topUp', { caller, body: { amount } });
const sweep = () => settlePendingTopUps({ pool, clock, log: silentLog, processor });

const claimOf = (key: string) => ({
  id: createHash('sha256').update(key).digest('hex'),
  requestHash: '00',
  at: clock.now().toISOString(),
  subject: randomUUID(),
});

async function stateOf({ ownerId }: OwnerCaller) {
  const read = async (text: string) => (await pool.query(text, [ownerId])).rows;
  return {
    balance:
      (await read(`select balance from ledger_accounts where holder = $1 and kind = 'pool_available'`))[0]?.balance ??
      0,
    topUps: (await read('select status from top_ups where owner_id = $1 order by created_at')).map((one) => one.status),
    events: (await read(`select data from events where owner_id = $1 and type = 'pool.topped_up'`)).map(({ data }) => ({
      amount: data.amount,
    })),
  };
}

describe('payment methods', () => {
  test('the first saved card is the default, the second is not, and both are listed', async () => {
    const caller = await newOwner();
    const save = (paymentMethodId: string) => invoke('vault.addPaymentMethod', { caller, body: { paymentMethodId } });
    const visa = { id: 'pm_card_visa', brand: 'visa', last4: '4242', expMonth: 12, expYear: 2040, isDefault: true };
    expect(await save('pm_card_visa')).toEqual(visa);
    clock.advance(1);
    expect(await save('pm_card_chargeDeclined')).toMatchObject({ last4: '0341', isDefault: false });
    const first = await invoke('vault.listPaymentMethods', { caller, query: { pageSize: 1 } });
    expect(first.data).toEqual([visa]);
    const query = { cursor: first.pagination.nextCursor };
    const second = await invoke('vault.listPaymentMethods', { caller, query });
    expect(second).toMatchObject({ data: [{ last4: '0341' }], pagination: { nextCursor: null } });
    expect(await codeOf(invoke('vault.listPaymentMethods', { caller, query: { cursor: 'x' } }))).toBe(
      'VALIDATION_ERROR',
    );
  });

  test('saving writes its event', async () => {
    const { ownerId } = await newOwner('pm_card_visa');
    const { rows } = await pool.query('select type, data from events where owner_id = $1', [ownerId]);
    const data = { brand: 'visa', last4: '4242', isDefault: true, instrument: expect.stringMatching(/^ins_\w{32}$/) };
    expect(rows).toEqual([{ type: 'payment_method.added', data }]);
  });

  test('a card has the same instrument for every owner, at saving and at paying, and no other card has it', async () => {
    const instruments = async ({ ownerId }: OwnerCaller) =>
      (
        await pool.query(`select data ->> 'instrument' as name from events where owner_id = $1 order by seq`, [ownerId])
      ).rows.map((one) => one.name);
    const [first, second, other] = [
      await newOwner('pm_card_visa'),
      await newOwner('pm_card_visa'),
      await newOwner('pm_card_chargeDeclined'),
    ];
    await pay(first);
    const [saved, paid] = await instruments(first);
    expect(paid).toBe(saved);
    expect(await instruments(second)).toEqual([saved]);
    expect(await instruments(other)).not.toContain(saved);
    expect(saved).not.toContain('4242');
  });

  test('two cards saved at once make one default', async () => {
    const caller = await newOwner();
    const saved = await Promise.all(
      ['pm_card_visa', 'pm_card_chargeDeclined'].map((paymentMethodId) =>
        invoke('vault.addPaymentMethod', { caller, body: { paymentMethodId } }),
      ),
    );
    expect(saved.filter((method) => method.isDefault)).toHaveLength(1);
  });

  test('a card saved twice is DUPLICATE, an unknown one CARD_DECLINED', async () => {
    const caller = await newOwner('pm_card_visa');
    for (const [paymentMethodId, code] of [
      ['pm_card_visa', 'DUPLICATE'],
      ['pm_nope', 'CARD_DECLINED'],
      ['toString', 'CARD_DECLINED'],
    ] as const) {
      expect(await codeOf(invoke('vault.addPaymentMethod', { caller, body: { paymentMethodId } }))).toBe(code);
    }
  });

  test('a processor that throws is PROCESSOR_ERROR and nothing is saved', async () => {
    const caller = await newOwner();
    const broken = { ...processor, saveMethod: () => Promise.reject(new Error('down')) };
    const body = { paymentMethodId: 'pm_card_visa' };
    expect(await codeOf(invokeWith({ processor: broken })('vault.addPaymentMethod', { caller, body }))).toBe(
      'PROCESSOR_ERROR',
    );
    expect((await invoke('vault.listPaymentMethods', { caller })).data).toEqual([]);
  });
});

describe('top-up', () => {
  test('charges the default card once and adds the amount to the pool', async () => {
    const caller = await newOwner('pm_card_visa');
    expect(await pay(caller, 2500)).toEqual({ newBalance: 2500, amountCharged: 2500 });
    expect(await pay(caller, 500)).toEqual({ newBalance: 3000, amountCharged: 500 });
    expect(await stateOf(caller)).toEqual({
      balance: 3000,
      topUps: ['succeeded', 'succeeded'],
      events: [{ amount: 2500 }, { amount: 500 }],
    });
    expect([...processor.charged.values()]).toEqual([2500, 500]);
  });

  test('books two entries that sum to zero', async () => {
    const caller = await newOwner('pm_card_visa');
    await pay(caller);
    const { rows } = await pool.query(
      `select kind, amount from ledger_entries
       where subject in (select id from top_ups where owner_id = $1) order by side`,
      [caller.ownerId],
    );
    expect(rows).toEqual([
      { kind: 'processor_clearing', amount: -2500 },
      { kind: 'pool_available', amount: 2500 },
    ]);
  });

  test('without a saved card it is NO_PAYMENT_METHOD', async () => {
    expect(await codeOf(pay(await newOwner()))).toBe('NO_PAYMENT_METHOD');
  });

  test('a declined card is CARD_DECLINED, credits nothing and does not block the next try', async () => {
    const caller = await newOwner('pm_card_chargeDeclined');
    expect(await codeOf(pay(caller))).toBe('CARD_DECLINED');
    expect(await codeOf(pay(caller))).toBe('CARD_DECLINED');
    expect(await stateOf(caller)).toEqual({ balance: 0, topUps: ['failed', 'failed'], events: [] });
  });

  test('of two top-ups of an owner at once one is TOP_UP_IN_PROGRESS and one is charged', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    processor.faults.arriving = promise;
    const caller = await newOwner('pm_card_visa');
    const both = [codeOf(pay(caller)), codeOf(pay(caller))];
    expect(await Promise.race(both)).toBe('TOP_UP_IN_PROGRESS');
    resolve();
    expect((await Promise.all(both)).sort()).toEqual(['TOP_UP_IN_PROGRESS', 'none']);
    expect(await stateOf(caller)).toMatchObject({ balance: 2500, topUps: ['succeeded'] });
    expect(processor.charged.size).toBe(1);
  });

  test("top-ups of many owners at once do not stand in each other's way", async () => {
    const owners = await Promise.all(Array.from({ length: 10 }, () => newOwner('pm_card_visa')));
    const replies = await Promise.all(owners.map((caller, i) => pay(caller, 1000 + i)));
    expect(replies.map((reply) => reply.newBalance)).toEqual(owners.map((_, i) => 1000 + i));
  });

  test('without a processor both operations are PROCESSOR_NOT_CONFIGURED, as in production', async () => {
    const nameOf = async (env: Record<string, string>) =>
      (await configuredProcessor(readConfig(env), clock))?.name ?? 'none';
    expect(await nameOf({ AGORA_ENV: 'production' })).toBe('none');
    expect(await nameOf({ AGORA_ENV: 'development' })).toBe('test');
    for (const name of ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET', 'STRIPE_API_BASE']) {
      const reading = () => readConfig({ [name]: 'mistyped' });
      expect(reading).toThrow(name);
      if (name !== 'STRIPE_API_BASE') expect(reading).not.toThrow('mistyped');
    }
    for (const AGORA_ENV of ['development', 'production']) {
      expect(await nameOf({ AGORA_ENV, STRIPE_SECRET_KEY: 'sk_test_1' })).toBe('stripe');
    }
    const caller = await newOwner('pm_card_visa');
    const bare = invokeWith({ processor: null });
    expect(await codeOf(bare('vault.topUp', { caller, body: { amount: 500 } }))).toBe('PROCESSOR_NOT_CONFIGURED');
    expect(await codeOf(bare('vault.addPaymentMethod', { caller, body: { paymentMethodId: 'x' } }))).toBe(
      'PROCESSOR_NOT_CONFIGURED',
    );
  });
});

describe('a processor that fails in the middle', () => {
  test('a lost reply is PROCESSOR_ERROR, and the sweep credits the charge exactly once', async () => {
    const caller = await newOwner('pm_card_visa');
    processor.faults.fail = 'after';
    expect(await codeOf(pay(caller))).toBe('PROCESSOR_ERROR');
    expect(await stateOf(caller)).toMatchObject({ balance: 0, topUps: ['pending'] });
    processor.faults.fail = undefined;
    expect(await codeOf(pay(caller))).toBe('TOP_UP_IN_PROGRESS');
    expect(await sweep()).toBe(0);
    clock.advance(60_000);
    await Promise.all([sweep(), sweep()]);
    expect(await sweep()).toBe(0);
    expect(await stateOf(caller)).toEqual({ balance: 2500, topUps: ['succeeded'], events: [{ amount: 2500 }] });
    expect(await pay(caller)).toMatchObject({ newBalance: 5000 });
  });

  test('a charge that never arrived is given up by the sweep, and the owner can try again', async () => {
    const caller = await newOwner('pm_card_visa');
    processor.faults.fail = 'before';
    expect(await codeOf(pay(caller))).toBe('PROCESSOR_ERROR');
    processor.faults.fail = undefined;
    clock.advance(60_000);
    expect(await sweep()).toBe(1);
    expect(await stateOf(caller)).toEqual({ balance: 0, topUps: ['failed'], events: [] });
    expect(await pay(caller)).toMatchObject({ newBalance: 2500 });
  });

  test('an intent nobody can tell about stays pending and does not stop the sweep of others', async () => {
    const [lost, caller] = [await newOwner('pm_card_visa'), await newOwner('pm_card_visa')];
    processor.faults.fail = 'after';
    await codeOf(pay(lost));
    await codeOf(pay(caller));
    clock.advance(60_000);
    const lookUpCharge: TestProcessor['lookUpCharge'] = async (request, signal) => {
      const { rows } = await pool.query('select owner_id from top_ups where id = $1', [request.intentId]);
      if (rows[0].owner_id === lost.ownerId) throw new Error('not reachable');
      return processor.lookUpCharge(request, signal);
    };
    expect(await settlePendingTopUps({ pool, clock, log: silentLog, processor: { ...processor, lookUpCharge } })).toBe(
      1,
    );
    expect(await stateOf(lost)).toMatchObject({ balance: 0, topUps: ['pending'] });
    expect(await stateOf(caller)).toMatchObject({ balance: 2500, topUps: ['succeeded'] });
    expect(await sweep()).toBe(0);
    clock.advance(30_000);
    expect(await sweep()).toBe(1);
  });

  test('a charge that comes through after the sweep gave it up is credited, because it was paid', async () => {
    const caller = await newOwner('pm_card_visa');
    const { promise, resolve } = Promise.withResolvers<void>();
    processor.faults.arriving = promise;
    const patient = invokeWith({ processorTimeoutMs: 100_000 });
    const slow = patient('vault.topUp', { caller, body: { amount: 2500 } });
    await expect.poll(async () => (await stateOf(caller)).topUps).toEqual(['pending']);
    clock.advance(60_000);
    expect(await sweep()).toBe(1);
    expect((await stateOf(caller)).topUps).toEqual(['failed']);
    resolve();
    expect(await slow).toMatchObject({ newBalance: 2500 });
    expect(await stateOf(caller)).toMatchObject({ balance: 2500, topUps: ['succeeded'] });
  });

  test('a processor that never answers is PROCESSOR_ERROR after the time-out', async () => {
    const caller = await newOwner('pm_card_visa');
    const charge = vi.fn(() => new Promise<never>(() => undefined));
    const work = invokeWith({ processor: { ...processor, charge } })('vault.topUp', { caller, body: { amount: 500 } });
    await expect.poll(() => charge).toHaveBeenCalled();
    clock.advance(14_000);
    expect(await codeOf(work)).toBe('PROCESSOR_ERROR');
  });

  test('a charge the processor has not decided is PROCESSOR_ERROR and settled when it has', async () => {
    const caller = await newOwner('pm_card_visa');
    const undecided = { ...processor, charge: async () => ({ status: 'pending' }) as const };
    const work = invokeWith({ processor: undecided })('vault.topUp', { caller, body: { amount: 500 } });
    expect(await codeOf(work)).toBe('PROCESSOR_ERROR');
    expect(await stateOf(caller)).toMatchObject({ topUps: ['pending'] });
    clock.advance(60_000);
    const lookUpCharge = async () => ({ status: 'succeeded', ref: 'ch_1' }) as const;
    await settlePendingTopUps({ pool, clock, log: silentLog, processor: { ...processor, lookUpCharge } });
    expect(await stateOf(caller)).toMatchObject({ balance: 500, topUps: ['succeeded'] });
  });

  test('the same Idempotency-Key after a lost reply finds its first intent and does not pay again', async () => {
    const caller = await newOwner('pm_card_visa');
    const claim = claimOf(caller.ownerId);
    const payKeyed = (amount: number) => invoke('vault.topUp', { caller, body: { amount }, claim });
    processor.faults.fail = 'after';
    expect(await codeOf(payKeyed(700))).toBe('PROCESSOR_ERROR');
    processor.faults.fail = undefined;
    expect(await payKeyed(700)).toEqual({ newBalance: 700, amountCharged: 700 });
    expect(await payKeyed(700)).toEqual({ newBalance: 700, amountCharged: 700 });
    expect(await codeOf(payKeyed(800))).toBe('IDEMPOTENCY_KEY_REUSED');
    expect(await stateOf(caller)).toEqual({ balance: 700, topUps: ['succeeded'], events: [{ amount: 700 }] });
  });
});
