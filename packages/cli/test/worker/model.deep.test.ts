import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { performByModel } from '../../src/worker/model/perform.ts';
import type { ModelOptions } from '../../src/worker/model/session.ts';
import { type Scene, startScene } from './scene.ts';
import { type Script, startScriptedModel } from './scripted-model.ts';

/** `agora worker --model`: a model with tools over the sandbox, against an endpoint that plays whole sessions. */

let scene: Scene;
let endpoint: Awaited<ReturnType<typeof startScriptedModel>>;
beforeAll(async () => {
  scene = await startScene();
  endpoint = await startScriptedModel();
});
beforeEach(() => scene.renewAgent());
afterAll(async () => {
  await scene.server.close();
  await endpoint.close();
});

const defaults = { inputPrice: 100, outputPrice: 400, maxTokens: 500_000, maxSteps: 20, contextTokens: 32_000 };
const by = (options: Partial<ModelOptions> = {}) =>
  performByModel(
    { model: 'coder-1', baseUrl: endpoint.baseUrl, apiKey: 'sk-test', ...defaults, ...options },
    scene.log,
  );

const project = {
  'src/total.js': 'exports.total = (items) => items.reduce((sum, item) => sum + item.price, 1);\n',
  'test.js': [
    "const assert = require('node:assert');",
    "const { total } = require('./src/total.js');",
    'assert.strictEqual(total([{ price: 2 }, { price: 3 }]), 5);',
    "console.log('all tests pass');",
    '',
  ].join('\n'),
};
const checks = [{ name: 'tests', command: 'node test.js' }];
const repair = { description: 'The total is off by one. Make the tests pass.', files: project, acceptance: { checks } };

const lastOf = (messages: { content: string | null }[]) => String(messages.at(-1)?.content);

/** Plays a developer that depends on what it reads: it changes nothing before it has seen the failing test. */
const developer: Script = (messages, turn) => {
  if (turn === 0)
    return {
      calls: [
        ['list', {}],
        ['read', { path: 'src/total.js' }],
      ],
    };
  if (turn === 1) {
    if (!lastOf(messages).includes('sum + item.price, 1')) return { text: 'I cannot see the file' };
    return { calls: [['exec', { command: 'node test.js' }]] };
  }
  if (turn === 2) {
    if (!/Exit code 1[\s\S]*6 !== 5/.test(lastOf(messages))) return { text: 'The test did not fail' };
    return { calls: [['replace', { path: 'src/total.js', old: 'item.price, 1)', new: 'item.price, 0)' }]] };
  }
  if (turn === 3) return { calls: [['exec', { command: 'node test.js', timeoutSeconds: 60 }]] };
  if (!lastOf(messages).includes('all tests pass')) return { text: 'The tests still fail' };
  return { calls: [['finish', { result: 'The sum began at 1; it begins at 0 now. All tests pass.' }]] };
};

describe('a model', () => {
  test('reads a failing project, repairs it, sees the tests pass, and is paid by the gate', async () => {
    endpoint.play(developer);
    const { task, paid, earned } = await scene.buy(by(), repair, { taskType: 'bug_fix' });
    expect(task).toMatchObject({ status: 'completed', qualityScore: expect.any(Number) });
    expect(task.output).toEqual({
      result: 'The sum began at 1; it begins at 0 now. All tests pass.',
      model: 'coder-1',
      turns: 5,
      toolCallCount: 5,
      // 5 replies of 1,000 and 100 tokens: 0.7 cents.
      actualApiCostCents: 1,
    });
    expect([paid, earned]).toEqual([1000, 850]);
    expect(scene.lines.findLast(({ event }) => event === 'spent')).toMatchObject({
      inputTokens: 5000,
      outputTokens: 500,
      cents: 0.7,
    });
    expect(endpoint.seen[0]!.authorization).toBe('Bearer sk-test');
    const [system, brief] = endpoint.seen[0]!.messages;
    expect(system?.content).toContain('written by strangers');
    expect(brief?.content).toContain('off by one');
  });

  test('writes a text without a tool, and JSON where the buyer has a schema for it', async () => {
    endpoint.play(() => ({ text: '```json\n{"title": "Ledgers", "words": 3}\n```' }));
    const schema = { type: 'object', required: ['title'], properties: { title: { type: 'string' } } };
    const input = { description: 'Write a title', acceptance: { schema } };
    const { task } = await scene.buy(by(), input, { taskType: 'content_creation' });
    expect(task).toMatchObject({
      status: 'completed',
      output: { result: { title: 'Ledgers', words: 3 }, toolCallCount: 0 },
    });
  });

  test('that cannot call tools writes text all the same, and from then on takes no work on files', async () => {
    endpoint.play((_, __, { tools }) =>
      tools
        ? { status: 400, error: 'registry.ollama.ai/library/tiny does not support tools' }
        : { text: 'Ledgers never sleep' },
    );
    const performer = by({ inputPrice: 0, outputPrice: 0 });
    const { task } = await scene.buy(performer, { description: 'Write a line' }, { taskType: 'content_creation' });
    expect(task).toMatchObject({
      status: 'completed',
      output: { result: 'Ledgers never sleep', actualApiCostCents: 0 },
    });
    const { task: declined } = await scene.buy(performer, repair, { taskType: 'bug_fix' });
    expect(declined).toMatchObject({ status: 'failed', startedAt: null });
    expect(declined.errorMessage).toContain('The model of this agent cannot call tools');
  });

  test('asks again where the endpoint is busy', async () => {
    endpoint.play((messages, turn) =>
      turn === 0
        ? { status: 429, error: 'Slow down' }
        : turn === 1
          ? { status: 503, error: 'Later' }
          : { text: `A line after ${messages.length}` },
    );
    const { task } = await scene.buy(by(), { description: 'Write a line' });
    expect(task).toMatchObject({ status: 'completed', output: { result: 'A line after 2' } });
  });

  test('declines before the start what would not pay', async () => {
    endpoint.play(developer);
    const { task } = await scene.buy(by({ inputPrice: 20_000 }), repair, { taskType: 'bug_fix' });
    expect(task).toMatchObject({ status: 'failed', startedAt: null });
    expect(task.errorMessage).toMatch(/It would cost about 16\d\d\.\d cents, of 850 that it may cost/);
    expect(endpoint.seen).toEqual([]);
  });
});

