import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type GitServer, git, startGitServer } from '../support/git-server.ts';
import { hire, makePair, serverForFile } from './scene.ts';

const server = serverForFile({ config: { OUTBOUND_ALLOW_LOOPBACK: true, REPOSITORY_MAX_BYTES: 1024 ** 2 } });

let remote: GitServer;
/** What the server of large files has, and what it does with a batch. */
const objects = new Map<string, string | Buffer>();
let lfs: 'serves' | 'refuses' | 'lies' | 'points inside' | 'redirects';
const asked: { url: string; headers: Record<string, unknown>; body: string }[] = [];

const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex');
/** A pointer to this content, which the server has. */
function pointer(content: string | Buffer): string {
  objects.set(sha256(content), content);
  return `version https://git-lfs.github.com/spec/v1\noid sha256:${sha256(content)}\nsize ${content.length}\n`;
}

beforeAll(async () => {
  remote = await startGitServer((request, response) => {
    const { url = '', headers } = request;
    if (url.startsWith('/objects/')) {
      asked.push({ url, headers, body: '' });
      const content = objects.get(url.split('/')[2] as string);
      if (lfs === 'redirects') response.writeHead(302, { location: url }).end();
      else response.end(lfs === 'lies' ? Buffer.from(content ?? '').fill('x') : content);
      return true;
    }
    if (url.startsWith('/renamed/')) {
      response.writeHead(301, { location: url.replace('/renamed/', '/now/') }).end();
      return true;
    }
    if (!url.endsWith('/info/lfs/objects/batch')) return false;
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      asked.push({ url, headers, body });
      if (lfs === 'refuses') return response.writeHead(404).end('{}');
      const home = lfs === 'points inside' ? 'http://10.0.0.1' : remote.url;
      const found = (JSON.parse(body) as { objects: { oid: string; size: number }[] }).objects.map((each) => ({
        ...each,
        actions: { download: { href: `${home}/objects/${each.oid}`, header: { 'x-key': 'given', Host: 'other' } } },
      }));
      return response.writeHead(200).end(JSON.stringify({ transfer: 'basic', objects: found }));
    });
    return true;
  });
});
beforeEach(() => {
  lfs = 'serves';
  asked.length = 0;
});
afterAll(() => remote.close());

function repository(name: string, files: Record<string, string>) {
  const repo = join(remote.root, name);
  mkdirSync(repo);
  git(repo, 'init', '--quiet', '--initial-branch=main');
  for (const [path, text] of Object.entries({ '.gitattributes': '*.bin filter=lfs diff=lfs\n', ...files })) {
    writeFileSync(join(repo, path), text);
  }
  git(repo, 'add', '-A');
  git(repo, 'commit', '--quiet', '-m', name);
}

async function worked(name: string, input: object = {}, taskType: 'general' | 'bug_fix' = 'general') {
  const pair = await makePair(server);
  const { id } = await hire(pair, {
    taskType,
    input: { description: 'Make add.sh add', repo: { url: `${remote.url}/${name}` }, ...input },
  });
  const { sandboxId } = (await pair.agent.agora.sandbox.provision(id)).data;
  await pair.agent.agora.tasks.start(id, { sandboxId });
  const run = async (command: string) => (await pair.agent.agora.sandbox.exec(id, { command })).data.stdout;
  return { pair, id, run, told: (await pair.buyer.agora.tasks.get(id)).inputWarnings };
}

test('files of Git LFS have their contents, and no token goes to where they lie', async () => {
  const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, n) => (n * 7) % 256));
  repository('large', {
    'a.bin': pointer(bytes),
    'same.bin': pointer(bytes),
    'b.bin': pointer('text\n'),
    plain: 'x\n',
  });
  const { run, told } = await worked('large');
  expect(await run('sha256sum < a.bin; cmp a.bin same.bin; cat b.bin plain')).toBe(`${sha256(bytes)}  -\ntext\nx\n`);
  expect(told).toEqual([]);
  const [batch, ...downloads] = asked;
  expect(batch?.url).toBe('/large.git/info/lfs/objects/batch');
  expect(JSON.parse(batch?.body ?? '')).toMatchObject({ operation: 'download', transfers: ['basic'] });
  expect(downloads.map(({ headers }) => [headers['x-key'], headers.host, headers.authorization])).toEqual(
    downloads.map(() => ['given', new URL(remote.url).host, undefined]),
  );
  expect(downloads).toHaveLength(2);
});

test('a repository that was renamed has its contents too', async () => {
  mkdirSync(join(remote.root, 'now'));
  repository('now/large.git', { 'data.bin': pointer('contents\n') });
  const { run } = await worked('renamed/large.git');
  expect(await run('cat data.bin')).toBe('contents\n');
});

test.each(['refuses', 'lies', 'points inside', 'redirects'] as const)(
  'where their server %s they stay pointers, of which the buyer is told',
  async (how) => {
    repository(`left-${how.replace(' ', '-')}`, { 'a.bin': pointer('one\n'), 'b.bin': pointer('other\n') });
    lfs = how;
    const { run, told } = await worked(`left-${how.replace(' ', '-')}`);
    expect(await run('head -n 1 a.bin b.bin | grep -c spec/v1')).toBe('2\n');
    expect(told).toEqual(['2 files are pointers of Git LFS, because the contents could not be had: a.bin …']);
  },
);

test('one that does not fit stays a pointer; those beside it have their contents', async () => {
  repository('fits', { 'big.bin': pointer(Buffer.alloc(1024 ** 2, 1)), 'small.bin': pointer('small\n') });
  const { run, told } = await worked('fits');
  expect(await run('head -n 1 big.bin; cat small.bin')).toBe('version https://git-lfs.github.com/spec/v1\nsmall\n');
  expect(told).toEqual(['1 file is a pointer of Git LFS, because the contents could not be had: big.bin']);
});

test.each([
  ['there', 'serves', '100 make -B test passes'],
  [
    'left out',
    'refuses',
    'null Not run: make -B test fails before and after the work, and a file of the repository is a pointer',
  ],
] as const)('tests that need a large file that is %s do not blame the honest repair', async (what, how, why) => {
  const name = `tested-${what.replace(' ', '-')}`;
  repository(name, {
    'add.sh': 'echo wrong\n',
    'data.bin': pointer('the content\n'),
    'test.sh': 'grep -q content data.bin && test "$(sh add.sh 2 3)" = 5\n',
    Makefile: 'test:\n\tsh test.sh\n',
  });
  lfs = how;
  const { pair, id, run } = await worked(name, {}, 'bug_fix');
  await run("echo 'echo $(($1 + $2))' > add.sh");
  await pair.agent.agora.tasks.complete(id, { output: { result: 'add.sh adds' } });
  await expect.poll(async () => (await pair.buyer.agora.tasks.get(id)).assessmentId).not.toBeNull();
  const task = await pair.buyer.agora.tasks.get(id);
  expect(task).toMatchObject({ status: 'completed' });
  const { criteria } = await pair.buyer.agora.courts.getAssessment(task.assessmentId as string);
  const tests = criteria.find((each) => each.name === 'tests');
  expect(`${tests?.score} ${tests?.evidence}`).toContain(why);
});
