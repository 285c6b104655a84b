import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GitServer, git, startGitServer } from '../support/git-server.ts';
import { hire, makePair, serverForFile } from './scene.ts';

const server = serverForFile({ config: { OUTBOUND_ALLOW_LOOPBACK: true } });

let remote: GitServer;
let project: string;
const at = (root: string, latin: string) => Buffer.concat([Buffer.from(`${root}/`), Buffer.from(latin, 'latin1')]);
/** Names of the same letters but for a byte that is not UTF-8; the last is UTF-8, though not of the same text. */
const twins = ['fixtures/caf\xe8.txt', 'fixtures/caf\xe9.txt', 'fixtures/caf\xc3\xa9.txt'];

beforeAll(async () => {
  remote = await startGitServer();
  project = join(remote.root, 'project');
  mkdirSync(join(project, 'fixtures'), { recursive: true });
  mkdirSync(join(project, 'tests'));
  git(remote.root, 'init', '--quiet', '--initial-branch=main', 'project');
  for (const name of twins) writeFileSync(at(project, name), `${Buffer.from(name, 'latin1').toString('hex')}\n`);
  writeFileSync(join(project, 'add.sh'), 'echo wrong\n');
  const named = (path: string) => path.replace(/[^\x20-\x7e]/g, (byte) => `\\${byte.charCodeAt(0).toString(8)}`);
  const reads = twins.map(
    (name) => `test "$(cat "$(printf '${named(name)}')")" = ${Buffer.from(name, 'latin1').toString('hex')} || exit 1\n`,
  );
  writeFileSync(join(project, 'tests/test.sh'), `${reads.join('')}test "$(sh add.sh 2 3)" = 5\n`);
  writeFileSync(at(project, 'tests/more-\xe9.sh'), 'exit 0\n');
  writeFileSync(at(project, 'note-\xe9'), 'old\n');
  writeFileSync(join(project, 'Makefile'), `test:\n\tsh tests/test.sh\n\tsh tests/more-*.sh\n`);
  git(project, 'add', '-A');
  git(project, 'commit', '--quiet', '-m', 'one');
});
afterAll(() => remote.close());

test('names that are not UTF-8 keep their bytes from the repository to the verdict, the patch and the artifacts', async () => {
  const { buyer, agent } = await makePair(server);
  const input = { description: 'Make add.sh add, so that make test passes', repo: { url: `${remote.url}/project` } };
  const { id } = await hire({ buyer, agent }, { taskType: 'bug_fix', input });
  const { sandbox, tasks } = agent.agora;
  const { sandboxId } = (await sandbox.provision(id)).data;
  await tasks.start(id, { sandboxId });
  const list = async (path: string) => (await sandbox.list(id, { path })).data.entries;
  const fixtures = await list('fixtures');
  expect(new Set(fixtures.map(({ path }) => path)).size).toBe(3);
  // A path that is shown is one that calls take.
  const contents = await Promise.all(fixtures.map(async ({ path }) => (await sandbox.read(id, { path })).data.content));
  expect(contents.sort()).toEqual(twins.map((name) => `${Buffer.from(name, 'latin1').toString('hex')}\n`).sort());
  const work = [
    "echo 'echo $(($1 + $2))' > add.sh",
    'printf new > "$(printf \'note-\\351\')"',
    'mkdir output',
    'for byte in 350 351; do printf $byte > "$(printf "output/caf\\\\$byte")"; done',
    'rm "$(printf \'tests/more-\\351.sh\')" && echo "exit 0" > "$(printf \'tests/more-\\350.sh\')"',
  ];
  expect((await sandbox.exec(id, { command: work.join('; ') })).data).toMatchObject({ exitCode: 0, stderr: '' });
  const { files } = (await sandbox.diff(id)).data;
  expect(files.map(({ change }) => change).sort()).toEqual([
    'added',
    'added',
    'added',
    'deleted',
    'modified',
    'modified',
  ]);
  await tasks.complete(id, { output: { result: 'add.sh adds; make test passes' } });
  await expect.poll(async () => (await tasks.get(id)).assessmentId).not.toBeNull();
  const { status, assessmentId } = await buyer.agora.tasks.get(id);
  const { criteria } = await buyer.agora.courts.getAssessment(assessmentId as string);
  expect(`${status} ${criteria.find(({ name }) => name === 'tests')?.score}`).toBe('completed 100');

  const changes = await buyer.agora.tasks.changes(id);
  expect(changes.data.map(({ path }) => path)).toEqual(['add.sh', 'note-\u{10fee9}', 'tests/more-\u{10fee8}.sh']);
  const patch = Buffer.from(await (await buyer.agora.tasks.patch(id)).arrayBuffer());
  execFileSync('git', ['apply', '-'], { cwd: project, input: patch });
  expect(readFileSync(at(project, 'note-\xe9'), 'utf8')).toBe('new');
  expect(readFileSync(at(project, 'tests/more-\xe8.sh'), 'utf8')).toBe('exit 0\n');
  expect(() => readFileSync(at(project, 'tests/more-\xe9.sh'))).toThrow('ENOENT');

  const artifacts: string[] = [];
  for await (const each of buyer.agora.artifacts.list(id)) {
    artifacts.push(`${each.path} ${await (await buyer.agora.artifacts.download(id, each.id)).text()}`);
  }
  expect(artifacts).toEqual(['caf\u{10fee8} 350', 'caf\u{10fee9} 351']);
});