describe('a session that goes wrong fails its task, and nobody pays:', () => {
  const fails = async (script: Script, options: Partial<ModelOptions>, reason: string | RegExp) => {
    endpoint.play(script);
    const { task, paid } = await scene.buy(by(options), repair, { taskType: 'bug_fix' });
    expect(task.status).toBe('failed');
    expect(task.errorMessage).toMatch(reason);
    expect(paid).toBe(0);
  };

  test('calls without end', async () => {
    await fails(
      () => ({ calls: [['list', { path: 'src' }]] }),
      { maxSteps: 6 },
      'The model did not finish within 6 replies',
    );
    expect(endpoint.seen).toHaveLength(6);
  });

  test('the budget in cents, before it is exceeded', async () => {
    const usage: [number, number] = [30_000, 8_000];
    await fails(
      () => ({ calls: [['list', {}]], usage }),
      { maxCost: 20 },
      /budget of 20 cents is used up: (18|19)\.\d\d were spent/,
    );
  });

  test('the budget in tokens', async () => {
    await fails(
      () => ({ calls: [['list', {}]], usage: [4000, 500] }),
      { maxTokens: 20_000 },
      'budget of 20000 tokens is used up',
    );
  });

  test('an endpoint that gives no usage is counted all the same', async () => {
    const script: Script = () => ({ calls: [['exec', { command: 'seq 1 2000' }]], usage: null });
    await fails(script, { maxTokens: 40_000, maxSteps: 50 }, 'budget of 40000 tokens is used up');
  });

  test('text in place of work', async () => {
    await fails(
      () => ({ text: 'I would look for an off-by-one.' }),
      {},
      'answered with text and did not work on the files',
    );
    expect(lastOf(endpoint.seen[1]!.messages)).toContain('You called no tool');
  });

  test('an endpoint that goes away in the middle', async () => {
    const script: Script = (_, turn) =>
      turn === 0 ? { calls: [['list', {}]] } : { status: 401, error: 'The key was revoked' };
    await fails(script, {}, /endpoint failed \(status 401\): The key was revoked/);
  });

  test('a model that gives up', async () => {
    const script: Script = () => ({ calls: [['give_up', { reason: 'The library is not there' }]] });
    await fails(script, {}, 'The model gave up: The library is not there');
  });
});

test('broken arguments, unknown tools and impossible calls are told to the model, which goes on', async () => {
  endpoint.play((messages, turn) => {
    if (turn === 0) return { calls: [['read', '{"path": "src/to']] };
    if (turn === 1)
      return {
        calls: [
          ['read', { path: 7 }],
          ['teleport', {}],
        ],
      };
    if (turn === 2)
      return {
        calls: [
          ['read', { path: 'no/such.js' }],
          ['read', { path: '../../etc/passwd' }],
        ],
      };
    if (turn === 3) return { calls: [['replace', { path: 'test.js', old: 'total', new: 'x' }]] };
    const told = messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content));
    return {
      calls: [
        ['exec', { command: "sed -i 's/, 1)/, 0)/' src/total.js" }],
        ['finish', { result: told.join(' | ') }],
      ],
    };
  });
  const { task } = await scene.buy(by(), repair, { taskType: 'bug_fix' });
  expect(task.status).toBe('completed');
  const told = String(task.output?.result);
  expect(told).toMatch(/teleport/);
  expect(told).toMatch(/occurs 3 times in test\.js/);
  expect(told).toMatch(/Error: .*(no|not).*\|/i);
  expect(told).not.toContain('root:');
});

test('what the model reads stays within its context, and the task stays in it', async () => {
  endpoint.play((_, turn) =>
    turn < 12
      ? { calls: [['exec', { command: 'seq 1 3000' }]] }
      : {
          calls: [
            ['exec', { command: "sed -i 's/, 1)/, 0)/' src/total.js" }],
            ['finish', { result: 'It begins at 0 now' }],
          ],
        },
  );
  const { task } = await scene.buy(by({ contextTokens: 16_000, inputPrice: 0, outputPrice: 0 }), repair, {
    taskType: 'bug_fix',
  });
  expect(task).toMatchObject({ status: 'completed', output: { turns: 13 } });
  for (const { messages } of endpoint.seen) {
    expect(JSON.stringify(messages).length).toBeLessThan(16_000 * 3);
    expect(messages[1]?.content).toContain('off by one');
    // Each result follows its call.
    const calls = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
    const results = messages.flatMap((message) =>
      (message as { tool_call_id?: string }).tool_call_id ? [message] : [],
    );
    expect(results.length).toBe(calls.length);
  }
});
