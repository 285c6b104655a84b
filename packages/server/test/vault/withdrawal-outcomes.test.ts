import { describe, expect, test } from 'vitest';
import { day, minute, pass, refusalOf, startSecondApp } from '../api/scene.ts';
import { availableOf, eventsOf, makeEarner, movementsOf, onlyWithdrawal, payoutScene, uuidOf } from './payout-scene.ts';

/** Withdrawals end in exactly one outcome, whatever fails and however often it is tried. */

const { server, processor, faults, withdraw, madeFor } = payoutScene();

describe('Idempotency-Key', () => {
  test('the same request twice, also at once, withdraws once and answers the same', async () => {
    const earner = await makeEarner(server, 1000);
    const both = await Promise.all([1, 2].map(() => withdraw(earner, 400, 'twice')));
    expect(both[0]).toEqual(both[1]);
    expect(await withdraw(earner, 400, 'twice')).toEqual(both[0]);
    expect(await availableOf(earner)).toBe(600);
    expect(await refusalOf(withdraw(earner, 401, 'twice'))).toBe('409 IDEMPOTENCY_KEY_REUSED');
    await onlyWithdrawal(earner);
  });

  test('a request repeated after a lost reply, also a day later, finds its withdrawal and pays nothing more', async () => {
    const earner = await makeEarner(server, 1000);
    faults.fail = 'after';
    expect(await refusalOf(withdraw(earner, 400, 'lost'))).toBe('502 PROCESSOR_ERROR');
    faults.fail = undefined;
    await pass(server, 2 * day);
    const made = await withdraw(earner, 400, 'lost');
    expect(made.status).toBe('paid');
    await pass(server, day - minute);
    expect((await withdraw(earner, 400, 'lost')).id).toBe(made.id);
    expect(await refusalOf(withdraw(earner, 500, 'lost'))).toBe('409 IDEMPOTENCY_KEY_REUSED');
    expect(await availableOf(earner)).toBe(600);
  });
});

describe('what nobody knows', () => {
  test.each(['before', 'after'] as const)(
    'a payout whose request or reply is lost (%s) is 502 and pending, and the sweep pays it exactly once',
    async (fail) => {
      const earner = await makeEarner(server, 1000);
      faults.fail = fail;
      const call = withdraw(earner, 400);
      await expect(call).rejects.toMatchObject({
        status: 502,
        code: 'PROCESSOR_ERROR',
        details: { withdrawalId: expect.stringMatching(/^wdr_/) },
      });
      expect(await onlyWithdrawal(earner)).toMatchObject({ status: 'pending', resolvedAt: null });
      expect(await availableOf(earner)).toBe(600);
      faults.fail = undefined;
      await server.app.sweep();
      expect(await onlyWithdrawal(earner)).toMatchObject({ status: 'pending' });
      server.clock.advance(minute);
      await Promise.all([server.app.sweep(), server.app.sweep()]);
      const { id, status } = await onlyWithdrawal(earner);
      expect([status, madeFor(id)]).toEqual(['paid', 400]);
      expect(await movementsOf(earner)).toEqual(['withdrawal -400']);
      expect(await eventsOf(server, earner)).toEqual(['withdrawal.requested', 'withdrawal.paid']);
    },
  );

  test('it stays pending for as long as the processor cannot be asked, and is asked more and more rarely', async () => {
    const earner = await makeEarner(server, 1000);
    Object.assign(faults, { fail: 'before', failLookUp: true });
    await refusalOf(withdraw(earner, 400));
    const { rows } = await server.pool.query(`select id from withdrawals where status = 'pending'`);
    const waits: number[] = [];
    for (let round = 0; round < 12; round++) {
      const { rows: due } = await server.pool.query('select due_at from withdrawals where id = $1', [rows[0].id]);
      waits.push((due[0].due_at && Date.parse(due[0].due_at)) - server.clock.now().getTime());
      server.clock.set(due[0].due_at);
      await server.app.sweep();
    }
    expect(waits.map((ms) => ms / minute)).toEqual([1, 1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360]);
    expect(await onlyWithdrawal(earner)).toMatchObject({ status: 'pending' });
    Object.assign(faults, { fail: undefined, failLookUp: false });
    await pass(server, 6 * 60 * minute);
    expect(await onlyWithdrawal(earner)).toMatchObject({ status: 'paid' });
  });

  test('one that cannot be settled does not keep the others waiting', async () => {
    const [stuck, other] = [await makeEarner(server, 1000), await makeEarner(server, 1000)];
    faults.fail = 'before';
    await refusalOf(withdraw(stuck, 400));
    await refusalOf(withdraw(other, 400));
    faults.fail = undefined;
    const blocked = uuidOf((await onlyWithdrawal(stuck)).id);
    const lookUpPayout: typeof processor.lookUpPayout = async (request, signal) => {
      if (request.intentId === blocked) throw new Error('not reachable');
      return processor.lookUpPayout(request, signal);
    };
    const { app } = await startSecondApp(server, { processor: { ...processor, lookUpPayout } });
    server.clock.advance(minute);
    await app.sweep();
    expect([(await onlyWithdrawal(stuck)).status, (await onlyWithdrawal(other)).status]).toEqual(['pending', 'paid']);
    await app.close();
  });

  test('a processor that never answers is given up in time, and the withdrawal goes on', async () => {
    const earner = await makeEarner(server, 1000);
    let asked: AbortSignal | undefined;
    const hanging: typeof processor.payOut = (_request, signal) => {
      asked = signal;
      return new Promise(() => {});
    };
    const { app, url } = await startSecondApp(server, { processor: { ...processor, payOut: hanging } });
    const agora = earner.owner.agora.withOptions({ baseUrl: url });
    const refusal = refusalOf(agora.vault.withdraw(earner.agent.id, { amount: 400 }));
    await expect.poll(() => asked).toBeDefined();
    // A caller waits for 15 s at most.
    server.clock.advance(14_000);
    expect(await refusal).toBe('502 PROCESSOR_ERROR');
    expect(asked?.aborted).toBe(true);
    await app.close();
    await pass(server, minute);
    expect(await onlyWithdrawal(earner)).toMatchObject({ status: 'paid' });
  });
});

