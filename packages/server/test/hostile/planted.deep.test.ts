import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isWithin, limits, measure, probeEnvironment } from './measure.ts';

/** The suite's own test: planted faults are found, and a machine that is busy with something else is none. */

const directory = mkdtempSync(join(tmpdir(), 'agora-planted-'));
const probe = { socket: join(directory, 'probe') };
const started: ChildProcess[] = [];
let url = '';

function start(args: string[], env: Record<string, string> = {}): ChildProcess {
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(child);
  return child;
}

beforeAll(async () => {
  const server = start([fileURLToPath(new URL('./planted.mjs', import.meta.url))], probeEnvironment(probe));
  const [port] = await once(createInterface({ input: server.stdout! }), 'line');
  url = `http://127.0.0.1:${port}`;
});

afterAll(() => {
  for (const child of started) child.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

const visit = (path: string) => async () => {
  await (await fetch(url + path)).text();
};

test('a regular expression that is quadratic in a text of 40,000 digits is over the limits', async () => {
  const cost = await measure(probe, visit('/quadratic'));
  expect(cost.maxMs).toBeGreaterThan(limits.maxMs);
  expect(isWithin(cost)).toBe(false);
});

test('one parse of some 24 MB of JSON is over the limits', async () => {
  const cost = await measure(probe, visit('/parse'));
  expect(cost.maxMs).toBeGreaterThan(limits.maxMs);
});

test('100 MB that stay are over the limits', async () => {
  const cost = await measure(probe, visit('/keep'));
  expect(cost.heapBytes).toBeGreaterThan(limits.heapBytes);
});

test('a machine whose CPUs are all taken by others is within them', async () => {
  const hogs = Array.from({ length: 6 }, () => start(['-e', 'for (;;);']));
  try {
    const cost = await measure(probe, async () => {
      for (let count = 0; count < 50; count++) await visit('/nothing')();
    });
    expect(isWithin(cost), JSON.stringify(cost)).toBe(true);
  } finally {
    for (const hog of hogs) hog.kill('SIGKILL');
  }
});
