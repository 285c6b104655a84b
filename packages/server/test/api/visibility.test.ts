import { taskStatuses } from '@agora-market/contract';
import type { Query } from '@agora-market/sdk';
import { describe, expect, test } from 'vitest';
import {
  goodOutput,
  hire,
  hireAndPass,
  hireAndReject,
  hireAndStart,
  makePair,
  refusalOf,
  serverForFile,
} from './scene.ts';

const server = serverForFile();
const secret = 'BUYERS-CODE';
const input = {
  description: 'Please fix',
  code: secret,
  files: { 'a.txt': secret, 'bin/b': { content: Buffer.from(secret).toString('base64'), encoding: 'base64' as const } },
  repo: { url: `https://${secret}.example.com`, ref: secret },
  acceptance: { rubric: secret, checks: [{ name: secret, command: `echo ${secret}`, weight: 1 }] },
  tags: [secret],
  anythingElse: { nested: secret },
};

describe('redaction while polling', () => {
  const shown = {
    redacted: true,
    description: 'Please fix',
    files: [
      { path: 'a.txt', sizeBytes: 11 },
      { path: 'bin/b', sizeBytes: 11 },
    ],
  };

  test('before executing the agent sees the description, names and sizes, wherever it looks', async () => {
    const pair = await makePair(server);
    const { id } = await hire(pair, { input });
    const { agora } = pair.agent;
    // Nobody can clone that repository; the refusal must not tell where it was looked for.
    const refusal = await agora.sandbox.provision(id).catch((error) => error);
    expect(refusal).toMatchObject({ status: 502, code: 'REPOSITORY_UNAVAILABLE' });
    const looks = {
      get: await agora.tasks.get(id),
      list: (await agora.tasks.list({ include: 'content' })).data[0],
      assigned: (await agora.tasks.assigned()).data[0],
    };
    for (const seen of Object.values(looks)) expect(seen?.input).toEqual(shown);
    const rest = [(await agora.tasks.events(id)).data, refusal.message, refusal.details];
    expect(JSON.stringify([looks, rest])).not.toContain(secret);
    for await (const event of agora.tasks.stream(id)) {
      expect(JSON.stringify(event)).not.toContain(secret);
      break;
    }
    for (const enter of [
      () => agora.sandbox.list(id),
      () => agora.sandbox.read(id, { path: '/workspace/code' }),
      () => agora.sandbox.exec(id, { command: 'cat code' }),
      () => agora.sandbox.write(id, { path: 'x', content: 'x' }),
    ]) {
      expect(await refusalOf(enter())).toBe('409 TASK_WRONG_STATE');
    }
    expect((await pair.buyer.agora.tasks.get(id)).input).toEqual(input);
  });

  test('from executing on, and after the end, the agent also sees the free-form keys; code never stands in JSON', async () => {
    const given = {
      ...input,
      acceptance: undefined,
      tags: ['haiku'],
      anythingElse: { nested: 'seen' },
      repo: undefined,
    };
    const committed = { ...given, code: undefined, files: shown.files };
    const pair = await makePair(server);
    const { agora } = pair.agent;
    const hired = () => hire(pair, { input: { ...given, description: 'Please fix' } });
    /** All that the agent can read of a task in JSON. */
    const readAll = async (id: string) => {
      const { assessmentId } = await agora.tasks.get(id);
      const streamed: unknown[] = [];
      for await (const event of agora.tasks.stream(id)) {
        streamed.push(event);
        if (event.event !== 'status' || assessmentId === null) break;
      }
      return [
        (await agora.tasks.list({ include: 'content' })).data,
        (await agora.tasks.events(id)).data,
        streamed,
        assessmentId && (await agora.courts.getAssessment(assessmentId)),
        assessmentId && (await agora.tasks.receipt(id)),
      ];
    };
    const [passing, failing, withdrawn] = [await hired(), await hired(), await hired()];
    const started = await agora.tasks.start(passing.id, { sandboxId: 'x' }, { idempotencyKey: `start-${passing.id}` });
    const replayed = await agora.tasks.start(passing.id, { sandboxId: 'x' }, { idempotencyKey: `start-${passing.id}` });
    for (const seen of [started, replayed, await agora.tasks.get(passing.id)]) expect(seen.input).toEqual(committed);
    const during = await readAll(passing.id);
    expect((await agora.sandbox.read(passing.id, { path: '/workspace/code' })).data.content).toBe(secret);

    const passed = await agora.tasks.complete(passing.id, { output: goodOutput });
    expect([passed.status, passed.input]).toEqual(['completed', committed]);
    await agora.tasks.start(failing.id, { sandboxId: 'x' });
    const failed = await agora.tasks.fail(failing.id, { reason: 'no' });
    expect([failed.status, failed.input]).toEqual(['failed', committed]);
    await pair.buyer.agora.tasks.cancel(withdrawn.id);
    const cancelled = await agora.tasks.get(withdrawn.id);
    expect(cancelled.input).toEqual(shown);
    const after = [await readAll(passing.id), await readAll(failing.id), await readAll(withdrawn.id)];
    expect(JSON.stringify([started, replayed, during, passed, failed, cancelled, after])).not.toContain(secret);
    expect(await refusalOf(agora.sandbox.read(passing.id, { path: '/workspace/code' }))).toMatch(/^4/);
    expect((await pair.buyer.agora.tasks.get(passing.id)).input).toMatchObject({ code: secret, files: input.files });
  });

  test('the address of a repository stays hidden during execution too', async () => {
    const pair = await makePair(server);
    const { id } = await hire(pair, { input: { description: 'Please fix', repo: input.repo } });
    const seen = await pair.agent.agora.tasks.start(id, { sandboxId: 'x' });
    expect(seen.input).toEqual({ description: 'Please fix' });
  });
});

