import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { fixtureFiles } from './fixtures.ts';
import type { ProjectSandbox } from './project-tests.ts';
import { repair } from './repair.ts';

const directories: string[] = [];
afterEach(async () => {
  for (const directory of directories.splice(0)) await rm(directory, { recursive: true });
});

/** Stands in for a sandbox in this test alone: /workspace is a temporary directory of the host, commands run in it. */
async function hostSandbox(files: Record<string, string>): Promise<ProjectSandbox> {
  const root = await mkdtemp(join(tmpdir(), 'agora-repair-'));
  directories.push(root);
  const onHost = (path = '/workspace') => path.replace('/workspace', root);
  const sandbox: ProjectSandbox = {
    exec: (command, { cwd, timeoutMs } = {}) =>
      new Promise((resolve) => {
        // Under Vitest, node --test would take itself for a part of the running tests.
        const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...env } = process.env;
        const child = spawn('sh', ['-c', command], { cwd: onHost(cwd), env, detached: true });
        const out = { stdout: '', stderr: '' };
        for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (chunk) => (out[name] += chunk));
        let timedOut = false;
        const timer = setTimeout(() => {
          timedOut = true;
          process.kill(-child.pid!, 'SIGKILL');
        }, timeoutMs);
        child.on('close', (code) => {
          clearTimeout(timer);
          const stdout = out.stdout.replaceAll(root, '/workspace');
          resolve({ ...out, stdout, exitCode: code ?? 137, durationMs: 0, timedOut, truncated: false });
        });
      }),
    list: async (path) =>
      (await readdir(onHost(path), { withFileTypes: true })).map((entry) => ({
        name: entry.name,
        path: `${path}/${entry.name}`,
        type: entry.isDirectory() ? ('directory' as const) : ('file' as const),
        sizeBytes: 0,
        modifiedAt: new Date(0).toISOString(),
      })),
    read: async (path) => {
      const content = await readFile(onHost(path), 'utf8');
      return { path, content, encoding: 'utf8', sizeBytes: content.length, truncated: false };
    },
    write: async (path, content) => {
      await mkdir(dirname(onHost(path)), { recursive: true });
      await writeFile(onHost(path), content);
    },
  };
  for (const [path, content] of Object.entries(files)) await sandbox.write(`/workspace/${path}`, content);
  return sandbox;
}

