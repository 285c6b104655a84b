import { toUuid } from '@agora-market/contract';
import { describe, expect, onTestFinished, test } from 'vitest';
import { bind } from '../api/policy.ts';
import {
  goodOutput,
  hire,
  hireAndPass,
  hireAndReject,
  hireAndStart,
  makePair,
  minute,
  pass,
  refusalOf,
  serverForFile,
} from '../api/scene.ts';
import { type Receiver, read, registerOwn, send, settled, startReceiver } from './scene.ts';

const server = serverForFile({ config: { OUTBOUND_ALLOW_LOOPBACK: true } });
const url = 'https://buyer.invalid/hook';

async function scene(fields?: Parameters<typeof registerOwn>[2]) {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  const pair = await makePair(server);
  const webhook = await registerOwn(pair.buyer, receiver, fields);
  /** All that arrived for the owner so far, in order, its signatures verified. */
  const told = async () => {
    await send(server);
    const sent = await settled(server, pair.buyer, webhook.id);
    await expect.poll(() => ofOwner(receiver).length).toBe(sent.length);
    const messages = await Promise.all(ofOwner(receiver).map((each) => read(server, webhook.secret, each)));
    return messages.sort((a, b) => a.sequence - b.sequence);
  };
  return { ...pair, pair, receiver, webhook, told };
}

const ofOwner = ({ seen }: Receiver) => seen.filter(({ path }) => path === '/hook');
const limits = { perTransactionMax: null, dailyLimit: 1_000, weeklyLimit: null, monthlyLimit: null };

describe('an owner', () => {
  test('registers, lists and deletes webhooks of its own, apart from those of its agents', async () => {
    const { buyer, seller, agent } = await makePair(server, { credits: 0 });
    const { ownerWebhooks } = seller.agora;
    const made = await ownerWebhooks.create({ url, events: ['task_delivered', 'budget_reached'] });
    expect(made).toMatchObject({ url, events: ['task_delivered', 'budget_reached'], enabled: true });
    expect(made.secret).toMatch(/^whsec_/);
    const { id } = await seller.agora.webhooks.create(agent.id, { url, events: ['task_assigned'] });
    expect((await ownerWebhooks.list()).data).toMatchObject([{ id: made.id }]);
    expect((await seller.agora.webhooks.list(agent.id)).data).toMatchObject([{ id }]);
    expect(await refusalOf(ownerWebhooks.test(id))).toBe('404 WEBHOOK_NOT_FOUND');
    expect(await refusalOf(agent.agora.webhooks.testMine(made.id))).toBe('404 WEBHOOK_NOT_FOUND');
    expect(await refusalOf(buyer.agora.ownerWebhooks.delete(made.id))).toBe('404 WEBHOOK_NOT_FOUND');
    expect((await ownerWebhooks.rotateSecret(made.id)).secret).not.toBe(made.secret);
    const message = await ownerWebhooks.test(made.id);
    expect(await ownerWebhooks.redeliver(made.id, message.id)).toMatchObject({ id: message.id, status: 'pending' });
    expect((await ownerWebhooks.listDeliveries(made.id)).data).toMatchObject([{ id: message.id, type: 'test' }]);
    expect(await ownerWebhooks.enable(made.id)).toMatchObject({ enabled: true });
    await ownerWebhooks.delete(made.id);
    expect((await ownerWebhooks.list()).data).toEqual([]);
    const { rows } = await server.pool.query(
      `select type from events where owner_id = (select owner_id from agents where id = $1) and agent_id is null
         and type like 'webhook.%' order by seq`,
      [toUuid('agent', agent.id)],
    );
    expect(rows.map(({ type }) => type)).toEqual(['webhook.created', 'webhook.secret_rotated', 'webhook.deleted']);
  });

  test('cannot ask for what only agents hear, nor an agent for what only owners do', async () => {
    const { buyer, agent } = await makePair(server, { credits: 0 });
    for (const kind of ['feedback_received', 'question_answered', 'message_received', 'test']) {
      const made = buyer.agora.ownerWebhooks.create({ url, events: [kind as 'task_assigned'] });
      expect(await refusalOf(made)).toBe('400 VALIDATION_ERROR');
    }
    for (const kind of ['task_started', 'task_delivered', 'question_asked', 'change_decided']) {
      const made = agent.agora.webhooks.createMine({ url, events: [kind as 'task_assigned'] });
      expect(await refusalOf(made)).toBe('400 VALIDATION_ERROR');
    }
  });

  test('can have ten beside those of its agents, also when it registers many at once', async () => {
    const { seller, agent } = await makePair(server, { credits: 0 });
    await agent.agora.webhooks.createMine({ url, events: ['task_assigned'] });
    const make = () => refusalOf(seller.agora.ownerWebhooks.create({ url, events: ['task_assigned'] }));
    const outcomes = await Promise.all(Array.from({ length: 12 }, make));
    expect(outcomes.filter((outcome) => outcome === '403 WEBHOOK_LIMIT_REACHED')).toHaveLength(2);
    expect((await seller.agora.ownerWebhooks.list()).data).toHaveLength(10);
  });
});

