import { afterEach, describe, expect, test } from 'vitest';
import { hire, minute, pass, refusalOf, serverForFile, startSecondApp } from '../../../test/api/scene.ts';
import type { TestOwner } from '../../../test/support/harness.ts';
import { createTestProcessor } from '../payments/processor-test.ts';

const processor = createTestProcessor();
const server = serverForFile({ processor });
afterEach(() => {
  processor.faults = {};
});

const hour = 60 * minute;
const on = { enabled: true, threshold: 1000, reloadAmount: 5000, maxPerDay: 100_000, maxPerMonth: 500_000 };
const balanceOf = async (owner: TestOwner) => (await owner.agora.vault.getPool()).balance;

/** An owner with this many cents, whose card is refused or accepted, and whose auto-top-up is on. */
async function reloading(credits: number, setting: Partial<typeof on> = {}): Promise<TestOwner> {
  const owner = await server.owner({ credits });
  if (credits === 0) await owner.agora.vault.addPaymentMethod({ paymentMethodId: 'pm_card_visa' });
  await owner.agora.vault.setAutoTopUp({ ...on, ...setting });
  return owner;
}

async function refused(): Promise<TestOwner> {
  const owner = await server.owner({ credits: 0 });
  await owner.agora.vault.addPaymentMethod({ paymentMethodId: 'pm_card_chargeDeclined' });
  await owner.agora.vault.setAutoTopUp(on);
  return owner;
}

/** Types of an owner's events about auto-top-ups, oldest first, with what they say. */
async function told(owner: TestOwner): Promise<[string, Record<string, unknown>][]> {
  const { rows } = await server.pool.query(
    `select type, data from events where type like 'auto_top_up.%' and type <> 'auto_top_up.updated'
       and owner_id = (select id from owners where email = $1) order by seq`,
    [owner.email],
  );
  return rows.map(({ type, data }) => [type.replace('auto_top_up.', ''), data]);
}

describe('setting', () => {
  test('is off at first, is kept, and shows in the pool', async () => {
    const owner = await server.owner({ credits: 2000 });
    const { vault } = owner.agora;
    expect((await vault.getPool()).autoTopUp).toEqual({
      ...{ enabled: false, threshold: 0, reloadAmount: 0 },
      ...{ maxPerDay: null, maxPerMonth: null },
    });
    expect(await vault.setAutoTopUp(on)).toEqual(on);
    expect((await vault.getPool()).autoTopUp).toEqual(on);
    await vault.setAutoTopUp({ ...on, enabled: false });
    expect((await vault.getPool()).autoTopUp).toEqual({ ...on, enabled: false });
  });

  test('without a payment method is 400 NO_PAYMENT_METHOD, and may be prepared switched off', async () => {
    const { agora } = await server.owner({ credits: 0 });
    expect(await refusalOf(agora.vault.setAutoTopUp(on))).toBe('400 NO_PAYMENT_METHOD');
    expect(await agora.vault.setAutoTopUp({ ...on, enabled: false })).toMatchObject({ enabled: false });
  });

  test('of a threshold that one reload does not reach is 400 and names the amount; switched off it is only kept', async () => {
    const { agora } = await server.owner({ credits: 500 });
    const beyond = { ...on, threshold: 5001 };
    await expect(agora.vault.setAutoTopUp(beyond)).rejects.toMatchObject({
      status: 400,
      code: 'VALIDATION_ERROR',
      message: expect.stringMatching(/^reloadAmount: must be at least the threshold/),
    });
    expect(await agora.vault.setAutoTopUp({ ...beyond, enabled: false })).toMatchObject({ enabled: false });
    expect(await agora.vault.setAutoTopUp({ ...beyond, threshold: 5000 })).toMatchObject({ enabled: true });
  });

  test.each([
    { maxPerDay: null },
    { maxPerMonth: null },
    { maxPerDay: 4999 },
    { maxPerMonth: 99_999 },
    { reloadAmount: 499 },
    { reloadAmount: 1_000_001 },
    { threshold: -1 },
    { threshold: 0.5 },
  ])('with %j is 400', async (fields) => {
    const { agora } = await server.owner({ credits: 500 });
    expect(await refusalOf(agora.vault.setAutoTopUp({ ...on, ...fields }))).toBe('400 VALIDATION_ERROR');
  });
});

