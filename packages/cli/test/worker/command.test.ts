import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { performByCommand } from '../../src/worker/command/perform.ts';
import { type Scene, startScene } from './scene.ts';

/** `agora worker --exec`: any command is an agent. */

let scene: Scene;
let place: string;
beforeAll(async () => {
  scene = await startScene();
  place = await mkdtemp(join(tmpdir(), 'agora-command-'));
});
beforeEach(() => scene.renewAgent());
afterAll(async () => {
  vi.unstubAllEnvs();
  await scene.server.close();
  await rm(place, { recursive: true, force: true });
});

const by = (command: string, workspace = false) =>
  performByCommand(command, { directory: place, workspace }, scene.log);
const withFiles = (command: string) => by(command, true);

describe('a command', () => {
  test('reads the brief on stdin, and what it prints is delivered and paid', async () => {
    const input = { description: 'Say hello', tone: 'warm' };
    const { task, paid, earned } = await scene.buy(by('cat'), input);
    expect(task).toMatchObject({ status: 'completed', output: { id: task.id, taskType: 'general', priceCents: 1000 } });
    expect(task.output?.input).toEqual(input);
    expect([paid, earned]).toEqual([1000, 850]);
  });

  test('that prints text delivers it as the result; numbers and lists are text too', async () => {
    const { task } = await scene.buy(by('echo "[1, 2, 3, and a longer text]"'), { description: 'Count' });
    expect(task.output).toEqual({ result: '[1, 2, 3, and a longer text]' });
  });

  test('has no setting of the worker, and so not the key', async () => {
    vi.stubEnv('AGORA_AGENT_KEY', 'ac_live_secret');
    vi.stubEnv('AGORA_MODEL_API_KEY', 'sk-secret');
    const { task } = await scene.buy(by('env'), { description: 'Look around' });
    expect(task.output?.result).toContain(`AGORA_TASK_ID=${task.id}`);
    expect(
      String(task.output?.result)
        .match(/AGORA_\w+/g)
        ?.sort(),
    ).toEqual(['AGORA_TASK_ID', 'AGORA_TASK_TYPE', 'AGORA_WORKER_DIR']);
    expect(task.output?.result).not.toContain('secret');
  });

  test('that fails fails its task with its last words, and the buyer pays nothing', async () => {
    const { task, paid } = await scene.buy(by('echo one >&2; echo "no such model" >&2; exit 3'), {
      description: 'Try',
    });
    expect(task).toMatchObject({ status: 'failed' });
    expect(task).toMatchObject({
      reason: 'The command ended with exit code 3: no such model',
      errorMessage: 'one',
    });
    expect(paid).toBe(0);
  });

  test('tells both parties what it writes on stderr', async () => {
    const { task } = await scene.buy(by('echo reading >&2; echo a long enough result'), { description: 'Read' });
    const { data } = await scene.buyer.agora.tasks.events(task.id);
    expect(data.filter(({ eventType }) => eventType === 'task.progressed').map((event) => event.data.message)).toEqual([
      'reading',
    ]);
  });

  test('that writes without end is stopped', async () => {
    const { task } = await scene.buy(by('yes'), { description: 'Agree' });
    expect(task).toMatchObject({ status: 'failed', errorMessage: 'The command wrote more than 1048576 bytes' });
  });

  test.each([
    ['its task is over', 'sleep 1000 & echo $! > pids; echo $$ >> pids; wait'],
    ['and the command heeds no signal', `trap '' TERM; sleep 1000 & echo $! > pids; echo $$ >> pids; wait; wait`],
  ])('is ended with all that it has started when %s', async (_, command) => {
    const pids = join(place, 'pids');
    await rm(pids, { force: true });
    const { id } = await scene.submit({ description: 'Wait' });
    const stop = scene.work(by(`cd ${place}; ${command}`), { watchEveryMs: 50, graceMs: 60_000 });
    const read = async () => (await readFile(pids, 'utf8').catch(() => '')).trim().split('\n').map(Number);
    await expect.poll(async () => (await read()).length).toBe(2);
    await scene.agent.agora.tasks.fail(id, { reason: 'Over' });
    const isAlive = (pid: number) => {
      try {
        return process.kill(pid, 0);
      } catch {
        return false;
      }
    };
    await expect.poll(async () => (await read()).some(isAlive)).toBe(false);
    await stop();
  });
});

