import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundles } from '@agora-market/contract';
import { afterAll, expect, test } from 'vitest';
import { bundleOf, git } from '../support/git-server.ts';
import { day, goodOutput, hire, hireAndStart, makePair, pass, refusalOf, serverForFile } from './scene.ts';
import { password } from './totp-scene.ts';

const server = serverForFile();
const files = { 'add.sh': 'echo $(($1 - $2))\n' };
const checks = [{ name: 'adds', command: 'test "$(sh add.sh 2 1)" = 3' }];
const made: string[] = [];
afterAll(() => {
  for (const each of made) rmSync(each, { recursive: true });
});

const newcomer = () => server.owner({ credits: 0 });
const told = (call: Promise<unknown>) =>
  call.then(
    () => 'nothing was refused',
    ({ message, details }) => `${message} ${details?.fields?.map((each: { message: string }) => each.message)}`,
  );

/** Objects of repositories that are stored. */
async function stored(): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of server.app.objects.list('repositories')) keys.push(key);
  return keys;
}

/** A repository of two commits, and bundles of it as Git makes them. */
function repository(...init: string[]) {
  const repo = mkdtempSync(join(tmpdir(), 'agora-bundled-'));
  made.push(repo);
  git(repo, 'init', '--quiet', '--initial-branch=main', ...init);
  for (const text of ['one', 'two']) {
    writeFileSync(join(repo, 'a'), text);
    git(repo, 'add', '-A');
    git(repo, 'commit', '--quiet', '-m', text);
  }
  const bundle = (...what: string[]) => {
    git(repo, 'bundle', 'create', '.git/bundle', ...what);
    return readFileSync(join(repo, '.git/bundle'));
  };
  return { repo, bundle };
}

test('a bundle is the repository of its owner’s tasks: tried, laid out, judged and compared', async () => {
  const pair = await makePair(server);
  const { agora } = pair.buyer;
  const sent = await agora.tasks.sendBundle(bundleOf(files));
  expect(sent).toMatchObject({ url: `bundle:${sent.commit}`, inputWarnings: [] });
  expect(Date.parse(sent.keptUntil)).toBe(server.clock.now().getTime() + bundles.keptMs);
  const input = { repo: { url: sent.url }, acceptance: { checks } };
  expect((await agora.tasks.tryChecks({ input })).checks).toMatchObject([{ passed: false }]);
  expect((await agora.tasks.quote({ taskType: 'general', input })).candidates).not.toEqual([]);
  const { id } = await hire(pair, { input });
  const { sandboxId } = (await pair.agent.agora.sandbox.provision(id)).data;
  await pair.agent.agora.tasks.start(id, { sandboxId });
  await pair.agent.agora.sandbox.exec(id, { command: "sed -i 's/-/+/' add.sh" });
  const { status } = await pair.agent.agora.tasks.complete(id, { output: { result: 'It adds now, as it should.' } });
  expect(status).toBe('completed');
  expect((await agora.tasks.changes(id)).data).toMatchObject([{ path: 'add.sh', change: 'modified' }]);
});

test('HEAD counts where it is named, with all its history; else the one commit that is', async () => {
  const { agora } = await newcomer();
  const { repo, bundle } = repository();
  git(repo, 'branch', 'old', 'HEAD~1');
  const commitOf = async (...what: string[]) => (await agora.tasks.sendBundle(bundle(...what))).commit;
  expect(await commitOf('--all')).toBe(git(repo, 'rev-parse', 'HEAD'));
  expect(await commitOf('old')).toBe(git(repo, 'rev-parse', 'old'));
  expect(await told(commitOf('--branches'))).toContain('names several commits and no HEAD');
});

test('what is no whole bundle is refused in words, and leaves nothing', async () => {
  const { agora, token } = await newcomer();
  const before = await stored();
  const { bundle } = repository();
  const whole = bundle('HEAD');
  const cases: [Buffer, string][] = [
    [Buffer.alloc(0), 'it is no bundle'],
    [Buffer.from('# v2 git bundle\n'), 'it is no bundle'],
    [Buffer.from('{}\n\n'), 'it is no bundle'],
    [Buffer.concat([Buffer.from('# v2 git bundle\n../../x\n\n'), whole]), 'it is no bundle'],
    [Buffer.from(`# v2 git bundle\n${'a'.repeat(40)} HEAD\n\n`), 'what is sent of it is damaged'],
    [whole.subarray(0, -30), 'what is sent of it is damaged'],
    [Buffer.from(whole.toString('latin1').replace(/[0-9a-f]{40}/, 'b'.repeat(40)), 'latin1'), 'is damaged'],
    [bundle('HEAD~1..HEAD'), 'its bundle lacks what it is built on'],
    [repository('--object-format=sha256').bundle('HEAD'), 'it uses SHA-256 object ids'],
    [bundleOf({ big: randomBytes(2 ** 21).toString('hex') }), 'nothing was refused'],
  ];
  for (const [content, why] of cases) expect(await told(agora.tasks.sendBundle(content)), why).toContain(why);
  expect((await stored()).length).toBe(before.length + 1);
  const asJson = await fetch(`${server.url}/api/v1/bundles`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: '{}',
  });
  expect(asJson.status).toBe(415);
});

