import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { goodOutput, hire, makePair, type Pair } from '../api/scene.ts';
import { type GitServer, git, startGitServer } from '../support/git-server.ts';
import { makeOwner } from '../support/harness.ts';
import { clientsOf, createInstallation, type Installation } from './server-process.ts';

/** A server that is killed while it clones, from a git server that has not answered to the end. */

let server: Installation;
let remote: GitServer;
/** What becomes of the next answer; true where it is given in another way. */
let slowly: ((request: IncomingMessage, response: ServerResponse) => boolean) | null = null;

beforeAll(async () => {
  remote = await startGitServer((request, response) => slowly?.(request, response) ?? false);
  const part = repository('part');
  git(part, 'commit', '--quiet', '-m', 'one');
  const whole = repository('whole');
  writeFileSync(join(whole, '.gitmodules'), `[submodule "part"]\n\tpath = part\n\turl = ${remote.url}/part\n`);
  git(whole, 'add', '.gitmodules');
  git(whole, 'update-index', '--add', '--cacheinfo', `160000,${git(part, 'rev-parse', 'HEAD')},part`);
  git(whole, 'commit', '--quiet', '-m', 'one');
  server = await createInstallation({ OUTBOUND_ALLOW_LOOPBACK: 'true', SANDBOX_WARM: '0' });
  await server.start();
});
afterAll(async () => {
  await server?.remove();
  await remote?.close();
});
afterEach(({ task }) => {
  slowly = null;
  if (task.result?.state === 'fail') console.error(server.log().slice(-4000));
});

/** With too much for one piece of an answer, however it is packed. */
function repository(name: string): string {
  const path = join(remote.root, name);
  mkdirSync(path);
  git(path, 'init', '--quiet', '--initial-branch=main');
  writeFileSync(join(path, 'README'), `${name}\n`);
  writeFileSync(join(path, 'data.bin'), randomBytes(300_000));
  git(path, 'add', '-A');
  return path;
}

const scene = () => makePair({ owner: ({ credits = 0 } = {}) => makeOwner(clientsOf(server), credits) });
const checks = [{ name: 'is whole', command: 'grep -q whole README && grep -q part part/README' }];
const wanted = () => ({ input: { description: 'Look at it', repo: { url: `${remote.url}/whole` } } });
const kept = async () =>
  (await readdir(join(server.dataDir, 'objects'), { recursive: true, withFileTypes: true })).filter(
    (each) => each.isFile() && each.parentPath.includes('repositories'),
  ).length;
const poolOf = ({ buyer }: Pair) => buyer.agora.vault.getPool();

/** Where the git server stops, for the next request of the kind. */
const places = {
  'before its first answer': (name: string, held: () => void) => (request: IncomingMessage) => {
    const isIt = request.method === 'GET' && request.url?.startsWith(`/${name}/`) === true;
    if (isIt) held();
    return isIt;
  },
  'in the middle of a pack':
    (name: string, held: () => void) => (request: IncomingMessage, response: ServerResponse) => {
      if (request.method !== 'POST' || !request.url?.startsWith(`/${name}/`)) return false;
      const write = response.write.bind(response);
      let left = 20_000;
      const some = (piece: Buffer) => {
        if (left > 0) write(piece.subarray(0, left));
        left -= piece.length;
        if (left <= 0) held();
        return true;
      };
      // A short answer ends, for it is not the pack.
      const end = response.end.bind(response);
      Object.assign(response, { write: some, end: () => (left > 0 ? end() : response) });
      return false;
    },
};

/** Kills the server where the git server stops. */
async function killedAt(place: keyof typeof places, name: string, begin: () => Promise<unknown>): Promise<void> {
  const held = new Promise<void>((resolve) => {
    slowly = places[place](name, resolve);
  });
  const broken = begin().then(
    () => 'done',
    () => 'broken',
  );
  await Promise.race([held, broken.then((how) => Promise.reject(new Error(`${how} before the git server stopped`)))]);
  await server.end('SIGKILL');
  expect(await broken).toBe('broken');
  await expect.poll(() => server.sandboxes()).toBe(0);
  slowly = null;
  await server.start();
}

test.each([
  ['before its first answer', 'whole'],
  ['in the middle of a pack', 'whole'],
  ['before its first answer', 'part'],
  ['in the middle of a pack', 'part'],
] as const)('the agent gets the repository after a kill %s (%s)', async (place, name) => {
  const pair = await scene();
  const { id } = await hire(pair, wanted());
  const { sandbox, tasks } = pair.agent.agora;
  const before = await kept();
  await killedAt(place, name, () => sandbox.provision(id));
  expect(await kept()).toBe(before);
  expect(await poolOf(pair)).toMatchObject({ held: 1_000, balance: 99_000 });
  const { data } = await sandbox.provision(id);
  await tasks.start(id, { sandboxId: data.sandboxId });
  const command = 'cat README part/README; wc -c < data.bin; wc -c < part/data.bin';
  expect((await sandbox.exec(id, { command })).data.stdout).toBe('whole\npart\n300000\n300000\n');
  expect(await kept()).toBe(before + 1);
  expect(await poolOf(pair)).toMatchObject({ held: 1_000, balance: 99_000 });
  await tasks.complete(id, { output: goodOutput });
  await expect.poll(async () => (await tasks.get(id)).status).toBe('completed');
  expect(await poolOf(pair)).toMatchObject({ held: 0, balance: 99_000 });
  expect(await server.command('verify-ledger')).toMatchObject({ code: 0 });
});

test('the gate clones again after a kill, judges once, and the agent is paid once', async () => {
  const pair = await scene();
  const { tasks } = pair.agent.agora;
  const { input } = wanted();
  const { id } = await hire(pair, { input: { ...input, acceptance: { checks } } });
  await tasks.start(id, { sandboxId: 'mine' });
  await killedAt('in the middle of a pack', 'whole', () => tasks.complete(id, { output: goodOutput }));
  await expect.poll(async () => (await tasks.get(id)).status).toBe('completed');
  const { criteria } = await pair.buyer.agora.courts.getAssessment((await tasks.get(id)).assessmentId as string);
  expect(criteria).toContainEqual(expect.objectContaining({ name: 'check: is whole', score: 100 }));
  expect(await poolOf(pair)).toMatchObject({ held: 0, balance: 99_000 });
  expect(await pair.agent.agora.vault.getWallet()).toMatchObject({ escrowed: 850 });
  const events = (await pair.buyer.agora.tasks.events(id)).data.map(({ eventType }) => eventType);
  expect(events.filter((type) => type === 'task.delivered')).toHaveLength(1);
  expect(await server.command('verify-ledger')).toMatchObject({ code: 0 });
});
