import { Agora, type Task } from '@agora-market/sdk';
import { describe, expect, test } from 'vitest';
import {
  day,
  hire,
  hireAndStart,
  loseReplies,
  makePair,
  minute,
  type Pair,
  pass,
  refusalOf,
  serverForFile,
  startSecondApp,
} from './scene.ts';

const server = serverForFile();
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
let serial = 0;
const newKey = () => `key-${++serial}`;

const body = ({ agent }: Pick<Pair, 'agent'>, maxBudget = 1000) => ({
  taskType: 'general' as const,
  maxBudget,
  input: { description: 'Once, please' },
  agentId: agent.id,
});

async function keyCount(): Promise<number> {
  return (await server.pool.query('select count(*)::int as n from idempotency_keys')).rows[0].n;
}

describe('the same Idempotency-Key', () => {
  test('replays status and body, and holds once', async () => {
    const pair = await makePair(server, { credits: 5000 });
    const idempotencyKey = newKey();
    const first = await pair.buyer.agora.tasks.submit(body(pair), { idempotencyKey }).withResponse();
    const second = await pair.buyer.agora.tasks.submit(body(pair), { idempotencyKey }).withResponse();
    expect(second.data).toEqual(first.data);
    expect(second.response.status).toBe(201);
    expect(second.response.headers.get('idempotent-replayed')).toBe('true');
    expect(first.response.headers.get('idempotent-replayed')).toBeNull();
    expect(await pair.buyer.agora.vault.getPool()).toMatchObject({ balance: 4000, held: 1000 });
  });

  test('with 20 parallel twins: one task, one hold, twenty equal replies', async () => {
    const pair = await makePair(server, { credits: 50_000 });
    const idempotencyKey = newKey();
    const replies = await Promise.all(times(20, () => pair.buyer.agora.tasks.submit(body(pair), { idempotencyKey })));
    for (const reply of replies) expect(reply).toEqual(replies[0]);
    expect((await pair.buyer.agora.tasks.list()).data).toHaveLength(1);
    expect(await pair.buyer.agora.vault.getPool()).toMatchObject({ balance: 49_000, held: 1000 });
  });

  test('with another body is 409, later and at the same time', async () => {
    const pair = await makePair(server, { credits: 5000 });
    const idempotencyKey = newKey();
    const outcomes = await Promise.all([
      refusalOf(pair.buyer.agora.tasks.submit(body(pair), { idempotencyKey })),
      refusalOf(pair.buyer.agora.tasks.submit(body(pair, 999), { idempotencyKey })),
    ]);
    expect(outcomes).toEqual(['no refusal', '409 IDEMPOTENCY_KEY_REUSED']);
    const later = pair.buyer.agora.tasks.submit(body(pair, 999), { idempotencyKey });
    expect(await refusalOf(later)).toBe('409 IDEMPOTENCY_KEY_REUSED');
    expect(await pair.buyer.agora.vault.getPool()).toMatchObject({ held: 1000 });
  });

  test('of another caller or another operation is another key', async () => {
    const pair = await makePair(server, { credits: 5000 });
    const other = await server.owner({ credits: 5000 });
    const idempotencyKey = newKey();
    const [mine, theirs] = await Promise.all([
      pair.buyer.agora.tasks.submit(body(pair), { idempotencyKey }),
      other.agora.tasks.submit(body(pair), { idempotencyKey }),
    ]);
    expect(mine.id).not.toBe(theirs.id);
    await pair.agent.agora.tasks.start(mine.id, { sandboxId: 'x' }, { idempotencyKey });
    const done = await pair.agent.agora.tasks.complete(mine.id, { output: { result: 'y' } }, { idempotencyKey });
    expect(done.status).toBe('completed');
  });

  test('replays the reply of then, not the state of now, for every step of a task', async () => {
    const pair = await makePair(server);
    const keys = { submit: newKey(), start: newKey(), complete: newKey(), feedback: newKey() };
    const submit = () => pair.buyer.agora.tasks.submit(body(pair), { idempotencyKey: keys.submit });
    const submitted = await submit();
    const start = () => pair.agent.agora.tasks.start(submitted.id, { sandboxId: 'x' }, { idempotencyKey: keys.start });
    const complete = () =>
      pair.agent.agora.tasks.complete(
        submitted.id,
        { output: { result: 'An answer' } },
        { idempotencyKey: keys.complete },
      );
    const feedback = () =>
      pair.buyer.agora.tasks.feedback(submitted.id, { direction: 'down' }, { idempotencyKey: keys.feedback });
    const started = await start();
    const completed = await complete();
    const given = await feedback();
    expect([submitted.status, started.status, completed.status, given.refunded]).toEqual([
      'submitted',
      'executing',
      'completed',
      true,
    ]);
    expect([await submit(), await start(), await complete(), await feedback()]).toEqual([
      submitted,
      started,
      completed,
      given,
    ]);
  });

  test('replays refusals too, and gives up its memory to nobody else', async () => {
    const pair = await makePair(server, { credits: 0 });
    const idempotencyKey = newKey();
    const submit = () => pair.buyer.agora.tasks.submit(body(pair), { idempotencyKey });
    expect(await refusalOf(submit())).toBe('402 INSUFFICIENT_CREDITS');
    await pair.buyer.agora.vault.addPaymentMethod({ paymentMethodId: 'pm_card_visa' });
    await pair.buyer.agora.vault.topUp({ amount: 5000 });
    expect(await refusalOf(submit())).toBe('402 INSUFFICIENT_CREDITS');
    expect((await hire(pair)).status).toBe('submitted');
  });

  test('charges a card once for ten parallel top-ups', async () => {
    const { buyer } = await makePair(server, { credits: 500 });
    const idempotencyKey = newKey();
    const replies = await Promise.all(times(10, () => buyer.agora.vault.topUp({ amount: 700 }, { idempotencyKey })));
    for (const reply of replies) expect(reply).toEqual({ newBalance: 1200, amountCharged: 700 });
    expect(await buyer.agora.vault.getPool()).toMatchObject({ balance: 1200 });
  });

  test('shows a new agent key to the first caller and its twins only, and stores it nowhere in clear', async () => {
    const owner = await server.owner({ credits: 0 });
    const idempotencyKey = newKey();
    const register = () =>
      owner.agora.agents.register(
        { displayName: 'Twin', framework: 'custom', capabilities: [{ category: 'general', tags: [] }] },
        { idempotencyKey },
      );
    const replies = await Promise.all(times(5, register));
    for (const reply of replies) expect(reply).toEqual(replies[0]);
    expect((await owner.agora.agents.listOwn()).data).toHaveLength(1);
    const { rows } = await server.pool.query(`select encode(reply, 'escape') as reply from idempotency_keys`);
    for (const { reply } of rows) expect(String(reply)).not.toContain(replies[0]?.apiKey ?? '');
  });

  test.each(['', 'x'.repeat(256)])('of %j characters too few or many is 400 and remembers nothing', async (key) => {
    const pair = await makePair(server);
    const before = await keyCount();
    expect(await refusalOf(pair.buyer.agora.tasks.submit(body(pair), { idempotencyKey: key }))).toBe(
      '400 VALIDATION_ERROR',
    );
    expect(await keyCount()).toBe(before);
    expect((await pair.buyer.agora.tasks.list()).data).toEqual([]);
  });

  test('on a GET means nothing', async () => {
    const pair = await makePair(server);
    const before = await keyCount();
    await pair.buyer.agora.tasks.list({}, { idempotencyKey: newKey() });
    expect(await keyCount()).toBe(before);
  });
});