test('a bundle is its owner’s alone, and takes no other field', async () => {
  const pair = await makePair(server);
  const { url } = await pair.buyer.agora.tasks.sendBundle(bundleOf({ private: 'yes' }));
  const task = (repo: object) => ({ taskType: 'general' as const, maxBudget: 1000, input: { repo: { url, ...repo } } });
  const notKept = 'names no bundle that is kept for you';
  const stranger = await server.owner({ credits: 5000 });
  expect(await told(stranger.agora.tasks.submit(task({})))).toContain(notKept);
  expect(await told(stranger.agora.tasks.quote({ taskType: 'general', input: { repo: { url } } }))).toContain(notKept);
  expect(await told(stranger.agora.tasks.tryChecks({ input: { repo: { url } } }))).toContain(notKept);
  expect(await told(pair.buyer.agora.tasks.submit(task({ url: 'bundle:../../etc' })))).toContain(notKept);
  expect(await told(pair.buyer.agora.tasks.submit(task({ ref: 'main' })))).toContain('a bundle has one commit');
  expect(await told(pair.buyer.agora.tasks.submit(task({ pullRequest: true })))).toContain('a repository at a forge');
  const own = await pair.buyer.agent();
  expect(await told(own.agora.tasks.submitAsAgent(task({})))).toContain('only of tasks that an owner submits itself');
  expect(await refusalOf(own.agora.tasks.sendBundle(bundleOf({ private: 'yes' })))).toMatch(/^401/);
});

test('the same commit again is the same bundle, also where its object was lost', async () => {
  const { agora } = await newcomer();
  const before = await stored();
  const content = bundleOf({ same: 'same' });
  const first = await agora.tasks.sendBundle(content);
  expect((await agora.tasks.sendBundle(content)).url).toBe(first.url);
  const [key, ...others] = (await stored()).filter((each) => !before.includes(each));
  expect(others).toEqual([]);
  await server.app.objects.delete(key as string);
  const input = { repo: { url: first.url }, acceptance: { checks: [{ name: 'is there', command: 'test -f same' }] } };
  expect(await told(agora.tasks.tryChecks({ input }))).toContain('its bundle is not kept any more');
  await agora.tasks.sendBundle(content);
  expect((await agora.tasks.tryChecks({ input })).checks).toMatchObject([{ passed: true }]);
});

test('submodules beside a bundle cannot be had, and its sender learns it at once', async () => {
  const { agora } = await newcomer();
  const { repo, bundle } = repository();
  writeFileSync(join(repo, '.gitmodules'), '[submodule "lib"]\n\tpath = lib\n\turl = ../lib\n');
  git(repo, 'add', '-A');
  execFileSync('git', ['update-index', '--add', '--cacheinfo', `160000,${'c'.repeat(40)},lib`], { cwd: repo });
  git(repo, 'commit', '--quiet', '-m', 'with lib');
  const { inputWarnings } = await agora.tasks.sendBundle(bundle('HEAD'));
  expect(inputWarnings).toEqual(['The submodule lib is an empty directory: its address must be an absolute URL.']);
});

test('a bundle goes a day after it came, or three after its last task; with its account at once', async () => {
  const pair = await makePair(server);
  const gone = await newcomer();
  const before = await stored();
  const added = async () => (await stored()).filter((each) => !before.includes(each)).length;
  const { url } = await pair.buyer.agora.tasks.sendBundle(bundleOf({ used: 'used' }));
  await pair.buyer.agora.tasks.sendBundle(bundleOf({ unused: 'unused' }));
  await gone.agora.tasks.sendBundle(bundleOf({ gone: 'gone' }));
  expect(await added()).toBe(3);
  await gone.agora.auth.deleteAccount({ password });
  await server.app.sweep();
  expect(await added()).toBe(2);
  await pass(server, day / 2);
  const input = { repo: { url }, acceptance: { checks: [{ name: 'is there', command: 'test -f used' }] } };
  const { id } = await hireAndStart(pair, { input, deadlineMinutes: 1440 });
  await pass(server, 0.75 * day);
  expect(await added()).toBe(1);
  expect((await pair.agent.agora.tasks.complete(id, { output: goodOutput })).status).toBe('completed');
  await pass(server, 5 * day);
  expect(await added()).toBe(0);
});

test('an owner sends one at a time, and no more than is kept of one owner', async () => {
  const { agora } = await newcomer();
  const contents = ['a', 'b', 'c'].map((text) => bundleOf({ text }));
  const urls = await Promise.all(contents.map((content) => agora.tasks.sendBundle(content)));
  expect(new Set(urls.map(({ url }) => url)).size).toBe(3);
  await server.pool.query('update kept_trees set size_bytes = $2 where commit_id = $1', [
    ...[urls[0]?.commit, bundles.ownerBytes - 100],
  ]);
  expect(await refusalOf(agora.tasks.sendBundle(bundleOf({ one: 'more' })))).toBe('409 STORAGE_QUOTA_REACHED');
  // What is kept already takes no more.
  await agora.tasks.sendBundle(contents[0] as Buffer);
});

test('a body that breaks off gives its turn back', async () => {
  const { token, agora } = await newcomer();
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  const head = ['POST /api/v1/bundles HTTP/1.1', 'host: a', `authorization: Bearer ${token}`];
  const body = ['content-type: application/octet-stream', 'content-length: 1000', '', '# v2 git'];
  await new Promise((resolve) => socket.write([...head, ...body].join('\r\n'), resolve));
  socket.destroy();
  await agora.tasks.sendBundle(bundleOf({ next: 'next' }));
});