describe('lists and pages', () => {
  test('a walk by cursor sees every task once, newest first, also while new ones arrive', async () => {
    const pair = await makePair(server);
    const made: string[] = [];
    for (let at = 0; at < 7; at++) {
      // Ids of one millisecond have no order among themselves.
      server.clock.advance(1);
      made.unshift((await hire(pair, { maxBudget: 10 + at })).id);
    }
    server.clock.advance(1);
    const walked: string[] = [];
    let page = await pair.buyer.agora.tasks.list({ pageSize: 3 });
    for (;;) {
      expect(page.pagination.pageSize).toBe(3);
      walked.push(...page.data.map((task) => task.id));
      await hire(pair, { maxBudget: 1 });
      const next = await page.nextPage();
      if (next === null) break;
      page = next;
    }
    expect(walked).toEqual(made);
    expect(page.pagination.nextCursor).toBeNull();
    const assigned: string[] = [];
    for await (const task of pair.agent.agora.tasks.assigned({ pageSize: 2 })) assigned.push(task.id);
    expect(assigned.slice(0, 7)).toEqual(made.toReversed());
    expect(new Set(assigned).size).toBe(assigned.length);
  });

  test('a page that is exactly full says that it is the last', async () => {
    const pair = await makePair(server);
    for (let at = 0; at < 2; at++) await hire(pair);
    const page = await pair.buyer.agora.tasks.list({ pageSize: 2 });
    expect([page.data.length, page.pagination.nextCursor]).toEqual([2, null]);
  });

  test('the status filter shows exactly the tasks in that status', async () => {
    const pair = await makePair(server);
    const ids = {
      submitted: (await hire(pair)).id,
      executing: (await hireAndStart(pair)).id,
      completed: (await hireAndPass(pair)).id,
      failed: (await hireAndReject(pair)).id,
    } as Record<string, string>;
    for (const status of taskStatuses) {
      const wanted = status in ids ? [ids[status]] : [];
      for (const { agora } of [pair.buyer, pair.agent]) {
        expect((await agora.tasks.list({ status })).data.map((task) => task.id)).toEqual(wanted);
      }
    }
  });

  test('the filter of types shows exactly the tasks of that type', async () => {
    const { buyer, seller } = await makePair(server);
    const agent = await seller.agent({
      capabilities: (['general', 'research'] as const).map((category) => ({ category, tags: [] })),
    });
    const general = await hire({ buyer, agent });
    const research = await hire({ buyer, agent }, { taskType: 'research' });
    const listed = async (query: Query<'tasks.list'>) => (await buyer.agora.tasks.list(query)).data.map(({ id }) => id);
    expect(await listed({ taskType: 'general' })).toEqual([general.id]);
    expect(await listed({ taskType: 'research', status: research.status })).toEqual([research.id]);
    expect(await listed({ taskType: 'research', status: 'failed' })).toEqual([]);
    expect(await listed({ taskType: 'devops' })).toEqual([]);
  });

  test('lists show nobody the tasks of others', async () => {
    const pair = await makePair(server);
    await hire(pair);
    const stranger = await server.owner({ credits: 0 });
    expect((await stranger.agora.tasks.list()).data).toEqual([]);
    expect((await pair.seller.agora.tasks.list()).data).toEqual([]);
    expect((await (await pair.seller.agent()).agora.tasks.list()).data).toEqual([]);
    for (const { agora } of [pair.buyer, stranger])
      expect((await agora.tasks.list({ role: 'assigned' })).data).toEqual([]);
  });

  test.each([
    { cursor: 'nonsense' },
    { cursor: Buffer.from('"x"').toString('base64url') },
    { cursor: Buffer.from('[1e99,null]').toString('base64url') },
    { pageSize: 0 },
    { pageSize: 101 },
    { pageSize: 1.5 },
    { status: 'done' as never },
  ])('%j is 400 on every collection that takes it', async (query) => {
    const pair = await makePair(server);
    const { id } = await hire(pair);
    const { buyer, agent } = pair;
    const calls: (() => Promise<unknown>)[] = [
      () => buyer.agora.tasks.list(query),
      () => agent.agora.tasks.list(query),
    ];
    if (!('status' in query)) {
      calls.push(
        () => agent.agora.tasks.assigned(query),
        () => buyer.agora.tasks.events(id, query),
        () => buyer.agora.vault.poolTransactions(query),
        () => buyer.agora.vault.listPaymentMethods(query),
        () => agent.agora.vault.walletTransactions(query),
        () => buyer.agora.agents.search(query),
        () => buyer.agora.agents.listOwn(query),
        () => buyer.agora.auth.listTokens(query),
        () => buyer.agora.courts.listAssessments({ taskId: id, ...query }),
      );
    }
    for (const call of calls) expect(await refusalOf(call())).toBe('400 VALIDATION_ERROR');
  });

  test('a cursor of another collection is refused or harmless, never a fault of ours', async () => {
    const pair = await makePair(server);
    for (let at = 0; at < 3; at++) await hire(pair);
    const { buyer } = pair;
    const cursors = [
      (await buyer.agora.tasks.list({ pageSize: 1 })).pagination.nextCursor,
      (await buyer.agora.vault.poolTransactions({ pageSize: 1 })).pagination.nextCursor,
      (await buyer.agora.agents.search({ pageSize: 1 })).pagination.nextCursor,
    ].map((cursor) => cursor as string);
    for (const cursor of cursors) {
      for (const call of [
        () => buyer.agora.tasks.list({ cursor }),
        () => buyer.agora.vault.poolTransactions({ cursor }),
        () => buyer.agora.agents.search({ cursor }),
        () => buyer.agora.agents.listOwn({ cursor }),
      ]) {
        expect(['no refusal', '400 VALIDATION_ERROR']).toContain(await refusalOf(call()));
      }
    }
  });
});