describe('a pool', () => {
  test('of a suspended owner is left alone until the owner is active again', async () => {
    const owner = await reloading(2000, { threshold: 3000 });
    const suspend = (status: string) =>
      server.pool.query('update owners set status = $2 where email = $1', [owner.email, status]);
    await suspend('suspended');
    await pass(server, hour);
    await suspend('active');
    expect(await balanceOf(owner)).toBe(2000);
    await pass(server, 0);
    expect(await balanceOf(owner)).toBe(7000);
  });

  test('at its threshold is left alone, one cent below it is topped up once', async () => {
    const owner = await reloading(2000);
    const agent = await owner.agent();
    await owner.agora.vault.allocate(agent.id, { amount: 1000 });
    await pass(server, minute);
    expect(await balanceOf(owner)).toBe(1000);
    await owner.agora.vault.allocate(agent.id, { amount: 1 });
    await pass(server, 1000);
    expect(await balanceOf(owner)).toBe(5999);
    await pass(server, hour);
    expect(await balanceOf(owner)).toBe(5999);
    expect(await told(owner)).toEqual([['reloaded', { amount: 5000, transactionId: expect.stringMatching(/^txn_/) }]]);
    expect((await owner.agora.vault.poolTransactions()).data[0]).toMatchObject({ cause: 'top_up', amount: 5000 });
  });

  test('is topped up after a hold brought it below its threshold', async () => {
    const buyer = await reloading(1500);
    const seller = await server.owner({ credits: 0 });
    await hire({ buyer, agent: await seller.agent() }, { maxBudget: 600 });
    await pass(server, 1000);
    expect(await buyer.agora.vault.getPool()).toMatchObject({ balance: 5900, held: 600 });
  });

  test('whose auto-top-up is off is never topped up', async () => {
    const owner = await reloading(0, { enabled: false });
    await pass(server, hour);
    expect(await balanceOf(owner)).toBe(0);
  });

  test('that is emptied again at once gets the next reload after a pause', async () => {
    const owner = await reloading(0, { threshold: 500, reloadAmount: 500 });
    const agent = await owner.agent();
    await pass(server, 1000);
    await owner.agora.vault.allocate(agent.id, { amount: 500 });
    await pass(server, 5000);
    expect(await balanceOf(owner)).toBe(0);
    await pass(server, 5000);
    expect(await balanceOf(owner)).toBe(500);
    await pass(server, hour);
    expect(await balanceOf(owner)).toBe(500);
  });

  test('whose owner tops up by hand at that moment waits for it', async () => {
    const owner = await reloading(0);
    let letGo = () => {};
    const held = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const { charge } = processor;
    processor.charge = async (...args) => {
      await held;
      return charge.apply(processor, args);
    };
    try {
      const byHand = owner.agora.vault.topUp({ amount: 700 });
      await expect
        .poll(async () => (await server.pool.query(`select from top_ups where status = 'pending'`)).rowCount)
        .toBe(1);
      await pass(server, 1000);
      letGo();
      await byHand;
    } finally {
      processor.charge = charge;
    }
    expect(await balanceOf(owner)).toBe(700);
    await pass(server, 1000);
    expect(await balanceOf(owner)).toBe(5700);
  });
});

describe('the caps of a day and a month', () => {
  /** Empties the pool for this long, and lets it refill. */
  async function drain(owner: TestOwner, forMs: number) {
    const agent = await owner.agent();
    for (let spent = 0; spent < forMs; spent += 15_000) {
      const balance = await balanceOf(owner);
      if (balance > 0) await owner.agora.vault.allocate(agent.id, { amount: balance });
      await pass(server, 15_000);
    }
  }
  const reloads = async (owner: TestOwner) => (await told(owner)).filter(([type]) => type === 'reloaded').length;
  const capped = async (owner: TestOwner) =>
    (await told(owner)).filter(([type]) => type === 'capped').map(([, data]) => data);

  test('stop reloads until the oldest has left its window, and tell the owner once until when', async () => {
    const owner = await reloading(0, { maxPerDay: 10_000 });
    const begun = server.clock.now().getTime();
    await drain(owner, 3 * minute);
    expect(await reloads(owner)).toBe(2);
    const [told, ...more] = await capped(owner);
    expect(more).toEqual([]);
    expect(told).toMatchObject({ window: 'day', cap: 10_000, amount: 5_000 });
    const resumesAt = Date.parse(told?.resumesAt as string);
    expect(resumesAt).toBeGreaterThanOrEqual(begun + 24 * hour);
    server.clock.set(new Date(resumesAt - 1));
    await pass(server, 0);
    expect(await reloads(owner)).toBe(2);
    await pass(server, 1);
    expect(await reloads(owner)).toBe(3);
  });

  test('of a month holds beyond that of a day', async () => {
    const owner = await reloading(0, { maxPerDay: 5_000, maxPerMonth: 10_000 });
    for (let nth = 0; nth < 4; nth++) {
      await drain(owner, minute);
      server.clock.advance(24 * hour);
    }
    expect(await reloads(owner)).toBe(2);
    expect((await capped(owner)).at(-1)).toMatchObject({ window: 'month', cap: 10_000 });
  });

  test('count a reload whose outcome nobody knows, and none that failed', async () => {
    const owner = await reloading(0, { maxPerDay: 5_000 });
    processor.faults = { fail: 'before' };
    await pass(server, 1000);
    processor.faults = {};
    await pass(server, minute);
    await pass(server, minute);
    expect(await balanceOf(owner)).toBe(5000);
    expect(await capped(owner)).toEqual([]);
  });

  test('leave the owner to top up by hand, and a higher one counts at once', async () => {
    const owner = await reloading(0, { maxPerDay: 5_000 });
    await drain(owner, minute);
    await owner.agora.vault.topUp({ amount: 700 });
    expect(await balanceOf(owner)).toBe(700);
    await owner.agora.vault.setAutoTopUp({ ...on, maxPerDay: 10_000 });
    await pass(server, 1000);
    expect(await balanceOf(owner)).toBe(5700);
  });
});

