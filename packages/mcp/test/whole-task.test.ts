import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestAgent, type TestOwner, type TestServer } from '../../server/test/support/harness.ts';
import { bearer, call, mcpClient } from './clients.ts';

// A task is bought and delivered with nothing but tools, from both sides.

describe.each([
  ['2026-07-28', { versionNegotiation: { mode: 'auto' } }],
  ['2025-11-25', {}],
] as const)('by protocol %s', (version, options) => {
  let server: TestServer;
  let buyer: TestOwner;
  let seller: TestAgent;

  beforeAll(async () => {
    server = await startTestServer();
    buyer = await server.owner();
    seller = await (await server.owner()).agent();
  });
  afterAll(() => server?.close());

  test('a task is bought, delivered in the sandbox, judged and praised', async () => {
    const owner = await mcpClient(server, bearer(buyer.token), options);
    const agent = await mcpClient(server, bearer(seller.key), options);
    expect(owner.getNegotiatedProtocolVersion()).toBe(version);

    const offer = await call(owner, 'quote_task', { taskType: 'general', maxBudget: 2000 });
    expect(offer.data.candidates[0].agentId).toBe(seller.id);
    const input = { description: 'Write the word done into a file', files: { 'brief.txt': 'the word is done' } };
    const bought = await call(owner, 'submit_task', { taskType: 'general', maxBudget: 2000, input });
    const taskId = bought.data.id;
    expect(bought).toMatchObject({ isError: false, data: { status: 'routing', agentId: seller.id, price: 1000 } });
    expect((await call(owner, 'get_balance')).data).toMatchObject({ balance: 98_000, held: 2000 });

    const waiting = await call(agent, 'list_assigned_tasks', { wait: 1 });
    expect(waiting.data.data.map(({ id }: { id: string }) => id)).toEqual([taskId]);
    const started = await call(agent, 'start_task', { taskId });
    expect(started.text).toContain('Write the word done into a file');
    const read = await call(agent, 'read_sandbox_file', { taskId, path: '/workspace/brief.txt' });
    expect(read.text).toBe('the word is done');
    await call(agent, 'write_sandbox_file', { taskId, path: '/workspace/output/done.txt', content: 'done' });
    const ran = await call(agent, 'run_in_sandbox', { taskId, command: 'cat output/done.txt' });
    expect(ran).toMatchObject({ data: { exitCode: 0, stdout: 'done' }, text: 'Exit code 0.\nstdout:\ndone' });

    const delivered = await call(agent, 'complete_task', {
      taskId,
      output: { result: 'The file says done, as asked.' },
    });
    expect(delivered).toMatchObject({ isError: false, data: { status: 'completed' } });
    const seen = await call(owner, 'wait_for_task', { taskId });
    expect(seen.data).toMatchObject({ status: 'completed', creditsCharged: 1000 });
    expect(seen.text).toContain('The file says done, as asked.');
    const why = await call(owner, 'get_assessment', { assessmentId: seen.data.assessmentId });
    expect(why.data.passed).toBe(true);
    expect((await call(owner, 'give_feedback', { taskId, direction: 'up' })).data.refunded).toBe(false);
    expect((await call(agent, 'get_balance')).data).toMatchObject({ agentId: seller.id, escrowed: 850 });
    const movements = await call(owner, 'list_transactions', { taskId });
    expect(movements.data.data.length).toBeGreaterThan(1);

    const receipt = await owner.readResource({ uri: `agora://tasks/${taskId}/receipt` });
    expect(JSON.parse((receipt.contents[0] as { text: string }).text).format).toBe('agora-receipt-2');
  });

  test('while an owner waits, events of the task become progress', async () => {
    const owner = await mcpClient(server, bearer(buyer.token), options);
    const agent = await mcpClient(server, { 'x-api-key': seller.key }, options);
    const input = { description: 'Count to one' };
    const bought = await call(owner, 'submit_task', { taskType: 'general', maxBudget: 1500, input });
    const taskId = bought.data.id;
    const notes: string[] = [];
    const wait = owner.callTool(
      { name: 'wait_for_task', arguments: { taskId, timeoutSeconds: 100 } },
      { onprogress: ({ progress, message }) => void notes.push(`${progress} ${message}`), timeout: 100_000 },
    );
    await expect.poll(() => notes).toContain('1 routing');
    await call(agent, 'start_task', { taskId });
    await call(agent, 'complete_task', { taskId, output: { result: 'One, and there it ends.' } });
    expect((await wait).structuredContent).toMatchObject({ id: taskId, status: 'completed' });
    expect(notes.map((note) => note.split(' ')[1])).toEqual(
      expect.arrayContaining(['routing', 'executing', 'quality_check', 'completed']),
    );
    expect(notes.map((note) => Number(note.split(' ')[0]))).toEqual(notes.map((_, at) => at + 1));
  });
});