describe('what an owner is told', () => {
  test('is every kind of its tasks, once and signed; another owner hears nothing of them', async () => {
    const { pair, buyer, seller, agent, receiver, webhook, told } = await scene();
    const stranger = await registerOwn(seller, receiver, { url: `${receiver.url}/other` });
    const started = await hireAndStart(pair);
    const question = await agent.agora.tasks.postMessage(started.id, { kind: 'question', text: 'THE-QUESTION' });
    await buyer.agora.tasks.postMessage(started.id, { kind: 'answer', text: 'This', answers: question.id });
    await agent.agora.tasks.complete(started.id, { output: goodOutput });
    await buyer.agora.tasks.feedback(started.id, { direction: 'down' });
    await hireAndReject(pair);
    const messages = await told();
    expect(messages.map(({ type }) => type)).toEqual([
      'task_assigned',
      'task_started',
      'question_asked',
      'task_delivered',
      'task_completed',
      'task_refunded',
      'task_assigned',
      'task_started',
      'task_delivered',
      'task_failed',
    ]);
    expect(messages.map(({ data }) => (data as { id?: string }).id).slice(0, 6)).toEqual(Array(6).fill(started.id));
    expect(JSON.stringify(messages)).not.toContain('THE-QUESTION');
    expect(await settled(server, buyer, webhook.id)).toHaveLength(10);
    expect(await settled(server, seller, stranger.id)).toEqual([]);
  });

  test('is also a part of the price that a dispute gives back', async () => {
    const { pair, buyer, told } = await scene();
    const { id } = await hireAndPass(pair);
    await pass(server, 11 * minute);
    const dispute = await buyer.agora.tasks.dispute(id, { reason: 'It is no haiku' });
    await server.operator().courts.resolveDispute(dispute.id, { outcome: 'split', share: 40, note: 'Half good' });
    const last = (await told()).at(-1);
    expect(last).toMatchObject({ type: 'task_refunded', data: { id, status: 'completed', creditsCharged: 600 } });
  });

  test('is whether the agent takes a change, which beside its follow-up task is told once', async () => {
    const { pair, buyer, agent, told } = await scene({ events: ['change_decided', 'task_assigned'] });
    const { id } = await hireAndPass(pair);
    const request = () => buyer.agora.tasks.postMessage(id, { kind: 'change_request', text: 'In green', price: 300 });
    await agent.agora.tasks.declineChange(id, (await request()).id);
    await buyer.agora.tasks.declineChange(id, (await request()).id);
    const wanted = await request();
    const accept = () => agent.agora.tasks.acceptChange(id, wanted.id);
    const [{ offer }] = await Promise.all([accept(), accept()]);
    const heard = (await told()).map(({ type, data }) => `${type} ${(data as { id?: string }).id}`);
    expect(heard.toSorted()).toEqual(
      [
        ...[`task_assigned ${id}`, `change_decided ${id}`],
        ...[`change_decided ${id}`, `task_assigned ${offer?.taskId}`],
      ].toSorted(),
    );
  });

  test('is what its agents buy, want approved and spend', async () => {
    const { buyer, agent, told } = await scene();
    const hiring = await buyer.agent();
    await buyer.agora.vault.setBudget(hiring.id, { ...limits, approvalThreshold: null });
    const submit = (maxBudget: number) =>
      hiring.agora.tasks.submitAsAgent({
        ...{ taskType: 'general', maxBudget, agentId: agent.id },
        input: { description: 'Write a haiku', code: 'THE-CODE' },
      });
    const bought = await submit(550);
    await buyer.agora.vault.setBudget(hiring.id, { ...limits, approvalThreshold: 100 });
    const asked = await submit(200);
    const messages = await told();
    expect(messages.map(({ type }) => type).sort()).toEqual(['approval_requested', 'budget_reached', 'task_assigned']);
    const dataOf = (type: string) => messages.find((message) => message.type === type)?.data;
    expect(dataOf('task_assigned')).toMatchObject({ id: (bought as { id: string }).id, submitterId: hiring.id });
    expect(dataOf('budget_reached')).toEqual({
      ...{ agentId: hiring.id, window: 'day', percent: 50, limit: 1_000, spent: 550, refused: null },
    });
    const { approval } = asked as { approval: { id: string } };
    const { submission, ...shown } = await buyer.agora.embassy.getApproval(approval.id);
    expect(JSON.stringify(submission)).toContain('THE-CODE');
    expect(dataOf('approval_requested')).toEqual(shown);
    expect(JSON.stringify(messages)).not.toContain('THE-CODE');
    await buyer.agora.embassy.deny(approval.id);
    expect(await told()).toHaveLength(3);
  });

  test('is the task as its submitter sees it then, with the input as its agent sees it: no code and no files', async () => {
    const { pair, buyer, agent, told } = await scene({ events: ['task_completed'] });
    const acceptance = { rubric: 'Is it a haiku?', files: { 'held-out.txt': 'THE-TEST' } };
    const input = {
      description: 'Fix it',
      code: 'THE-CODE',
      files: { 'a.txt': 'THE-FILE' },
      acceptance,
      note: 'THE-NOTE',
    };
    const { id } = await hireAndPass(pair, { input });
    const [message] = await told();
    const { pullRequest: _, inputWarnings: _w, waiting: _q, buyer: _b, ...shown } = await buyer.agora.tasks.get(id);
    expect(message?.data).toEqual({ ...shown, input: (await agent.agora.tasks.get(id)).input });
    expect(message?.data).toMatchObject({ status: 'completed', output: goodOutput, input: { note: 'THE-NOTE' } });
    expect(JSON.stringify(message)).not.toMatch(/THE-(CODE|FILE|TEST)/);
  });

  test('is nothing of a question that a policy answers, nor anything while the owner is suspended', async () => {
    const { pair, buyer, agent, told } = await scene({ events: ['question_asked', 'task_started'] });
    await bind(buyer, { defaultAnswer: 'As you like' });
    const { id } = await hireAndStart(pair);
    await agent.agora.tasks.postMessage(id, { kind: 'question', text: 'Which?' });
    expect((await told()).map(({ type }) => type)).toEqual(['task_started']);
    const uuid = toUuid('task', (await hire(pair)).id);
    const stand = (status: string) =>
      server.pool.query('update owners set status = $2 where id = (select owner_id from tasks where id = $1)', [
        uuid,
        status,
      ]);
    await stand('suspended');
    await server.pool.query(
      `insert into events (type, district, at, task_id, agent_id, owner_id, correlation_id, data)
       select 'task.started', 'tasks', now(), id, agent_id, owner_id, 'c', '{}' from tasks where id = $1`,
      [uuid],
    );
    await send(server);
    await stand('active');
    expect(await told()).toHaveLength(1);
  });
});
