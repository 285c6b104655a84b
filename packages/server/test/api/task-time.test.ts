import { describe, expect, test } from 'vitest';
import {
  day,
  goodOutput,
  hire,
  hireAndPass,
  hireAndStart,
  makePair,
  minute,
  pass,
  refusalOf,
  serverForFile,
} from './scene.ts';

const server = serverForFile();

describe('acceptance runs out after 15 minutes', () => {
  test('not a millisecond before; then the task fails, the hold returns and nobody is blamed', async () => {
    const pair = await makePair(server, { credits: 5000 });
    const { id, acceptBy } = await hire(pair);
    expect(acceptBy).toBe(new Date(server.clock.now().getTime() + 15 * minute).toISOString());
    await pass(server, 15 * minute - 1);
    expect((await pair.buyer.agora.tasks.get(id)).status).toBe('submitted');
    await pass(server, 1);
    const failed = await pair.buyer.agora.tasks.get(id);
    expect(failed).toMatchObject({
      status: 'failed',
      creditsCharged: 0,
      errorMessage: expect.stringMatching(/accept/),
    });
    expect(await pair.buyer.agora.vault.getPool()).toMatchObject({ balance: 5000, held: 0 });
    const agent = await pair.agent.agora.agents.me();
    expect(agent).toMatchObject({ consecutiveFailures: 0, overallScore: 500, capacity: { openTasks: 0 } });
    expect(await refusalOf(pair.agent.agora.tasks.start(id, { sandboxId: 'x' }))).toBe('409 TASK_WRONG_STATE');
    expect((await pair.agent.agora.tasks.assigned()).data).toEqual([]);
  });

  test('an agent that never committed reads no input afterwards either', async () => {
    const pair = await makePair(server);
    const input = { description: 'Fix', code: 'SECRET', files: { 'a.txt': 'SECRET' }, repo: { url: 'https://SECRET' } };
    const { id } = await hire(pair, { input });
    await pass(server, 15 * minute);
    expect(JSON.stringify(await pair.agent.agora.tasks.get(id))).not.toContain('SECRET');
    expect(JSON.stringify((await pair.agent.agora.tasks.list()).data)).not.toContain('SECRET');
    expect(JSON.stringify(await pair.buyer.agora.tasks.get(id))).toContain('SECRET');
  });
});

describe('execution runs out', () => {
  test('after 60 minutes: failed, refunded and counted against the agent', async () => {
    const pair = await makePair(server, { credits: 5000 });
    const { id, deadline } = await hireAndStart(pair);
    expect(deadline).toBe(new Date(server.clock.now().getTime() + 60 * minute).toISOString());
    await pass(server, 60 * minute - 1);
    expect((await pair.buyer.agora.tasks.get(id)).status).toBe('executing');
    await pass(server, 1);
    expect(await pair.buyer.agora.tasks.get(id)).toMatchObject({ status: 'failed', creditsCharged: 0 });
    expect(await pair.buyer.agora.vault.getPool()).toMatchObject({ balance: 5000, held: 0 });
    expect(await pair.agent.agora.agents.me()).toMatchObject({ consecutiveFailures: 1 });
    const late = pair.agent.agora.tasks.complete(id, { output: { result: 'late' } });
    expect(await refusalOf(late)).toBe('409 TASK_WRONG_STATE');
  });

  test('after deadlineMinutes where the submission says so, counted from the start', async () => {
    const pair = await makePair(server);
    const { id } = await hire(pair, { deadlineMinutes: 5 });
    await pass(server, 10 * minute);
    await pair.agent.agora.tasks.start(id, { sandboxId: 'x' });
    await pass(server, 5 * minute - 1);
    expect((await pair.buyer.agora.tasks.get(id)).status).toBe('executing');
    await pass(server, 1);
    expect((await pair.buyer.agora.tasks.get(id)).status).toBe('failed');
  });

  test('a shorter time than that to accept runs out when it is over', async () => {
    const pair = await makePair(server);
    const { id } = await hire(pair, { deadlineMinutes: 5 });
    await pair.agent.agora.tasks.start(id, { sandboxId: 'x' });
    await pass(server, 5 * minute - 1);
    expect((await pair.buyer.agora.tasks.get(id)).status).toBe('executing');
    await pass(server, 1);
    expect((await pair.buyer.agora.tasks.get(id)).status).toBe('failed');
  });

  test('neither when the time to accept would have, nor later for having been looked at then', async () => {
    const pair = await makePair(server);
    const { id, deadline } = await hireAndStart(pair);
    await pass(server, 15 * minute);
    expect((await pair.buyer.agora.tasks.get(id)).status).toBe('executing');
    // No sweep looks at it again before then.
    const { rows } = await server.pool.query(`select due_at as due from tasks where status = 'executing'`);
    expect(rows).toEqual([{ due: deadline }]);
    await pass(server, 45 * minute - 1);
    expect((await pair.buyer.agora.tasks.get(id)).status).toBe('executing');
    await pass(server, 1);
    expect((await pair.buyer.agora.tasks.get(id)).status).toBe('failed');
  });

  test('with the first sweep after both times, where none ran between them', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair);
    await pass(server, 60 * minute);
    expect((await pair.buyer.agora.tasks.get(id)).status).toBe('failed');
  });

  test('a finished task does not run out', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndPass(pair);
    await pass(server, 2 * 60 * minute);
    expect((await pair.buyer.agora.tasks.get(id)).status).toBe('completed');
  });
});

