import ts from 'typescript';
import { expect, test } from 'vitest';
// @ts-expect-error: the scripts are plain JavaScript, so that they run before anything is installed.
import { checkTestTime } from './test-time.mjs';

const problemsOf = (text: string): string[] =>
  checkTestTime('a.test.ts', ts.createSourceFile('a.test.ts', text, ts.ScriptTarget.Latest, true));

test.each([
  ["import { setTimeout as doze } from 'node:timers/promises';\nawait doze(50);", 'a.test.ts:2: waits for a time'],
  ["import { setTimeout } from 'node:timers/promises';\nawait setTimeout(50);", 'a.test.ts:2: waits for a time'],
  ['await sleep(50);', 'waits for a time'],
  ['await new Promise((resolve) => setTimeout(resolve, 50));', 'waits for a time'],
  ['const startedMs = performance.now();', 'performance.now measures time'],
  ['const before = process.cpuUsage();', 'process.cpuUsage measures time'],
  ['const at = process.hrtime.bigint();', 'process.hrtime measures time'],
  ['expect(Date.now() - startedMs).toBeLessThan(9);', 'expects a difference of times'],
  ["test('it ends', async () => {}, 5_000);", 'has a time limit of its own'],
  ["test('it ends', { timeout: 5_000 }, async () => {});", 'has a time limit of its own'],
  ["test.each([1])('it ends', async () => {}, 5_000);", 'has a time limit of its own'],
  ['beforeAll(() => start(), 5_000);', 'has a time limit of its own'],
  ['await expect.poll(look, { timeout: 5_000 }).toBe(1);', 'has a time limit of its own'],
  ['await vi.waitFor(look);', 'gives up after a second'],
  ['await vi.waitUntil(look, { timeout: 5_000 });', 'gives up after a second'],
])('%s is a violation', (text, problem) => {
  expect(problemsOf(text)).toEqual([expect.stringContaining(problem)]);
});

test.each([
  'await expect.poll(look, { interval: 5 }).toBe(1);',
  'await new Promise((resolve) => setImmediate(resolve));',
  "setTimeout(() => socket.destroy(), 20);\nvi.spyOn(performance, 'now').mockReturnValue(0);",
  'const agora = new Agora({ timeout: 5_000 });\nawait agora.exec({ timeoutMs: 300 });',
  'const since = new Date(Date.now() - 60_000);',
  "const child = spawn('sleep', ['60']);\nadvance(60_000);",
])('%s is none', (text) => {
  expect(problemsOf(text)).toEqual([]);
});