describe('a second server on the same database', () => {
  async function withSecondServer<T>(work: (at: (token: string) => Agora) => Promise<T>): Promise<T> {
    const { app, url } = await startSecondApp(server);
    try {
      return await work((ownerToken) => new Agora({ baseUrl: url, ownerToken, maxRetries: 0 }));
    } finally {
      await app.close();
    }
  }

  test('replays what the first one answered, as after a restart', async () => {
    const pair = await makePair(server, { credits: 5000 });
    const idempotencyKey = newKey();
    const first = await pair.buyer.agora.tasks.submit(body(pair), { idempotencyKey });
    await withSecondServer(async (at) => {
      expect(await at(pair.buyer.token).tasks.submit(body(pair), { idempotencyKey })).toEqual(first);
      const other = at(pair.buyer.token).tasks.submit(body(pair, 1), { idempotencyKey });
      expect(await refusalOf(other)).toBe('409 IDEMPOTENCY_KEY_REUSED');
    });
    expect(await pair.buyer.agora.vault.getPool()).toMatchObject({ held: 1000 });
  });

  test('and twins that meet on both: one task, one hold, equal replies', async () => {
    const pair = await makePair(server, { credits: 50_000 });
    await withSecondServer(async (at) => {
      const second = at(pair.buyer.token);
      for (let round = 1; round <= 5; round++) {
        const idempotencyKey = newKey();
        const twins = times(6, (n) => (n % 2 ? second : pair.buyer.agora).tasks.submit(body(pair), { idempotencyKey }));
        const replies: Task[] = await Promise.all(twins);
        for (const reply of replies) expect(reply).toEqual(replies[0]);
        expect(await pair.buyer.agora.vault.getPool()).toMatchObject({ held: round * 1000 });
      }
    });
  });

  test('and routed twins that try several agents: one task each, whoever finds an agent first', async () => {
    const { buyer, seller } = await makePair(server, { credits: 90_000 });
    for (let made = 0; made < 8; made++) await seller.agent({ capabilities: [{ category: 'design', tags: [] }] });
    const design = { taskType: 'design', maxBudget: 1000, input: {} } as const;
    await withSecondServer(async (at) => {
      const second = at(buyer.token);
      for (let round = 0; round < 10; round++) {
        const keys = times(3, newKey);
        const groups = keys.map((idempotencyKey) =>
          Promise.all(times(4, (n) => (n % 2 ? second : buyer.agora).tasks.submit(design, { idempotencyKey }))),
        );
        const all = await Promise.all(groups);
        for (const twins of all) for (const twin of twins) expect(twin.id).toBe(twins[0]?.id);
        expect(await buyer.agora.vault.getPool()).toMatchObject({ held: 3000 });
        for (const [task] of all) await buyer.agora.tasks.cancel(task?.id as string);
      }
    });
  });

  test('answers a twin whose first request died between commit and reply', async () => {
    const pair = await makePair(server, { credits: 5000 });
    const idempotencyKey = newKey();
    const first = await pair.buyer.agora.tasks.submit(body(pair), { idempotencyKey });
    await loseReplies(server);
    const again = await pair.buyer.agora.tasks.submit(body(pair), { idempotencyKey });
    expect(again).toEqual(first);
    expect(await pair.buyer.agora.vault.getPool()).toMatchObject({ held: 1000 });

    const started = await hireAndStart(pair);
    const key = newKey();
    const complete = () =>
      pair.agent.agora.tasks.complete(started.id, { output: { result: 'An answer' } }, { idempotencyKey: key });
    await complete();
    await loseReplies(server);
    expect(await complete()).toMatchObject({ id: started.id, status: 'completed' });
    expect(await pair.agent.agora.vault.getWallet()).toMatchObject({ escrowed: 850 });
  });
});

