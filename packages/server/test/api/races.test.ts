import { describe, expect, test } from 'vitest';
import { hire, hireAndPass, hireAndStart, makePair, minute, pass, refusalOf, serverForFile } from './scene.ts';

const server = serverForFile();

/** How often each outcome occurred. */
function tally(outcomes: string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
}

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

/** Outcomes of calls that all start in the same turn. */
const race = async (calls: (() => Promise<unknown>)[]) =>
  tally(await Promise.all(calls.map((call) => refusalOf(call()))));

describe('one task', () => {
  test('of ten completes at once exactly one is taken, and it is paid once', async () => {
    const pair = await makePair(server, { credits: 5000 });
    const { id } = await hireAndStart(pair);
    const outcomes = await race(
      times(10, (at) => () => pair.agent.agora.tasks.complete(id, { output: { result: `Answer ${at}` } })),
    );
    expect(outcomes).toEqual({ 'no refusal': 1, '409 TASK_WRONG_STATE': 9 });
    expect(await pair.agent.agora.vault.getWallet()).toMatchObject({ escrowed: 850 });
    expect(await pair.buyer.agora.vault.getPool()).toMatchObject({ balance: 4000, held: 0 });
    const events = (await pair.buyer.agora.tasks.events(id)).data.map((event) => event.eventType);
    expect(events.filter((type) => type === 'task.delivered')).toHaveLength(1);
  });

  test('complete racing fail ends in one of the two, with the money to match', async () => {
    const pair = await makePair(server, { credits: 50_000 });
    const ends: string[] = [];
    for (let round = 0; round < 6; round++) {
      const { id } = await hireAndStart(pair, { maxBudget: 1000 });
      const calls = [
        () => pair.agent.agora.tasks.complete(id, { output: { result: 'An answer' } }),
        () => pair.agent.agora.tasks.fail(id, { reason: 'cannot' }),
      ];
      const outcomes = await race(round % 2 === 0 ? calls : calls.reverse());
      expect(outcomes).toEqual({ 'no refusal': 1, '409 TASK_WRONG_STATE': 1 });
      ends.push((await pair.buyer.agora.tasks.get(id)).status);
      // Three failures in a row would suspend the agent and end the series.
      await pair.seller.agora.agents.reactivate(pair.agent.id).catch(() => undefined);
    }
    const paid = ends.filter((status) => status === 'completed').length;
    expect(ends.filter((status) => status === 'failed')).toHaveLength(6 - paid);
    expect(await pair.buyer.agora.vault.getPool()).toMatchObject({ balance: 50_000 - paid * 1000, held: 0 });
    const { rows } = await server.pool.query<{ escrowed: string }>(
      `select coalesce(sum(balance), 0)::text as escrowed from ledger_accounts
       where kind = 'wallet_escrowed' and holder in (select id from agents where display_name = $1)`,
      [(await pair.seller.agora.agents.get(pair.agent.id)).displayName],
    );
    expect(Number(rows[0]?.escrowed)).toBe(paid * 850);
  });

  test('of two agents only the assigned one starts a task, however they race', async () => {
    const pair = await makePair(server);
    const rival = await (await server.owner({ credits: 0 })).agent();
    const { id } = await hire(pair);
    const outcomes = await race(
      times(10, (at) => () => (at % 2 ? pair.agent : rival).agora.tasks.start(id, { sandboxId: `s${at}` })),
    );
    expect(outcomes).toEqual({ 'no refusal': 1, '409 TASK_WRONG_STATE': 4, '403 NOT_A_PARTY': 5 });
  });

  test('start racing the end of acceptance: started or expired, never both', async () => {
    const pair = await makePair(server, { credits: 5000 });
    const { id } = await hire(pair);
    server.clock.advance(15 * minute);
    const [start] = await Promise.all([
      refusalOf(pair.agent.agora.tasks.start(id, { sandboxId: 'x' })),
      server.app.sweep(),
    ]);
    const { status } = await pair.buyer.agora.tasks.get(id);
    expect([start, status]).toEqual(start === 'no refusal' ? [start, 'executing'] : ['409 TASK_WRONG_STATE', 'failed']);
    if (status === 'executing') await pass(server, 60 * minute);
    expect(await pair.buyer.agora.vault.getPool()).toMatchObject({ balance: 5000, held: 0 });
  });

  test('of ten thumbs-down at once one refunds and the rest find the task refunded', async () => {
    const pair = await makePair(server, { credits: 5000 });
    const { id } = await hireAndPass(pair);
    const outcomes = await race(times(10, () => () => pair.buyer.agora.tasks.feedback(id, { direction: 'down' })));
    expect(outcomes).toEqual({ 'no refusal': 1, '409 TASK_WRONG_STATE': 9 });
    expect(await pair.buyer.agora.vault.getPool()).toMatchObject({ balance: 5000, held: 0 });
  });

  test("thumbs-down in the window's last millisecond racing the release of earnings refunds in full", async () => {
    const pair = await makePair(server, { credits: 5000 });
    const { id } = await hireAndPass(pair);
    server.clock.advance(10 * minute);
    const [given] = await Promise.all([
      pair.buyer.agora.tasks.feedback(id, { direction: 'down' }),
      server.app.sweep(),
      server.app.sweep(),
    ]);
    expect(given.refunded).toBe(true);
    await pass(server, 5 * minute);
    expect(await pair.agent.agora.vault.getWallet()).toMatchObject({ available: 0, escrowed: 0 });
  });

  test('sweeps at once release earnings once', async () => {
    const pair = await makePair(server);
    await hireAndPass(pair);
    server.clock.advance(15 * minute);
    await Promise.all(times(5, () => server.app.sweep()));
    expect(await pair.agent.agora.vault.getWallet()).toMatchObject({ available: 850, escrowed: 0 });
  });
});

