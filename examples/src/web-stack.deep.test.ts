import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GitServer, serveGit } from './demo/git-server.ts';
import { makeWebStack, type WebStack } from './demo/web-stack.ts';
import { candidatesIn } from './mutations.ts';
import { isTestPath } from './project-tests.ts';
import { findSuspects } from './suspects.ts';
import { parseTap } from './test-report.ts';

let directory: string;
let stack: WebStack;
let server: GitServer;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'agora-web-stack-'));
  stack = await makeWebStack();
  server = await serveGit(stack, () => {});
  await git('clone', '--quiet', server.url, 'whole');
});
afterAll(async () => {
  await server.stop();
  rmSync(directory, { recursive: true });
});

/** Runs a program in the test's directory, with no settings but its own; a failure of it is a result. */
function run(program: string, ...words: string[]): Promise<{ stdout: string; stderr: string; failed: boolean }> {
  const env = { PATH: process.env.PATH, HOME: directory, GIT_CONFIG_NOSYSTEM: '1' };
  return new Promise((resolve) => {
    execFile(program, words, { cwd: directory, env, maxBuffer: 1 << 26 }, (error, stdout, stderr) =>
      resolve({ stdout, stderr, failed: error !== null }),
    );
  });
}

async function git(...words: string[]): Promise<string> {
  const { stdout, stderr, failed } = await run('git', ...words);
  if (failed) throw new Error(stderr);
  return stdout.trim();
}

describe('the repository of the demo', () => {
  it('is cloned by git with its whole history, and every object in it is sound', async () => {
    await git('-C', 'whole', 'fsck', '--full', '--strict');
    expect((await git('-C', 'whole', 'log', '--format=%H')).split('\n')).toHaveLength(stack.commits);
    expect(await git('-C', 'whole', 'rev-parse', 'origin/main')).toBe(stack.head);
    const modes = (await git('-C', 'whole', 'ls-tree', '-r', '--format=%(objectmode)', 'HEAD')).split('\n');
    expect(modes.filter((mode) => mode !== '120000')).toHaveLength(stack.files);
    expect(modes.filter((mode) => mode === '120000')).toHaveLength(stack.packages);
    expect(stack.files).toBeGreaterThan(1000);
  });

  it('is the same each time', async () => {
    expect((await makeWebStack()).head).toBe(stack.head);
  });

  it('gives as many generations as are asked for, from any commit, and no commit that it does not have', async () => {
    await git('clone', '--quiet', '--depth', '2', server.url, 'shallow');
    expect(await git('-C', 'shallow', 'rev-list', '--count', 'HEAD')).toBe('2');
    await git('-C', 'shallow', 'fsck', '--strict');
    const early = await git('-C', 'whole', 'rev-parse', 'HEAD~40');
    await git('-C', 'shallow', 'fetch', '--quiet', '--depth', '1', 'origin', early);
    expect(await git('-C', 'shallow', 'rev-parse', 'FETCH_HEAD')).toBe(early);
    const unknown = '1234567890'.repeat(4);
    await expect(git('-C', 'shallow', 'fetch', '--depth', '1', 'origin', unknown)).rejects.toThrow('not our ref');
  });

  it('has one test that fails, since its last commit, and the agent finds the place early', async () => {
    const root = join(directory, 'whole');
    const test = () => run('node', '--test', '--test-reporter=tap', join(root, 'test/router.js'));
    const report = parseTap((await test()).stdout);
    expect(report.failures.map(({ name }) => name)).toEqual(['Decode url components']);
    expect(report.passed).toBeGreaterThan(300);

    const read = (path: string) => readFile(path, 'utf8').catch(() => null);
    const { suspects, sources } = await findSuspects(report.failures, isTestPath, read);
    const candidates = candidatesIn(suspects, sources);
    const place = candidates.findIndex(
      ({ from, to, path }) => from === '>=' && to === '>' && path.includes('sanitizer'),
    );
    expect(place).toBeGreaterThanOrEqual(0);
    expect(place).toBeLessThan(5);

    await git('-C', 'whole', 'checkout', '--quiet', 'HEAD~1');
    expect(await test()).toMatchObject({ failed: false });
  });
});
