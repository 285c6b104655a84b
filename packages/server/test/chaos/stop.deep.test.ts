import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { until } from '../steps/world.ts';
import { createInstallation, type Installation } from './server-process.ts';
import { type Buyer, createBuyer, createSeller, type Seller } from './traffic.ts';

/** The server is stopped as an operator stops it, and started again: nobody's work is gone. */

let server: Installation;
let buyer: Buyer;
let seller: Seller;

beforeAll(async () => {
  server = await createInstallation();
  await server.start();
  [buyer, seller] = [await createBuyer(server, 100_000), await createSeller(server)];
});
afterAll(async () => {
  await server?.remove();
});
afterEach(async (context) => {
  if (context.task.result?.state === 'fail') console.error(server.log().slice(-4000));
});

/** A task that its agent has begun, with a check for what its command leaves. */
async function begun(command: string) {
  const made = await server.request('POST', '/tasks', {
    token: buyer.token,
    body: {
      taskType: 'general',
      maxBudget: 1000,
      agentId: seller.agentId,
      input: {
        description: 'Leave done.txt',
        files: { 'given.txt': 'from the buyer' },
        acceptance: { checks: [{ name: 'left', command: 'grep -q finished done.txt' }] },
      },
    },
  });
  const path = `/tasks/${made.body.id}`;
  const ask = async (method: string, verb: string, body?: unknown) =>
    (await server.request(method, path + verb, { key: seller.key, ...(body !== undefined && { body }) })).body;
  await ask('POST', '/executing', { sandboxId: 'mine' });
  const exec = (line: string) => ask('POST', '/sandbox/exec', { command: line });
  expect(await exec(command)).toMatchObject({ data: { exitCode: 0 } });
  return {
    exec,
    sandboxStatus: async () => (await ask('GET', '/sandbox')).data.status,
    complete: () => ask('POST', '/complete', { output: { result: 'x' } }),
    status: async () => (await ask('GET', '')).status,
  };
}

test('a restart leaves every agent its work: to go on with, or to deliver as it is', async () => {
  const work = 'echo finished > done.txt; head -c 1000000 /dev/zero > zeros; sleep 7531 >/dev/null 2>&1 &';
  const tasks: Awaited<ReturnType<typeof begun>>[] = [];
  for (let n = 0; n < 12; n++) tasks.push(await begun(work));
  const running = tasks[0]!.exec('touch begun; sleep 30; echo late > late.txt');
  await until('a command runs', async () => (await tasks[0]!.exec('test -e begun')).data.exitCode === 0);
  const startedMs = performance.now();
  expect(await server.end('SIGTERM')).toBe(0);
  expect(performance.now() - startedMs).toBeLessThan(20_000);
  await running.catch(() => undefined);
  expect(server.sandboxes()).toBe(0);
  expect(await readdir(join(server.dataDir, 'workspaces'))).toHaveLength(tasks.length);
  await server.start();
  for (const [index, task] of tasks.entries()) {
    expect(await task.sandboxStatus()).toBe('kept');
    if (index % 2 === 0) {
      expect(await task.exec('ls; cat done.txt /input/given.txt')).toMatchObject({
        data: { stdout: `${index === 0 ? 'begun\n' : ''}done.txt\ngiven.txt\nzeros\nfinished\nfrom the buyer` },
      });
    }
    await task.complete();
    await until('its work is paid', async () => (await task.status()) === 'completed', 60_000);
  }
  await until('what was kept is gone', async () => (await readdir(join(server.dataDir, 'workspaces'))).length === 0);
});

test('work kept by a restart is lost with a kill after it was restored, and reported as lost', async () => {
  const task = await begun('echo first > done.txt');
  await server.end('SIGTERM');
  await server.start();
  await task.exec('echo finished >> done.txt');
  await server.end('SIGKILL');
  await server.start();
  expect(await task.sandboxStatus()).toBe('lost');
  expect(await task.complete()).toMatchObject({ error: { code: 'SANDBOX_LOST' } });
});
