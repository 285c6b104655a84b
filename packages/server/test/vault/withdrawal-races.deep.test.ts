import { toUuid } from '@agora-market/contract';
import { beforeEach, expect, test } from 'vitest';
import { createTestProcessor } from '../../src/vault/payments/processor-test.ts';
import { day, expectSoundLedger, minute, pass, refusalOf, serverForFile } from '../api/scene.ts';
import { availableOf, makeEarner } from './payout-scene.ts';

/** Withdrawals at once with each other, with transfers and with failures: no cent is paid twice or lost. */

const processor = createTestProcessor();
const server = serverForFile({ processor, config: { SESSION_IDLE_MS: 1e12 } });
const faults = processor.payoutFaults;

beforeEach(() => {
  Object.assign(faults, { fail: undefined, outcome: undefined });
});

const paidTo = (ids: string[]) =>
  ids.reduce((sum, id) => sum + (processor.paidOut().get(toUuid('withdrawal', id) as string) ?? 0), 0);

test('64 withdrawals of a wallet at once never take more than it has', async () => {
  const earner = await makeEarner(server, 1000);
  const outcomes = await Promise.all(
    Array.from({ length: 64 }, () => refusalOf(earner.owner.agora.vault.withdraw(earner.agent.id, { amount: 150 }))),
  );
  expect(outcomes.filter((outcome) => outcome === 'no refusal')).toHaveLength(6);
  expect(outcomes.filter((outcome) => outcome === '400 INSUFFICIENT_BALANCE')).toHaveLength(58);
  const { data } = await earner.owner.agora.vault.getPayouts({ pageSize: 100 });
  expect([data.length, paidTo(data.map(({ id }) => id)), await availableOf(earner)]).toEqual([6, 900, 100]);
  await expectSoundLedger(server);
});

test('64 withdrawals race as many transfers, reclaims and allocations, half of them with lost replies', async () => {
  const earner = await makeEarner(server, 4000);
  const { owner, agent } = earner;
  const other = await owner.agent();
  const { vault } = owner.agora;
  const { payOut } = processor;
  let calls = 0;
  faults.outcome = 'in_transit';
  processor.payOut = async (request, signal) => {
    const nth = calls++;
    const outcome = nth % 4 === 1 ? null : await payOut(request, signal);
    if (nth % 4 === 2) processor.decidePayout(request.intentId, 'failed');
    if (nth % 4 > 1 || !outcome) throw new Error('the reply was lost');
    return outcome;
  };
  const acts = Array.from({ length: 64 }, (_, index) => [
    vault.withdraw((index % 2 ? agent : other).id, { amount: 100 + index }),
    vault.transfer({ fromAgentId: agent.id, toAgentId: other.id, amount: 70 + index }),
    index % 2 ? vault.reclaim(other.id, { amount: 50 }) : vault.allocate(agent.id, { amount: 25 }),
  ]).flat();
  const refusals = new Set(await Promise.all(acts.map(refusalOf)));
  processor.payOut = payOut;
  expect([...refusals].sort()).toEqual(['400 INSUFFICIENT_BALANCE', '502 PROCESSOR_ERROR', 'no refusal']);
  await expectSoundLedger(server);

  await pass(server, minute);
  for (const [id, cents] of processor.paidOut()) if (cents >= 100) processor.decidePayout(id, 'paid');
  await pass(server, day);
  await expectSoundLedger(server);
  const { data } = await vault.getPayouts({ pageSize: 100 });
  const sumOf = (status: string) => data.reduce((sum, each) => sum + (each.status === status ? each.amount : 0), 0);
  expect(sumOf('pending')).toBe(0);
  expect(sumOf('failed')).toBeGreaterThan(0);
  expect(paidTo(data.map(({ id }) => id))).toBe(sumOf('paid'));
  const held = (await Promise.all([agent, other].map((each) => availableOf({ owner, agent: each })))) as [
    number,
    number,
  ];
  const { balance } = await vault.getPool();
  expect(held[0] + held[1] + balance + sumOf('paid')).toBe(4000);
});

test('of a payout settled by the request, the sweep and news at once the money moves once', async () => {
  const earner = await makeEarner(server, 1000);
  const { payOut } = processor;
  processor.payOut = async (request, signal) => {
    const outcome = await payOut(request, signal);
    // The sweep asks for it though its request is still under way.
    await server.pool.query('update withdrawals set due_at = $1 where due_at is not null', [server.clock.now()]);
    await Promise.all(Array.from({ length: 8 }, () => server.app.sweep()));
    return outcome;
  };
  const made = await earner.owner.agora.vault.withdraw(earner.agent.id, { amount: 400 });
  processor.payOut = payOut;
  expect([made.status, paidTo([made.id]), await availableOf(earner)]).toEqual(['paid', 400, 600]);
});
