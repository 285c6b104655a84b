import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { can, type TaskRole, type TaskStatus, taskStatuses } from '@agora-market/contract';
import type { Agora } from '@agora-market/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestAgent, TestOwner } from '../support/harness.ts';
import {
  goodOutput,
  hire,
  hireAndPass,
  hireAndReject,
  hireAndStart,
  type Pair,
  refusalOf,
  serverForFile,
} from './scene.ts';

/** A judge that keeps what asks for it waiting, which holds a task in `quality_check` for as long as a test needs. */
const waiting: ServerResponse[] = [];
const opinion = JSON.stringify({
  choices: [
    { index: 0, message: { role: 'assistant', content: '{"reasons":"Fine","score":80}' }, finish_reason: 'stop' },
  ],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
});
const answer = (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(opinion);
};
const judge = createServer(async (request, response) => {
  let asked = '';
  for await (const chunk of request) asked += chunk;
  if (asked.includes('HOLD-THIS')) waiting.push(response);
  else answer(response);
});
await new Promise<void>((resolve) => judge.listen(0, '127.0.0.1', resolve));
afterAll(() => {
  judge.closeAllConnections();
  judge.close();
});
const judgeUrl = `http://127.0.0.1:${(judge.address() as AddressInfo).port}/v1`;

const server = serverForFile({ config: { JUDGE_BASE_URL: judgeUrl, JUDGE_MODEL: 'patient' } });

/** One party of each kind, and what each is to a task of `pair`. */
let pair: Pair;
let others: { agent: TestAgent; owner: TestOwner };
beforeAll(async () => {
  const [buyer, seller, owner] = await Promise.all([
    server.owner({ credits: 1_000_000 }),
    server.owner({ credits: 0 }),
    server.owner({ credits: 0 }),
  ]);
  // Routed tasks find the pair's agent alone.
  const capabilities = ['general', 'devops'].map((category) => ({ category: category as 'devops', tags: [] }));
  pair = { buyer, seller, agent: await seller.agent({ capabilities }) };
  others = { agent: await seller.agent(), owner };
});

/** Brings a task of the pair into each status, through the API alone. */
const reach: Record<TaskStatus, () => Promise<string>> = {
  submitted: async () => (await hire(pair)).id,
  routing: async () => {
    const input = { description: 'Write a haiku about ledgers' };
    const task = await pair.buyer.agora.tasks.submit({ taskType: 'devops', maxBudget: 1000, input });
    expect(task).toMatchObject({ status: 'routing', agentId: pair.agent.id });
    return task.id;
  },
  executing: async () => (await hireAndStart(pair)).id,
  quality_check: async () => {
    const { id } = await hireAndStart(pair, { input: { description: 'Write a haiku about ledgers HOLD-THIS' } });
    // It is answered once the judge has spoken, or after 5 s.
    void pair.agent.agora.tasks.complete(id, { output: goodOutput }).catch(() => {});
    await expect.poll(() => waiting.length).toBe(1);
    expect(await statusOf(id)).toBe('quality_check');
    return id;
  },
  completed: async () => (await hireAndPass(pair)).id,
  failed: async () => {
    // Three failures in a row would suspend the agent.
    await hireAndPass(pair);
    return (await hireAndReject(pair)).id;
  },
  refunded: async () => {
    const { id } = await hireAndPass(pair);
    await pair.buyer.agora.tasks.feedback(id, { direction: 'down' });
    return id;
  },
};

const statusOf = async (id: string) => (await pair.buyer.agora.tasks.get(id)).status;

/** Ends the task, so that it cannot disturb the next one. */
const retire = async (id: string) => {
  const status = await statusOf(id);
  if (status === 'submitted' || status === 'routing') await pair.buyer.agora.tasks.cancel(id);
  if (status === 'executing') await pair.agent.agora.tasks.complete(id, { output: goodOutput });
  for (const response of waiting.splice(0)) answer(response);
  await expect.poll(() => statusOf(id)).toMatch(/^(completed|failed|refunded)$/);
};

const verbs = {
  start: (agora: Agora, id: string) => agora.tasks.start(id, { sandboxId: 'x' }, { as: 'agent' }),
  complete: (agora: Agora, id: string) => agora.tasks.complete(id, { output: {} }, { as: 'agent' }),
  fail: (agora: Agora, id: string) => agora.tasks.fail(id, { reason: 'no' }, { as: 'agent' }),
  decline: (agora: Agora, id: string) => agora.tasks.decline(id, {}, { as: 'agent' }),
  cancel: (agora: Agora, id: string) => agora.tasks.cancel(id),
  feedback: (agora: Agora, id: string) => agora.tasks.feedback(id, { direction: 'up' }),
};

const callers: { name: string; role: TaskRole; agora: () => Agora; agent: boolean }[] = [
  { name: 'another agent', role: 'none', agora: () => others.agent.agora, agent: true },
  { name: 'another owner', role: 'none', agora: () => others.owner.agora, agent: false },
  { name: "the agent's owner", role: 'none', agora: () => pair.seller.agora, agent: false },
  { name: 'the submitter', role: 'submitter', agora: () => pair.buyer.agora, agent: false },
  { name: 'the assignee', role: 'assignee', agora: () => pair.agent.agora, agent: true },
];

describe.each(taskStatuses)('a task that is %s', (status) => {
  describe.each(Object.keys(verbs) as (keyof typeof verbs)[])('%s', (verb) => {
    test('answers every caller as the table says', async () => {
      const id = await reach[status]();
      for (const caller of callers) {
        // An owner's token is no credential of an agent operation; only some take both.
        if (!['feedback', 'cancel'].includes(verb) && !caller.agent) continue;
        const verdict = can[verb]({ status }, caller.role);
        const wanted = verdict.ok ? 'no refusal' : `${verdict.code === 'NOT_A_PARTY' ? 403 : 409} ${verdict.code}`;
        expect(`${caller.name}: ${await refusalOf(verbs[verb](caller.agora(), id))}`).toBe(`${caller.name}: ${wanted}`);
      }
      await retire(id);
    });
  });

  test('can be read by its parties alone', async () => {
    const id = await reach[status]();
    for (const { name, role, agora } of callers) {
      const wanted = role === 'none' ? '403 NOT_A_PARTY' : 'no refusal';
      expect(`${name}: ${await refusalOf(agora().tasks.get(id))}`).toBe(`${name}: ${wanted}`);
      // An owner reads of a task what its agent reads, and no more than what happened (decision 34).
      const ofEvents = name === "the agent's owner" ? 'no refusal' : wanted;
      expect(`${name}: ${await refusalOf(agora().tasks.events(id))}`).toBe(`${name}: ${ofEvents}`);
    }
    await retire(id);
  });
});
