import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { goodOutput, hireAndStart, makePair, type Pair, serverForFile } from '../../../server/test/api/scene.ts';
import { agora } from '../../test/command.ts';

const server = serverForFile();
const files = { 'add.sh': 'echo $(($1 - $2))\n', 'old.txt': 'old\n' };
const made: string[] = [];
let pair: Pair;
let env: Record<string, string>;
let id: string;
let tree: string;

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], { cwd: tree, encoding: 'utf8' });
const apply = (...flags: string[]) => agora(['tasks', 'apply', id, ...flags], { env, cwd: tree });
const text = (path: string) => readFileSync(join(tree, path), 'utf8');

beforeAll(async () => {
  pair = await makePair(server);
  env = { AGORA_URL: server.url, AGORA_TOKEN: pair.buyer.token };
  ({ id } = await hireAndStart(pair, { input: { files } }));
  const command = "sed -i 's/-/+/' add.sh; rm old.txt; printf '\\0\\1' > pixel.bin";
  await pair.agent.agora.sandbox.exec(id, { command });
  await pair.agent.agora.tasks.complete(id, { output: goodOutput });
});
beforeEach(() => {
  tree = mkdtempSync(join(tmpdir(), 'agora-tree-'));
  made.push(tree);
  for (const [path, content] of Object.entries(files)) writeFileSync(join(tree, path), content);
});
afterAll(() => {
  for (const each of made) rmSync(each, { recursive: true });
});

const isWhole = () => {
  expect(text('add.sh')).toBe('echo $(($1 + $2))\n');
  expect(readFileSync(join(tree, 'pixel.bin'))).toEqual(Buffer.from([0, 1]));
  expect(() => text('old.txt')).toThrow('ENOENT');
};

test('a clone has the change after one command, and a dry run changes nothing', async () => {
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'one');
  const told = await apply('--dry-run');
  expect(told).toMatchObject({ exitCode: 0, stderr: '' });
  expect(told.stdout).toMatch(/modified +add\.sh +\+1 −1\n.*deleted +old\.txt +\+0 −1\n.*added +pixel\.bin +binary\n/s);
  expect(told.stdout).toContain('3 files would change, +1 −2 lines.');
  expect(git('status', '--porcelain')).toBe('');
  expect((await apply()).stdout).toContain('3 files changed, +1 −2 lines.');
  isWhole();
});

test('a tree with changes of its own is left alone, unless they are to be merged', async () => {
  git('init', '-q');
  writeFileSync(join(tree, 'mine.txt'), 'mine\n');
  git('add', '-A');
  git('commit', '-qm', 'one');
  writeFileSync(join(tree, 'mine.txt'), 'mine and more\n');
  const refused = await apply();
  expect(refused).toMatchObject({ exitCode: 2, stdout: '' });
  expect(refused.stderr).toContain('Commit or stash them first');
  expect(text('add.sh')).toBe(files['add.sh']);
  expect(await apply('--3way')).toMatchObject({ exitCode: 0 });
  isWhole();
});

test('a patch that does not fit changes nothing, and says what to do', async () => {
  writeFileSync(join(tree, 'add.sh'), 'something else\n');
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'one');
  const told = await apply();
  expect(told).toMatchObject({ exitCode: 1, stdout: '' });
  expect(told.stderr).toContain('Check out the commit that the task began with, or use --3way');
  expect(git('status', '--porcelain')).toBe('');
});

test('below the root it goes where the files were sent from', async () => {
  mkdirSync(join(tree, 'app'));
  for (const [path, content] of Object.entries(files)) writeFileSync(join(tree, 'app', path), content);
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'one');
  expect(await agora(['tasks', 'apply', id], { env, cwd: join(tree, 'app') })).toMatchObject({ exitCode: 0 });
  expect(text('app/add.sh')).toBe('echo $(($1 + $2))\n');
  expect(text('add.sh')).toBe(files['add.sh']);
});

test('conflicts of a merge are named, and the tree has them', async () => {
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'one');
  writeFileSync(join(tree, 'add.sh'), 'echo $(($1 * $2))\n');
  git('commit', '-qam', 'two');
  const told = await apply('--3way');
  expect(told).toMatchObject({ exitCode: 1, stdout: '' });
  expect(told.stderr).toContain('with conflicts for you to resolve:\nadd.sh');
  expect(text('add.sh')).toContain('<<<<<<<');
});

test('without a working tree nothing is written', async () => {
  expect(await apply()).toMatchObject({
    exitCode: 2,
    stdout: '',
    stderr: expect.stringContaining('working tree of Git'),
  });
  git('init', '-q');
  const inside = join(tree, '.git');
  const before = readdirSync(inside, { recursive: true });
  expect(await agora(['tasks', 'apply', id], { env, cwd: inside })).toMatchObject({ exitCode: 2 });
  expect(readdirSync(inside, { recursive: true })).toEqual(before);
  expect(text('add.sh')).toBe(files['add.sh']);
});