describe('a crash between two writes', () => {
  /** The database refuses to write this event, so that the transaction which tells of it dies as in a crash. */
  async function dyingAt(type: string, work: () => Promise<unknown>): Promise<void> {
    await server.pool.query(
      `create function die() returns trigger language plpgsql as $$ begin raise exception 'crash'; end $$;
       create trigger die before insert on events for each row when (new.type = '${type}') execute function die()`,
    );
    try {
      await work();
    } finally {
      await server.pool.query('drop trigger die on events; drop function die');
    }
  }

  test('inside the first transaction nothing is taken and nothing is sent', async () => {
    const earner = await makeEarner(server, 1000);
    const made = processor.paidOut().size;
    const { app, url } = await startSecondApp(server, { processor });
    await dyingAt('withdrawal.requested', async () => {
      const agora = earner.owner.agora.withOptions({ baseUrl: url });
      expect(await refusalOf(agora.vault.withdraw(earner.agent.id, { amount: 400 }))).toBe('500 INTERNAL_ERROR');
    });
    await app.close();
    expect((await earner.owner.agora.vault.getPayouts()).data).toEqual([]);
    expect([await availableOf(earner), processor.paidOut().size]).toEqual([1000, made]);
  });

  test.each([
    { outcome: 'paid', event: 'withdrawal.paid', movements: ['withdrawal -400'] },
    { outcome: 'failed', event: 'withdrawal.failed', movements: ['withdrawal -400', 'withdrawal_returned 400'] },
  ] as const)('inside the transaction of the result ($outcome) it is settled later, once', async (row) => {
    const earner = await makeEarner(server, 1000);
    faults.outcome = row.outcome;
    const { app, url } = await startSecondApp(server, { processor });
    await dyingAt(row.event, async () => {
      const agora = earner.owner.agora.withOptions({ baseUrl: url });
      expect(await refusalOf(agora.vault.withdraw(earner.agent.id, { amount: 400 }))).toBe('500 INTERNAL_ERROR');
    });
    await app.close();
    expect(await onlyWithdrawal(earner)).toMatchObject({ status: 'pending' });
    expect(await availableOf(earner)).toBe(600);
    server.clock.advance(minute);
    await Promise.all([server.app.sweep(), server.app.sweep()]);
    expect(await onlyWithdrawal(earner)).toMatchObject({ status: row.outcome });
    expect(await movementsOf(earner)).toEqual(row.movements);
  });
});

describe('the bank', () => {
  test('a payout on its way is pending, and paid when it has arrived', async () => {
    const earner = await makeEarner(server, 1000);
    faults.outcome = 'in_transit';
    const { id, status } = await withdraw(earner, 400);
    expect(status).toBe('pending');
    await pass(server, minute);
    expect(await onlyWithdrawal(earner)).toMatchObject({ status: 'pending' });
    processor.decidePayout(uuidOf(id), 'paid');
    await pass(server, 10 * minute);
    expect(await onlyWithdrawal(earner)).toMatchObject({ status: 'paid' });
  });

  test('a payout that fails on its way gives the money back once', async () => {
    const earner = await makeEarner(server, 1000);
    faults.outcome = 'in_transit';
    const { id } = await withdraw(earner, 400);
    processor.decidePayout(uuidOf(id), 'failed');
    await pass(server, minute);
    await pass(server, day);
    expect(await movementsOf(earner)).toEqual(['withdrawal -400', 'withdrawal_returned 400']);
  });

  test('a payout that fails after it was paid gives the money back once, also where nobody told', async () => {
    const earner = await makeEarner(server, 1000);
    const { id } = await withdraw(earner, 400);
    processor.decidePayout(uuidOf(id), 'failed');
    await pass(server, 6 * day);
    expect(await onlyWithdrawal(earner)).toMatchObject({ status: 'paid' });
    await pass(server, day);
    await pass(server, day);
    expect(await onlyWithdrawal(earner)).toMatchObject({ status: 'failed' });
    expect(await movementsOf(earner)).toEqual(['withdrawal -400', 'withdrawal_returned 400']);
    expect(await availableOf(earner)).toBe(1000);
  });

  test('a payout that stands after a week is asked about no more', async () => {
    const earner = await makeEarner(server, 1000);
    const { id } = await withdraw(earner, 400);
    await pass(server, 7 * day);
    const { rows } = await server.pool.query('select status, due_at from withdrawals where id = $1', [uuidOf(id)]);
    expect(rows).toEqual([{ status: 'paid', due_at: null }]);
  });
});