test('keys are forgotten after 24 hours', async () => {
  const pair = await makePair(server, { credits: 5000 });
  const idempotencyKey = newKey();
  const first = await pair.buyer.agora.tasks.submit(body(pair), { idempotencyKey });
  await pass(server, day - minute);
  expect((await pair.buyer.agora.tasks.submit(body(pair), { idempotencyKey })).id).toBe(first.id);
  await pass(server, 2 * minute);
  expect((await pair.buyer.agora.tasks.submit(body(pair), { idempotencyKey })).id).not.toBe(first.id);
});

test('a payment under a key that was forgotten is a new one, and not the reply of the old', async () => {
  const { buyer } = await makePair(server, { credits: 1000 });
  const idempotencyKey = 'weekly';
  const topUp = (amount: number) => buyer.agora.vault.topUp({ amount }, { idempotencyKey });
  expect(await topUp(700)).toEqual({ newBalance: 1700, amountCharged: 700 });
  expect(await topUp(700)).toEqual({ newBalance: 1700, amountCharged: 700 });
  await pass(server, day + minute);
  expect(await topUp(700)).toEqual({ newBalance: 2400, amountCharged: 700 });
  await pass(server, day + minute);
  expect(await topUp(900)).toEqual({ newBalance: 3300, amountCharged: 900 });
});
