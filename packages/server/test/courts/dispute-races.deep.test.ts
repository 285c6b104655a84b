import { toUuid } from '@agora-market/contract';
import { describe, expect, test } from 'vitest';
import { disputedTask, settle } from '../../src/disputes/settle.ts';
import { lockDispute } from '../../src/disputes/sql.ts';
import { transaction } from '../../src/platform/index.ts';
import { day, dispute, expectSoundLedger, hireAndPass, minute, pass, refusalOf, startSecondApp } from '../api/scene.ts';
import { until } from '../steps/world.ts';
import { answered, courtServer, fresh, moneyOf, proven } from './scene.ts';

const server = courtServer();

function tally(outcomes: string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

/** Outcomes of calls that all start in the same turn. */
const race = async (calls: (() => Promise<unknown>)[]) =>
  tally(await Promise.all(calls.map((call) => refusalOf(call()))));
const times = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const rounds = [0, 1, 2, 3];

describe('filing', () => {
  test('of ten disputes of one task at once one is taken', async () => {
    const pair = await fresh(server);
    const { id } = await hireAndPass(pair);
    server.clock.advance(10 * minute + 1);
    const outcomes = await race(times(10, () => () => pair.buyer.agora.tasks.dispute(id, { reason: 'No' })));
    expect(outcomes).toEqual({ 'no refusal': 1, '409 DUPLICATE': 9 });
    expect((await pair.buyer.agora.courts.listDisputes()).data).toHaveLength(1);
  });

  test.each(rounds)('racing the release of earnings: frozen or out, never both (%#)', async (round) => {
    const pair = await fresh(server);
    const { id } = await hireAndPass(pair);
    server.clock.advance(15 * minute);
    const calls = [() => pair.buyer.agora.tasks.dispute(id, { reason: 'No' }), () => server.app.sweep()];
    expect(await race(round % 2 === 0 ? calls : calls.reverse())).toEqual({ 'no refusal': 2 });
    const held = await moneyOf(pair);
    expect([held.escrowed, held.available].toSorted((a, b) => a - b)).toEqual([0, 850]);
    await server.app.sweep();
    expect(await moneyOf(pair)).toEqual(held);
    const [filed] = (await pair.buyer.agora.courts.listDisputes()).data;
    await server.operator().courts.resolveDispute(filed?.id ?? '', { outcome: 'buyer_wins', note: 'Yes' });
    expect(await moneyOf(pair)).toEqual({ buyer: 5000, escrowed: 0, available: 0 });
  });

  test.each(rounds)(
    'racing a thumbs-down of the last millisecond: one of them gets the credits (%#)',
    async (round) => {
      const pair = await fresh(server);
      const { id } = await hireAndPass(pair);
      server.clock.advance(10 * minute);
      let refunded = false;
      const thumb = async () => {
        refunded = (await pair.buyer.agora.tasks.feedback(id, { direction: 'down' })).refunded;
      };
      const file = () => {
        server.clock.advance(1);
        return pair.buyer.agora.tasks.dispute(id, { reason: 'No' });
      };
      const outcomes = await race(round % 2 === 0 ? [thumb, file] : [file, thumb]);
      expect(outcomes).toEqual(refunded ? { 'no refusal': 1, '409 TASK_WRONG_STATE': 1 } : { 'no refusal': 2 });
      const [filed] = (await pair.buyer.agora.courts.listDisputes()).data;
      expect(filed === undefined).toBe(refunded);
      if (filed) await server.operator().courts.resolveDispute(filed.id, { outcome: 'buyer_wins', note: 'Yes' });
      expect(await moneyOf(pair)).toEqual({ buyer: 5000, escrowed: 0, available: 0 });
    },
  );

  test('thumbs at the same time as decisions leave the ledger sound, whoever is faster', async () => {
    const pair = await fresh(server);
    const { id, taskId } = await dispute(server, pair);
    await race([
      () => server.operator().courts.resolveDispute(id, { outcome: 'buyer_wins', note: 'Yes' }),
      ...times(6, (at) => () => pair.buyer.agora.tasks.feedback(taskId, { direction: at % 2 ? 'up' : 'down' })),
    ]);
    expect((await pair.buyer.agora.tasks.get(taskId)).status).toBe('refunded');
    expect(await moneyOf(pair)).toEqual({ buyer: 5000, escrowed: 0, available: 0 });
    await expectSoundLedger(server);
  });
});

describe('deciding', () => {
  test('of eight decisions at once one counts, and its money alone moves', async () => {
    const pair = await fresh(server);
    const { id } = await dispute(server, pair);
    const outcomes = ['buyer_wins', 'seller_wins', 'dismissed', 'split'] as const;
    const calls = times(8, (at) => () => {
      const outcome = outcomes[at % 4] as (typeof outcomes)[number];
      const share = outcome === 'split' ? { share: 10 } : {};
      return server.operator().courts.resolveDispute(id, { outcome, note: `Decision ${at}`, ...share });
    });
    expect(await race(calls)).toEqual({ 'no refusal': 1, '409 ALREADY_DECIDED': 7 });
    const { outcome, refunded } = await pair.buyer.agora.courts.getDispute(id);
    const back = { buyer_wins: 1000, seller_wins: 0, dismissed: 0, split: 100 }[outcome ?? 'split'];
    expect(refunded).toBe(back);
    expect(await moneyOf(pair)).toMatchObject({ buyer: 4000 + back, escrowed: 0 });
  });

  test.each(rounds)(
    'an answer in the last millisecond racing the sweep just after it: heard or lost (%#)',
    async (round) => {
      const pair = await fresh(server);
      const { id } = await dispute(server, pair);
      server.clock.advance(3 * day);
      const answer = () => pair.agent.agora.courts.respondToDispute(id, { response: 'Wait' });
      const lapse = async () => {
        if (round % 2 === 0) await new Promise(setImmediate);
        server.clock.advance(1);
        await server.app.sweep();
      };
      const outcomes = await race([answer, lapse]);
      const { status, outcome, response } = await pair.buyer.agora.courts.getDispute(id);
      const isHeard = outcomes['no refusal'] === 2;
      expect([status, outcome, response]).toEqual(
        isHeard ? ['under_review', null, 'Wait'] : ['resolved', 'buyer_wins', null],
      );
      expect(await moneyOf(pair)).toMatchObject(
        isHeard ? { buyer: 4000, escrowed: 850 } : { buyer: 5000, escrowed: 0 },
      );
    },
  );

  test('an answer that waits for a decision under way comes too late, and is told so', async () => {
    const pair = await fresh(server);
    const { id } = await dispute(server, pair);
    const uuid = toUuid('dispute', id) as string;
    const ruling = { outcome: 'dismissed', share: null, decidedBy: 'operator', note: 'No' } as const;
    let answer: Promise<string> | undefined;
    await transaction(server.pool, 'ledger', async (tx) => {
      const found = await lockDispute(tx, uuid);
      answer = refusalOf(pair.agent.agora.courts.respondToDispute(id, { response: 'Wait' }));
      await until('the answer waits for the row', async () => {
        const { rows } = await server.pool.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return rows.length > 0;
      });
      if (found)
        await settle(
          tx,
          { found, task: await disputedTask(tx, found) },
          'resolve',
          ruling,
          server.clock.now(),
          server.config,
        );
    });
    expect(await answer).toBe('409 ALREADY_DECIDED');
    expect((await pair.buyer.agora.courts.getDispute(id)).response).toBeNull();
  });

  test('the operator racing its own deadline: decided once', async () => {
    const pair = await fresh(server);
    const { id } = await answered(server, pair);
    server.clock.advance(14 * day + 1);
    await race([
      () => server.app.sweep(),
      () => server.operator().courts.resolveDispute(id, { outcome: 'dismissed', note: 'No' }),
      () => server.app.sweep(),
    ]);
    const { outcome } = await pair.buyer.agora.courts.getDispute(id);
    const wanted = outcome === 'split' ? { buyer: 4500, available: 425 } : { buyer: 4000, available: 850 };
    expect(await moneyOf(pair)).toEqual({ ...wanted, escrowed: 0 });
  });

  test('the operator racing the re-assessment: decided once', async () => {
    const pair = await fresh(server);
    const { id } = await dispute(server, pair, proven);
    await pair.agent.agora.courts.respondToDispute(id, { response: 'It fits' });
    const decide = () => server.operator().courts.resolveDispute(id, { outcome: 'buyer_wins', note: 'Yes' });
    const outcomes = await race([() => server.app.sweep(), decide]);
    const { decidedBy } = await pair.buyer.agora.courts.getDispute(id);
    expect(decidedBy).toBe(outcomes['no refusal'] === 2 ? 'operator' : 'reassessment');
    const wanted = decidedBy === 'operator' ? { buyer: 5000, available: 0 } : { buyer: 4000, available: 850 };
    expect(await moneyOf(pair)).toEqual({ ...wanted, escrowed: 0 });
  });

  test('several processes assess a delivery again once', async () => {
    const pair = await fresh(server);
    const { id, taskId } = await dispute(server, pair, proven);
    const second = await startSecondApp(server);
    try {
      await pair.agent.agora.courts.respondToDispute(id, { response: 'It fits' });
      await Promise.all([server.app.sweep(), second.app.sweep(), server.app.sweep()]);
      const found = (await pair.buyer.agora.courts.listAssessments({ taskId })).data;
      expect(found.map(({ purpose }) => purpose)).toEqual(['dispute', 'gate']);
    } finally {
      await second.app.close();
    }
  });

  test('a process that died while it assessed is stood in for once its lease is over', async () => {
    const pair = await fresh(server);
    const { id } = await dispute(server, pair, proven);
    await pair.agent.agora.courts.respondToDispute(id, { response: 'It fits' });
    // As a process leaves it that leased the dispute and was killed.
    await server.pool.query(
      `update disputes set due_at = $1, attempts = 1 where status = 'under_review' and not reassessed`,
      [new Date(server.clock.now().getTime() + 8 * minute)],
    );
    await pass(server, 8 * minute - 1);
    expect((await pair.buyer.agora.courts.getDispute(id)).assessmentId).toBeNull();
    await pass(server, 1);
    expect((await pair.buyer.agora.courts.getDispute(id)).assessmentId).toMatch(/^asm_/);
  });
});