describe('one pool', () => {
  test('of 50 parallel submits against a pool that affords 7 exactly 7 are held', async () => {
    const pair = await makePair(server, { credits: 7 * 130 + 129 });
    const details: unknown[] = [];
    const submits = times(50, () =>
      hire(pair, { maxBudget: 130 }).then(
        () => 'held',
        (error) => {
          details.push(error.details);
          return `${error.status} ${error.code}`;
        },
      ),
    );
    expect(tally(await Promise.all(submits))).toEqual({ held: 7, '402 INSUFFICIENT_CREDITS': 43 });
    expect(await pair.buyer.agora.vault.getPool()).toMatchObject({ balance: 129, held: 910 });
    expect((await pair.buyer.agora.tasks.list({ pageSize: 100 })).data).toHaveLength(7);
    // What is told to be available must be what was there when it was refused, so too little.
    for (const each of details) expect(each).toEqual({ required: 130, available: 129 });
  });

  test('of mixed budgets the pool is never overdrawn and what fits in the end has been held', async () => {
    const pair = await makePair(server, { credits: 1000 });
    const budgets = times(40, (at) => 20 + ((at * 37) % 200));
    const outcomes = await Promise.all(
      budgets.map((maxBudget) =>
        hire(pair, { maxBudget }).then(
          () => maxBudget,
          () => 0,
        ),
      ),
    );
    const held = outcomes.reduce((sum, each) => sum + each, 0);
    const { balance, held: seen } = await pair.buyer.agora.vault.getPool();
    expect([balance, seen]).toEqual([1000 - held, held]);
    const refused = budgets.filter((_, at) => outcomes[at] === 0);
    for (const budget of refused) expect(budget).toBeGreaterThan(balance);
  });
});

describe('one agent', () => {
  test('many tasks for an agent of capacity 1 by smart routing: one is routed, the rest find nobody', async () => {
    const { buyer, agent } = await makePair(server, { agent: { capabilities: [{ category: 'security', tags: [] }] } });
    const submit = () => buyer.agora.tasks.submit({ taskType: 'security', maxBudget: 1000, input: {} });
    expect(await race(times(12, () => submit))).toEqual({ 'no refusal': 1, '404 NO_AGENTS_AVAILABLE': 11 });
    expect((await agent.agora.agents.me()).capacity).toEqual({ openTasks: 1, maxOpenTasks: 1 });
    expect(await buyer.agora.vault.getPool()).toMatchObject({ held: 1000 });
  });

  test('many tasks for three such agents: each gets one', async () => {
    const buyer = await server.owner();
    const seller = await server.owner({ credits: 0 });
    const agents = await Promise.all(
      times(3, () => seller.agent({ capabilities: [{ category: 'bug_fix', tags: [] }] })),
    );
    const submits = await Promise.all(
      times(9, () =>
        buyer.agora.tasks.submit({ taskType: 'bug_fix', maxBudget: 1000, input: {} }).then(
          (task) => task.agentId,
          (error) => error.code,
        ),
      ),
    );
    const wanted = { ...Object.fromEntries(agents.map((agent) => [agent.id, 1])), NO_AGENTS_AVAILABLE: 6 };
    expect(tally(submits as string[])).toEqual(wanted);
  });

  test('deactivation racing direct hires: every hire is held and open, or refused and not held', async () => {
    const pair = await makePair(server, { credits: 5000 });
    const hires = times(10, () => () => hire(pair, { maxBudget: 100 }));
    const calls = [...hires.slice(0, 5), () => pair.seller.agora.agents.deactivate(pair.agent.id), ...hires.slice(5)];
    const outcomes = await race(calls);
    const held = (outcomes['no refusal'] ?? 0) - 1;
    expect(held + (outcomes['400 HIRE_TARGET_NOT_ACTIVE'] ?? 0)).toBe(10);
    expect(await pair.buyer.agora.vault.getPool()).toMatchObject({ balance: 5000 - held * 100, held: held * 100 });
    expect(await refusalOf(hire(pair))).toBe('400 HIRE_TARGET_NOT_ACTIVE');
    await pass(server, 15 * minute);
    expect(await pair.buyer.agora.vault.getPool()).toMatchObject({ balance: 5000, held: 0 });
  });

  test('of two rotations at once both answer, and exactly one key works', async () => {
    const { seller, agent } = await makePair(server);
    const keys = await Promise.all(times(2, () => seller.agora.agents.rotateKey(agent.id)));
    const works = keys.map(({ apiKey }) => refusalOf(server.client({ agentKey: apiKey }).agents.me()));
    expect(tally(await Promise.all(works))).toEqual({ 'no refusal': 1, '401 INVALID_API_KEY': 1 });
  });
});
