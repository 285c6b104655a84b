import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Scene, startScene } from './scene.ts';
import { startScriptedModel } from './scripted-model.ts';

/** Workers as processes: `agora worker` and a program with the SDK, ended and killed in the middle of a task. */

const cli = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const sdk = new URL('../../../sdk/dist/', import.meta.url);

let scene: Scene;
let place: string;
let started: ChildProcess[];
beforeEach(async () => {
  scene = await startScene();
  place = await mkdtemp(join(tmpdir(), 'agora-killed-'));
  started = [];
});
afterEach(async () => {
  for (const child of started) child.kill('SIGKILL');
  await scene.server.close();
  await rm(place, { recursive: true, force: true });
});

/** A worker that notes each run of a task and then takes its time. */
const kinds: Record<string, () => Promise<string[]>> = {
  'agora worker --exec': async () => [cli, 'worker', '--json', '--exec', `echo $$ >> ${place}/runs; sleep 3600`],
  'a program with the SDK': async () => {
    const file = join(place, 'agent.mjs');
    await writeFile(
      file,
      `import { appendFileSync } from 'node:fs';
import { Agora } from '${new URL('index.js', sdk)}';
import { createWorker } from '${new URL('worker/index.js', sdk)}';
const agora = new Agora({ baseUrl: process.env.AGORA_URL, agentKey: process.env.AGORA_AGENT_KEY });
const handle = () => (appendFileSync('${place}/runs', 'run\\n'), new Promise(() => {}));
await createWorker({ agora, handle }).run();
`,
    );
    return [file];
  },
};

function start(args: string[], env: NodeJS.ProcessEnv = {}) {
  const own = { AGORA_URL: scene.server.url, AGORA_AGENT_KEY: scene.agent.key, ...env };
  const child = spawn(process.execPath, args, { env: { ...process.env, ...own }, stdio: ['ignore', 'pipe', 'pipe'] });
  started.push(child);
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  return {
    child,
    said: () => said,
    events: () =>
      said
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).event),
  };
}

const runs = async () => (await readFile(join(place, 'runs'), 'utf8').catch(() => '')).split('\n').filter(Boolean);
const statusOf = async (id: string) => (await scene.buyer.agora.tasks.get(id)).status;