describe('a refused card', () => {
  test('is tried again after 1, 6 and 24 hours, then never; the owner is told each time', async () => {
    const owner = await refused();
    const tries = async () => (await told(owner)).filter(([type]) => type === 'failed').length;
    await pass(server, 1000);
    for (const [at, waitMs] of [hour, 6 * hour, 24 * hour].entries()) {
      expect(await tries()).toBe(at + 1);
      await pass(server, waitMs - 1);
      expect(await tries()).toBe(at + 1);
      await pass(server, 1);
    }
    expect(await tries()).toBe(4);
    expect((await owner.agora.vault.getPool()).autoTopUp).toEqual({ ...on, enabled: false });
    await pass(server, 48 * hour);
    const events = await told(owner);
    expect(events.map(([type]) => type)).toEqual(['failed', 'failed', 'failed', 'failed', 'disabled']);
    expect(events.map(([, data]) => data.failures)).toEqual([1, 2, 3, 4, 4]);
    expect(events[0]?.[1]).toMatchObject({ amount: 5000, reason: 'The card was declined.' });
    expect([events[0]?.[1].retryAt, events[3]?.[1].retryAt]).toEqual([expect.any(String), null]);
  });

  test('is tried at once after the owner has set the auto-top-up anew', async () => {
    const owner = await refused();
    await pass(server, 1000);
    await owner.agora.vault.setAutoTopUp(on);
    await pass(server, 1000);
    expect((await told(owner)).map(([type, data]) => [type, data.failures])).toEqual([
      ['failed', 1],
      ['failed', 1],
    ]);
  });

  test('is forgiven by a reload that works: the back-off starts over', async () => {
    const owner = await refused();
    await pass(server, 1000);
    await server.pool.query(`update payment_methods set id = 'pm_card_visa' where owner_id =
      (select id from owners where email = '${owner.email}')`);
    await pass(server, hour);
    expect(await balanceOf(owner)).toBe(5000);
    const { rows } = await server.pool.query(
      'select failures from auto_top_ups where owner_id = (select id from owners where email = $1)',
      [owner.email],
    );
    expect(rows).toEqual([{ failures: 0 }]);
  });

  test('that is gone altogether counts as a failure, without a charge', async () => {
    const owner = await reloading(0);
    await server.pool.query('delete from payment_methods where owner_id = (select id from owners where email = $1)', [
      owner.email,
    ]);
    const before = processor.charged.size;
    await pass(server, 1000);
    expect(await told(owner)).toEqual([['failed', expect.objectContaining({ failures: 1, amount: 5000 })]]);
    expect(processor.charged.size).toBe(before);
  });
});

describe('a crash', () => {
  test('before the charge arrives costs a minute or two and no failure', async () => {
    const owner = await reloading(0);
    processor.faults = { fail: 'before' };
    await pass(server, 1000);
    processor.faults = {};
    expect(await balanceOf(owner)).toBe(0);
    await pass(server, minute);
    await pass(server, minute);
    expect(await balanceOf(owner)).toBe(5000);
    expect((await told(owner)).map(([type]) => type)).toEqual(['reloaded']);
  });

  test('after the charge was made is found out, and the money is booked once', async () => {
    const owner = await reloading(0);
    const before = processor.charged.size;
    processor.faults = { fail: 'after' };
    await pass(server, 1000);
    processor.faults = {};
    for (let round = 0; round < 5; round++) await pass(server, minute);
    expect(await balanceOf(owner)).toBe(5000);
    expect(processor.charged.size - before).toBe(1);
    expect((await told(owner)).map(([type]) => type)).toEqual(['reloaded']);
  });

  test('while the processor stays away leaves the reload open and charges nothing more', async () => {
    const owner = await reloading(0);
    const before = processor.charged.size;
    processor.faults = { fail: 'after', failLookUp: true };
    for (let round = 0; round < 5; round++) await pass(server, hour);
    expect(processor.charged.size - before).toBe(1);
    expect(await balanceOf(owner)).toBe(0);
    processor.faults = {};
    await pass(server, 24 * hour);
    expect(await balanceOf(owner)).toBe(5000);
  });
});

test('of sweeps at once, in two servers, only one reloads', async () => {
  const second = await startSecondApp(server, { processor });
  try {
    const owners = await Promise.all(Array.from({ length: 5 }, () => reloading(0)));
    const before = processor.charged.size;
    for (let round = 0; round < 3; round++) {
      await Promise.all(Array.from({ length: 8 }, (_, at) => (at % 2 === 0 ? server.app : second.app).sweep()));
    }
    expect(await Promise.all(owners.map(balanceOf))).toEqual(owners.map(() => 5000));
    expect(processor.charged.size - before).toBe(5);
    for (const owner of owners) expect((await told(owner)).map(([type]) => type)).toEqual(['reloaded']);
  } finally {
    await second.app.close();
  }
});