const project = (source: string, tests: string) => ({
  'package.json': '{ "type": "module" }',
  'lib/code.js': source,
  'test/code.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { f } from '../lib/code.js';
${tests}`,
});

describe('the repair of a program by its failing tests', () => {
  it('finds the bug of the cart in a file that the failing test does not import', async () => {
    const files = await fixtureFiles('cart');
    const sandbox = await hostSandbox(files);
    const lines: string[] = [];
    const done = await repair(sandbox, (line) => lines.push(line));
    expect(done).toMatchObject({
      changedFiles: ['src/pricing.js'],
      testsBefore: { passed: 9, failed: 1 },
      testsAfter: { passed: 10, failed: 0 },
    });
    expect(done.diff).toBe(
      [
        '--- a/src/pricing.js',
        '+++ b/src/pricing.js',
        '@@ -14 +14 @@',
        '-  if (line.quantity > bulkQuantity) return full - percentOf(full, bulkPercent);',
        '+  if (line.quantity >= bulkQuantity) return full - percentOf(full, bulkPercent);',
        '',
      ].join('\n'),
    );
    // Only the repaired file differs from what the buyer gave.
    for (const [path, before] of Object.entries(files)) {
      const { content } = await sandbox.read(`/workspace/${path}`);
      expect(content === before, path).toBe(path !== 'cart/src/pricing.js');
    }
    expect(lines.join('\n')).toContain('fails: ten of one item get the bulk discount (expected 5950, got 7000)');
  });

  it.each([
    [
      'an arithmetic operator',
      'export const f = (a, b) => a - b;',
      "test('sum', () => assert.equal(f(2, 3), 5));",
      '- → +',
    ],
    [
      'an off-by-one in a throwing function',
      'export function f(list) {\n  const at = list.length;\n  return list[at].name;\n}',
      "test('last', () => assert.equal(f([{ name: 'a' }, { name: 'b' }]), 'b'));",
      '.length → .length - 1',
    ],
    [
      'a constant outside every function',
      'const days = 6;\nexport function f(weeks) {\n  return weeks * days;\n}',
      "test('week', () => assert.equal(f(3), 21));",
      '6 → 7',
    ],
    [
      'an expression, past an edit that would loop for ever',
      'export function f(n) {\n  let sum = 0;\n  while (n > 0) {\n    n -= 1;\n    sum += 1;\n  }\n  return sum - 1;\n}',
      "test('three', () => assert.equal(f(3), 4));",
      'code.js:7 - → +',
    ],
  ])('repairs %s', async (_, source, tests, edit) => {
    const sandbox = await hostSandbox(project(source, tests));
    const done = await repair(sandbox, () => {}, { testTimeoutMs: 2000 });
    expect(done.summary).toContain(edit);
    expect(done.testsAfter.failed).toBe(0);
  });

  it('runs what the project declares, and takes no edit that pleases the failing file and breaks another', async () => {
    const files = {
      ...project('export const f = (a, b) => a * b;', "test('minus two', () => assert.equal(f(-4, 2), -2));"),
      'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test test/all.js' } }),
      'test/all.js': "import './code.test.js';\nimport './more/sums.js';\n",
      'test/more/sums.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { f } from '../../lib/code.js';
test('four', () => assert.equal(f(2, 2), 4));`,
      'other.test.js': "throw new Error('nobody runs this');",
    };
    const lines: string[] = [];
    const done = await repair(await hostSandbox(files), (line) => lines.push(line));
    expect(done).toMatchObject({ summary: 'lib/code.js:1 * → +', testsBefore: { passed: 1, failed: 1 } });
    expect(done.testsAfter).toEqual({ passed: 2, failed: 0 });
    expect(lines).toContain('try 1: lib/code.js:1 * → /: 1 pass, 1 fail');
  });

  it('repairs two bugs one after the other', async () => {
    const source = 'export function f(a) {\n  if (a > 10) return a + 1;\n  return a * 3;\n}';
    const tests = `test('ten', () => assert.equal(f(10), 11));
test('eleven', () => assert.equal(f(11), 12));
test('one', () => assert.equal(f(1), 2));
test('four', () => assert.equal(f(4), 8));`;
    const done = await repair(await hostSandbox(project(source, tests)), () => {});
    expect(done.testsBefore.failed).toBe(3);
    expect(done.testsAfter).toEqual({ passed: 4, failed: 0 });
    expect(done.summary.split('; ').length).toBe(2);
  });

  it('a sandbox that fails is not taken for a failing edit', async () => {
    const sandbox = await hostSandbox(await fixtureFiles('cart'));
    let runs = 0;
    const { exec } = sandbox;
    sandbox.exec = async (...args) => {
      if (++runs > 1) throw new Error('the sandbox is gone');
      return exec(...args);
    };
    await expect(repair(sandbox, () => {})).rejects.toThrow('the sandbox is gone');
    expect(runs).toBe(2);
  });

  it('gives up with the reason and leaves the workspace as it was', async () => {
    const files = project('export const f = (a) => a + 1;', "test('text', () => assert.equal(f(1), 'two'));");
    const sandbox = await hostSandbox(files);
    await expect(repair(sandbox, () => {})).rejects.toThrow(/None of \d+ candidate edits/);
    expect((await sandbox.read('/workspace/lib/code.js')).content).toBe(files['lib/code.js']);
  });

  it('does not claim a repair where no test fails, there is no test, or there is no project', async () => {
    const green = project('export const f = () => 1;', "test('one', () => assert.equal(f(), 1));");
    await expect(repair(await hostSandbox(green), () => {})).rejects.toThrow('No test fails');
    await expect(repair(await hostSandbox({ 'package.json': '{}' }), () => {})).rejects.toThrow('ran no tests');
    await expect(repair(await hostSandbox({ 'a/b.txt': '' }), () => {})).rejects.toThrow('no package.json');
  });

  it('stops at the signal', async () => {
    const sandbox = await hostSandbox(await fixtureFiles('cart'));
    await expect(repair(sandbox, () => {}, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow(
      'enough',
    );
  });
});