test.each(Object.keys(kinds))(
  '%s: killed in the middle, its task ends by the deadline and is refunded, and runs once',
  async (kind) => {
    const before = (await scene.buyer.agora.vault.getPool()).balance;
    const { id } = await scene.submit({ description: 'Take an hour' }, { deadlineMinutes: 1 });
    const args = await kinds[kind]!();
    const first = start(args);
    await expect.poll(async () => (await runs()).length).toBe(1);
    expect(await statusOf(id)).toBe('executing');
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    // What the killed worker had started does not outlive it.
    const [pid] = await runs();
    if (Number(pid)) await expect.poll(() => isAlive(Number(pid))).toBe(false);

    const other = await scene.submit({ description: 'Take another hour' }, { deadlineMinutes: 1 });
    const second = start(args);
    await expect.poll(() => statusOf(other.id)).toBe('executing');
    await expect.poll(async () => (await runs()).length).toBe(2);
    expect(await statusOf(id)).toBe('executing');
    second.child.kill('SIGKILL');
    await once(second.child, 'exit');

    scene.server.clock.advance(61_000);
    await scene.server.app.run('tasks.expireOverdue');
    for (const taskId of [id, other.id]) {
      const { task, paid } = await scene.ended(taskId);
      expect([task.status, paid]).toEqual(['failed', 0]);
    }
    expect(await runs()).toHaveLength(2);
    expect((await scene.buyer.agora.vault.getPool()).balance).toBe(before);
  },
);

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('agora worker', () => {
  test('drains on SIGTERM: the running task is delivered, nothing more is taken, and it exits 0', async () => {
    const command = `echo run >> ${place}/runs; while [ ! -e ${place}/go ]; do sleep 0.05; done; echo a long enough result`;
    const { id } = await scene.submit({ description: 'Wait' });
    const worker = start([cli, 'worker', '--json', '--exec', `trap '' TERM; ${command}`]);
    await expect.poll(async () => (await runs()).length).toBe(1);
    worker.child.kill('SIGTERM');
    await expect.poll(() => worker.events()).toContain('stopping');
    const later = await scene.submit({ description: 'Too late' });
    await writeFile(join(place, 'go'), '');
    const [code] = await once(worker.child, 'exit');
    expect([code, worker.events()]).toEqual([0, ['ready', 'started', 'stopping', 'delivered', 'stopped']]);
    expect(await statusOf(id)).toBe('completed');
    expect(await statusOf(later.id)).toBe('submitted');
  });

  // Before: one refusal of the model ended the whole worker, and its other tasks failed after the time of grace.
  test('takes no task while its model does not answer, and goes on with those that it has', async () => {
    const model = await startScriptedModel();
    try {
      const later = Promise.withResolvers<void>();
      let isDown = false;
      model.play(async (messages) => {
        const brief = JSON.stringify(messages);
        if (brief.includes('journal')) {
          await expect.poll(() => worker.events().filter((event) => event === 'started').length).toBe(3);
          isDown = true;
        }
        if (brief.includes('ledger')) await later.promise;
        else if (isDown) return { status: 401, error: 'The key has expired' };
        return { text: 'A ledger is a book of accounts.' };
      });
      const worker = start([
        cli,
        'worker',
        '--json',
        '--concurrency',
        '3',
        '--model',
        'm',
        '--base-url',
        model.baseUrl,
      ]);
      await expect.poll(() => worker.events()).toEqual(['ready']);
      const going = await Promise.all([1, 2].map(() => scene.submit({ description: 'What is a ledger?' })));
      const lost = await scene.submit({ description: 'What is a journal?' });
      await expect.poll(() => worker.events()).toContain('paused');
      await expect.poll(() => statusOf(lost.id)).toBe('failed');
      const { reason } = await scene.buyer.agora.tasks.get(lost.id);
      expect(reason).toContain('The key has expired');
      later.resolve();
      for (const { id } of going) await expect.poll(() => statusOf(id)).toBe('completed');
      expect(worker.events()).not.toContain('resumed');
      const waiting = await scene.submit({ description: 'What is a balance?' });
      isDown = false;
      await expect.poll(() => statusOf(waiting.id)).toBe('completed');
      expect(worker.events()).toContain('resumed');
      expect(await scene.agent.agora.agents.me()).toMatchObject({ availability: 'available', consecutiveFailures: 0 });
    } finally {
      await model.close();
    }
  });

  // Before: it declined at once what the other worker of the agent was about to start.
  test('leaves a task to a worker of the same agent that is well', async () => {
    const model = await startScriptedModel();
    try {
      model.play(() => ({ status: 401, error: 'The key is revoked' }));
      const { id } = await scene.submit({ description: 'What is a ledger?' });
      const sick = start([cli, 'worker', '--json', '--model', 'm', '--base-url', model.baseUrl]);
      await expect.poll(() => sick.events()).toEqual(['paused']);
      expect(sick.said()).toContain('Set AGORA_MODEL_API_KEY');
      start([cli, 'worker', '--json', '--exec', 'echo a ledger is a book of accounts']);
      await expect.poll(() => statusOf(id)).toBe('completed');
      expect(sick.events()).toEqual(['paused']);
    } finally {
      await model.close();
    }
  });

  test('pauses while its model does not answer: it fails one task at most, declines the others, and says so', async () => {
    const model = await startScriptedModel();
    try {
      let key = 'revoked';
      model.play(() =>
        key === 'good' ? { text: 'A ledger is a book of accounts.' } : { status: 401, error: `The key is ${key}` },
      );
      const before = await scene.submit({ description: 'What is a ledger?' });
      const worker = start([cli, 'worker', '--json', '--model', 'm', '--base-url', model.baseUrl]);
      await expect.poll(() => worker.events()).toEqual(['paused', 'declined']);
      expect(worker.said()).toContain('The key is revoked');
      expect(await statusOf(before.id)).toBe('failed');

      key = 'good';
      await expect.poll(() => worker.events().at(-1)).toBe('ready');
      const paid = await scene.submit({ description: 'What is a ledger?' });
      await expect.poll(() => statusOf(paid.id)).toBe('completed');

      // The key ends with the next request, amid its work.
      key = 'expired';
      const lost = await scene.submit({ description: 'What is a journal?' });
      await expect.poll(() => worker.events().filter((event) => event === 'paused').length).toBe(2);
      await expect.poll(() => statusOf(lost.id)).toBe('failed');
      const waiting = await Promise.all([1, 2, 3].map(() => scene.submit({ description: 'What is a balance?' })));
      await expect.poll(() => worker.events().filter((event) => event === 'declined').length).toBe(4);
      expect(await Promise.all(waiting.map(({ id }) => statusOf(id)))).toEqual(['failed', 'failed', 'failed']);
      expect(await scene.agent.agora.agents.me()).toMatchObject({
        status: 'active',
        consecutiveFailures: 1,
        availability: 'available',
      });
    } finally {
      await model.close();
    }
  });

  test('tells which environment a task asks for before it starts the task', async () => {
    await scene.submit({ description: 'Say something', environment: { memoryMb: 256 } });
    const worker = start([cli, 'worker', '--json', '--exec', 'echo a long enough result']);
    await expect.poll(() => worker.events()).toContain('delivered');
    expect(worker.events()).toEqual(['ready', 'offered', 'started', 'delivered']);
    expect(worker.said()).toContain(JSON.stringify({ environment: '{"memoryMb":256}' }).slice(1, -1));
  });

  test('ends at once on the second signal, with what its command had started', async () => {
    await scene.submit({ description: 'Wait' });
    const worker = start([
      cli,
      'worker',
      '--json',
      '--exec',
      `trap '' TERM; echo $$ >> ${place}/runs; sleep 3600; sleep 3600`,
    ]);
    await expect.poll(async () => (await runs()).length).toBe(1);
    worker.child.kill('SIGINT');
    await expect.poll(() => worker.events()).toContain('stopping');
    worker.child.kill('SIGINT');
    const [code] = await once(worker.child, 'exit');
    expect(code).toBe(130);
    const [pid] = await runs();
    await expect.poll(() => isAlive(Number(pid))).toBe(false);
  });

  test.each([
    ['without a way to work', ['worker'], 2, /give one of --exec, --preset, --model and --a2a/],
    ['with two ways', ['worker', '--exec', 'cat', '--a2a', 'http://127.0.0.1:9'], 2, /give one of/],
    ['with a price that is none', ['worker', '--exec', 'cat', '--min-price', '-1'], undefined, /number from 0 on/],
    [
      'with --workspace alone',
      ['worker', '--model', 'm', '--base-url', 'http://x', '--workspace'],
      2,
      /goes with --exec/,
    ],
    [
      'with a program that is not there',
      ['worker', '--exec', './agent.sh'],
      2,
      /^agora: --exec: there is no file .+\n$/,
    ],
    ['with a wrong key', ['worker', '--exec', 'cat'], 3, /AGORA_AGENT_KEY/],
  ])('%s says so and does nothing', async (_, args, code, message) => {
    const worker = start([cli, ...args], { AGORA_AGENT_KEY: 'ac_live_wrong' });
    const [exited] = await once(worker.child, 'exit');
    if (code === undefined) expect(exited).not.toBe(0);
    else expect(exited).toBe(code);
    expect(worker.said()).toMatch(message);
  });
});