describe('a command with the workspace', () => {
  const logo = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

  test('works on the files, and what it wrote, changed and deleted is judged', async () => {
    const files = {
      'src/total.js': 'export const total = 1;\n',
      'old/gone.txt': 'x',
      'keep.txt': 'kept',
      'logo.bin': { content: logo.toString('base64'), encoding: 'base64' as const },
      'run.sh': '#!/bin/sh\necho run\n',
    };
    const command = [
      'test "$(cat keep.txt)" = kept',
      "sed -i 's/1/2/' src/total.js",
      'rm -r old',
      'mkdir -p output/deep empty',
      'cat logo.bin logo.bin > output/deep/two.bin',
      'chmod +x run.sh',
      'ln -s /etc/passwd stolen; ln -sf /etc/passwd keep.txt',
      'echo The total is two now',
    ].join(' && ');
    const checks = [
      { name: 'changed', command: 'grep -q 2 src/total.js' },
      { name: 'deleted', command: 'test ! -e old' },
      { name: 'made', command: 'test -d empty && test "$(wc -c < output/deep/two.bin)" = 512' },
      { name: 'binary', command: 'cat logo.bin logo.bin | cmp - output/deep/two.bin' },
      { name: 'executable', command: 'test "$(./run.sh)" = run' },
      { name: 'no link was followed', command: 'test ! -e stolen && test "$(cat keep.txt)" = kept' },
    ];
    const before = scene.lines.length;
    const { task, paid } = await scene.buy(withFiles(command), { description: 'Two', files, acceptance: { checks } });
    const { criteria } = await scene.buyer.agora.courts.getAssessment(task.assessmentId as string);
    expect(criteria.filter(({ name, score }) => name !== 'output' && score !== 100)).toEqual([]);
    expect([task.status, paid]).toEqual(['completed', 1000]);
    expect(scene.lines.slice(before).find(({ event }) => event === 'changes')).toMatchObject({
      task: task.id,
      deleted: 1,
      skipped: expect.stringContaining('stolen'),
    });
  });

  test('that changes nothing sends nothing, and links in the sandbox lead nowhere here', async () => {
    const { id } = await scene.submit({ description: 'Look', files: { 'a.txt': 'a' } });
    const performer = withFiles('ls; test ! -e leak && test ! -e passwd');
    const stop = scene.work({
      ...performer,
      async handle(work) {
        await work.sandbox.exec('ln -s /etc leak; ln -s /etc/passwd passwd; ln a.txt b.txt');
        return performer.handle(work);
      },
    });
    const { task } = await scene.ended(id);
    await stop();
    expect(task.output).toEqual({ result: 'a.txt\nb.txt' });
    expect(scene.lines.findLast(({ event }) => event === 'changes')).toMatchObject({ written: 0, deleted: 0 });
  });

  test('starts the programs of its own directory, and never those of the task', async () => {
    await writeFile(join(place, 'fix.sh'), '#!/bin/sh\necho "mine, among $(ls)"\n', { mode: 0o755 });
    const files = { 'fix.sh': 'echo a stranger was here', 'a.txt': 'one' };
    const { task } = await scene.buy(withFiles('./fix.sh; sh fix.sh; cat a.txt'), { description: 'Fix', files });
    expect(task.output?.result).toBe('mine, among a.txt\nfix.sh\nmine, among a.txt\nfix.sh\none');
  });

  test('leaves no directory behind', async () => {
    const where = join(place, 'where');
    await writeFile(where, '');
    await scene.buy(withFiles(`pwd > ${where}; echo a result that is long enough`), { description: 'Where' });
    const directory = (await readFile(where, 'utf8')).trim();
    expect(directory).toContain('agora-worker-');
    await expect(readFile(directory)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
