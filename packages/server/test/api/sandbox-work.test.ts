import { request } from 'node:http';
import type { ExecEvent } from '@agora-market/sdk';
import { describe, expect, test } from 'vitest';
import { until } from '../support/sandbox/limits.ts';
import { hireAndStart, makePair, pass, refusalOf, serverForFile } from './scene.ts';

const server = serverForFile({ config: { SANDBOX_CPU_QUOTA_MS: 300, SANDBOX_RESUMES: 1 } });

async function executing(input: Record<string, unknown> = { code: 'x' }) {
  const pair = await makePair(server);
  const { id } = await hireAndStart(pair, { input });
  return { pair, id, sandbox: pair.agent.agora.sandbox, tasks: pair.agent.agora.tasks };
}

const textOf = (events: ExecEvent[], kind: 'stdout' | 'stderr') =>
  events.map((event) => (event.event === kind ? event.text : '')).join('');

async function collect(stream: AsyncIterable<ExecEvent>): Promise<ExecEvent[]> {
  const events: ExecEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

describe('a streamed command', () => {
  test('gives its output while it runs, and then how it ended', async () => {
    const { id, sandbox } = await executing();
    const command = 'echo begun; until [ -e go-on ]; do sleep 0.02; done; echo wrong >&2; exit 3';
    const events: ExecEvent[] = [];
    for await (const event of sandbox.execStream(id, { command })) {
      events.push(event);
      if (event.event === 'stdout') await sandbox.write(id, { path: 'go-on', content: '' });
    }
    expect(textOf(events, 'stdout')).toBe('begun\n');
    expect(textOf(events, 'stderr')).toBe('wrong\n');
    expect(events.at(-1)).toMatchObject({ event: 'exit', data: { exitCode: 3, timedOut: false, truncated: false } });
  });

  test('gives megabytes in order, never half a character, and bytes as they were', async () => {
    const { id, sandbox } = await executing();
    const events = await collect(
      sandbox.execStream(id, { command: 'yes ä€𐍈 | head -c 3000000; printf "\\377\\000" >&2' }),
    );
    const out = textOf(events, 'stdout');
    expect(Buffer.from(out).equals(Buffer.from('ä€𐍈\n'.repeat(300_000)))).toBe(true);
    const odd = events.find((event) => event.event === 'stderr');
    expect(odd).toMatchObject({ text: undefined, bytes: Uint8Array.from([255, 0]) });
  });

  test('is ended when its reader leaves', async () => {
    const { id, sandbox } = await executing();
    for await (const _ of sandbox.execStream(id, { command: 'yes leaving-me' })) break;
    const running = async () => (await sandbox.exec(id, { command: 'cat /proc/[0-9]*/cmdline' })).data.stdout;
    await until(async () => !(await running()).includes('leaving-me'));
  });

  test('waits for a reader that takes nothing, with no more memory than it began with, and others are served', async () => {
    const { pair, id, sandbox } = await executing();
    const { hostname, port } = new URL(server.url);
    const body = JSON.stringify({
      command: 'head -c 200000000 /dev/zero | tr "\\0" x; touch through',
      timeoutMs: 20_000,
    });
    const path = `/api/v1/tasks/${id}/sandbox/exec`;
    const headers = { 'x-api-key': pair.agent.key, accept: 'text/event-stream', 'content-type': 'application/json' };
    const before = process.memoryUsage().rss;
    const sent = request({ hostname, port, path, method: 'POST', headers });
    const response = await new Promise<import('node:http').IncomingMessage>((resolve) => {
      sent.on('response', resolve).end(body);
    });
    response.pause();
    for (let n = 0; n < 20; n++) await sandbox.exec(id, { command: 'sleep 0.02' });
    expect((await sandbox.exec(id, { command: 'test -e through' })).data.exitCode).toBe(1);
    expect(process.memoryUsage().rss - before).toBeLessThan(80 * 1024 ** 2);
    response.destroy();
    const running = async () => (await sandbox.exec(id, { command: 'cat /proc/[0-9]*/cmdline' })).data.stdout;
    await until(async () => !(await running()).includes('200000000'));
  });

  test('a refused one is an ordinary error, and one whose sandbox ends reports it', async () => {
    const { id, sandbox } = await executing();
    expect(await refusalOf(collect(sandbox.execStream(id, { command: '' })))).toBe('400 VALIDATION_ERROR');
    const events = collect(sandbox.execStream(id, { command: 'touch started; sleep 60' }));
    const refused = refusalOf(events);
    await until(() =>
      sandbox.read(id, { path: 'started' }).then(
        () => true,
        () => false,
      ),
    );
    await sandbox.destroy(id);
    expect(await refused).toBe('200 SANDBOX_UNAVAILABLE');
  });
});

describe('background processes', () => {
  test('are started, listed, read from where the reader was, and killed with all they started', async () => {
    const { id, sandbox } = await executing();
    const command =
      'echo "$GREETING"; pwd; (setsid sleep 3210 &); until [ -e more ]; do sleep 0.02; done; echo more; sleep 3210';
    const { data: started } = await sandbox.startProcess(id, { command, cwd: '/tmp', env: { GREETING: 'hello' } });
    expect(started).toMatchObject({ state: 'running', exitCode: null, killed: false });
    const { processId } = started;
    const output = (after = 0) => sandbox.processOutput(id, processId, { after }).then(({ data }) => data);
    await until(async () => (await output()).content === 'hello\n/tmp\n');
    const { next } = await output();
    await sandbox.write(id, { path: '/tmp/more', content: '' });
    await until(async () => (await output(next)).content === 'more\n');
    const { processes } = (await sandbox.listProcesses(id)).data;
    expect(processes).toEqual([
      expect.objectContaining({ processId, state: 'running', outputTail: 'hello\n/tmp\nmore\n' }),
    ]);
    expect((await sandbox.killProcess(id, processId)).data).toMatchObject({
      state: 'exited',
      exitCode: 137,
      killed: true,
    });
    expect((await sandbox.killProcess(id, processId)).data.state).toBe('exited');
    expect((await sandbox.exec(id, { command: 'cat /proc/[0-9]*/cmdline' })).data.stdout).not.toContain('3210');
  });

  test('of another task are not found', async () => {
    const [one, other] = [await executing(), await executing()];
    const { data } = await one.sandbox.startProcess(one.id, { command: 'sleep 60' });
    await other.sandbox.exec(other.id, { command: 'true' });
    expect(await refusalOf(other.sandbox.processOutput(other.id, data.processId))).toBe('404 PROCESS_NOT_FOUND');
    expect(await refusalOf(other.sandbox.killProcess(one.id, data.processId))).toBe('403 NOT_A_PARTY');
  });
});

describe('a sandbox past its quota', () => {
  const burn = 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done';

  test('is paused with the reason, still gives files, goes on when resumed, and delivers when it may not any more', async () => {
    const { id, sandbox, tasks } = await executing();
    expect((await sandbox.provision(id)).data).toMatchObject({ status: 'ready', pause: null });
    await sandbox.startProcess(id, { command: `echo kept >kept; while :; do ${burn}; done` });
    await until(async () => {
      await server.app.sweep();
      return (await sandbox.get(id)).data.status === 'paused';
    });
    expect((await sandbox.get(id)).data.pause).toMatchObject({ reason: 'cpu', resumesLeft: 1 });
    expect(await refusalOf(sandbox.exec(id, { command: 'true' }))).toBe('409 SANDBOX_PAUSED');
    expect(await refusalOf(collect(sandbox.execStream(id, { command: 'true' })))).toBe('409 SANDBOX_PAUSED');
    expect((await sandbox.read(id, { path: 'kept' })).data.content).toBe('kept\n');
    await sandbox.resume(id);
    expect((await sandbox.get(id)).data).toMatchObject({ status: 'ready', pause: null });
    expect((await sandbox.exec(id, { command: 'echo on' })).data.stdout).toBe('on\n');
    await until(async () => {
      await server.app.sweep();
      return (await sandbox.get(id)).data.status === 'paused';
    });
    expect(await refusalOf(sandbox.resume(id))).toBe('409 RESUMES_USED_UP');
    expect((await tasks.complete(id, { output: { result: 'Done with what there was' } })).status).toBe('completed');
  });

  test('ends at its lifetime like any other', async () => {
    const { id, sandbox } = await executing();
    await sandbox.exec(id, { command: `${burn}; ${burn}; ${burn}` });
    await server.app.sweep();
    expect((await sandbox.get(id)).data.status).toBe('paused');
    await pass(server, server.config.SANDBOX_LIFETIME_MS);
    expect((await sandbox.get(id)).data.status).toBe('destroyed');
  });
});