describe('input expires 24 hours after submission', () => {
  const input = { description: 'Fix it', code: 'print(1)', files: { 'a.txt': 'text' }, extra: 'x', tags: ['python'] };

  test('it is erased but for description and tags, for buyer and agent alike', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndPass(pair, { input });
    await pass(server, day - 1);
    expect((await pair.buyer.agora.tasks.get(id)).input).toEqual(input);
    await pass(server, 1);
    const title = { description: 'Fix it', tags: ['python'] };
    for (const { agora } of [pair.buyer, pair.agent]) {
      expect(await agora.tasks.get(id)).toMatchObject({ taskType: 'general', input: title });
      expect((await agora.tasks.get(id)).input).toEqual(title);
    }
    const bare = await hireAndPass(pair, { input: { extra: 'x' } });
    await pass(server, day);
    expect((await pair.buyer.agora.tasks.get(bare.id)).input).toEqual({});
    const { rows } = await server.pool.query('select input::text as input from tasks');
    expect(rows.some((row) => row.input.includes('print(1)'))).toBe(false);
  });

  test('so is what a check printed of it: from assessment, task, event and receipt', async () => {
    const pair = await makePair(server);
    const acceptance = { checks: [{ name: 'shows it', command: 'cat a.txt; exit 3' }] };
    const { id } = await hireAndStart(pair, { input: { ...input, files: { 'a.txt': 'the-secret' }, acceptance } });
    await pair.agent.agora.tasks.complete(id, { output: goodOutput });
    await expect.poll(async () => (await pair.buyer.agora.tasks.get(id)).status).toBe('failed');
    const evidence = async () => {
      const { data } = await pair.agent.agora.courts.listAssessments({ taskId: id });
      return data[0]?.criteria.find(({ name }) => name === 'check: shows it')?.evidence;
    };
    expect(await evidence()).toBe('Exit code 3. Output ends:\nthe-secret');
    const { errorMessage } = await pair.buyer.agora.tasks.get(id);
    expect(errorMessage).toMatch(/lowest is check: shows it: Exit code 3\.$/);
    await pass(server, day);
    expect(await evidence()).toBe('Exit code 3. Its output was erased with the input.');
    const { rows } = await server.pool.query(
      `select to_json(t)::text as text from tasks t union all select to_json(e)::text from events e
       union all select to_json(a)::text from assessments a`,
    );
    expect(rows.filter(({ text }) => text.includes('the-secret'))).toEqual([]);
  });

  test('starting a task with an expired input is INPUT_EXPIRED, whether or not it was erased already', async () => {
    const pair = await makePair(server);
    const { id } = await hire(pair, { input });
    // No sweep: neither the acceptance nor the input was attended to yet.
    server.clock.advance(day);
    const start = () => pair.agent.agora.tasks.start(id, { sandboxId: 'x' });
    expect(await refusalOf(start())).toBe('410 INPUT_EXPIRED');
    await server.pool.query('update tasks set input_expires_at = null where status = $1', ['submitted']);
    expect(await refusalOf(start())).toBe('410 INPUT_EXPIRED');
    expect((await pair.buyer.agora.tasks.get(id)).status).toBe('submitted');
  });

  test('no task outlives its input, for the gate could not judge it: both end together, and the buyer is refunded', async () => {
    const pair = await makePair(server);
    const { id } = await hire(pair, { input, deadlineMinutes: 1440 });
    server.clock.advance(10 * minute);
    const started = await pair.agent.agora.tasks.start(id, { sandboxId: 'x' });
    expect(started.deadline).toBe(new Date(Date.parse(started.createdAt) + day).toISOString());
    await pass(server, day - 10 * minute - 1);
    expect((await pair.agent.agora.tasks.get(id)).status).toBe('executing');
    await pass(server, 1);
    expect(await pair.buyer.agora.tasks.get(id)).toMatchObject({ status: 'failed', creditsCharged: 0 });
    expect(await pair.buyer.agora.vault.getPool()).toMatchObject({ held: 0 });
    await pass(server, 1);
    expect((await pair.buyer.agora.tasks.get(id)).input).not.toHaveProperty('files');
  });
});

describe('a gate that could not answer', () => {
  test('is run again by the sweep, once its lease is over', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair);
    // As a crash between delivery and verdict leaves it.
    await server.pool.query(
      `update tasks set status = 'quality_check', output = '{"result":"An answer"}', due_at = $1 where status = 'executing'`,
      [new Date(server.clock.now().getTime() + minute)],
    );
    await pass(server, minute - 1);
    expect((await pair.buyer.agora.tasks.get(id)).status).toBe('quality_check');
    await pass(server, 1);
    expect((await pair.buyer.agora.tasks.get(id)).status).toBe('completed');
    expect(await pair.agent.agora.vault.getWallet()).toMatchObject({ escrowed: 850 });
  });
});
