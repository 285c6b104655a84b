import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Agora } from '@agora-market/sdk';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { fromSources } from '../support/from-sources.ts';

/** What `agora serve` says when it is first started, on machines as they are. */

const cli = fileURLToPath(new URL('../../../cli/src/main.ts', import.meta.url));
const serve = [process.execPath, ...fromSources, cli, 'serve'];

/** With a judge, so that there is no warning of that. */
const judged = { JUDGE_BASE_URL: 'http://127.0.0.1:9/v1', JUDGE_MODEL: 'a-model' };

let place: string;
let database: TestDatabase;
let relay: Server;
let databaseUrl: string;
let child: ChildProcess;
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'agora-first-'));
  database = await createTestDatabase();
  // The socket of the tests' PostgreSQL is closed to those who are nobody outside of their user namespace.
  const { username, password, hostname, pathname } = new URL(database.url);
  relay = createServer((client) => {
    const server = connect(join(decodeURIComponent(hostname), '.s.PGSQL.5432'));
    client.pipe(server).pipe(client);
    for (const end of [client, server]) end.on('error', () => [client, server].map((each) => each.destroy()));
  });
  await once(relay.listen(0, '127.0.0.1'), 'listening');
  databaseUrl = `postgres://${username}:${password}@127.0.0.1:${(relay.address() as AddressInfo).port}${pathname}`;
});
afterEach(async () => {
  // The whole group, for what was started stands between.
  if (child.exitCode === null && child.signalCode === null) {
    const gone = once(child, 'exit');
    process.kill(-child.pid!, 'SIGTERM');
    await gone;
  }
  relay.close();
  await database.drop();
  await rm(place, { recursive: true, force: true });
});

/** Starts a command and gathers its lines, until one is the last that is waited for. */
async function linesUntil(last: RegExp, command: string[], env: Record<string, string> = {}): Promise<string[]> {
  const [program = '', ...args] = command;
  const settings = {
    AGORA_DATA_DIR: place,
    DATABASE_URL: databaseUrl,
    PORT: '0',
    NO_COLOR: '1',
    DEMO_AGENT: 'off',
    ...judged,
    ...env,
  };
  child = spawn(program, args, {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout! })) {
    lines.push(line.trimEnd());
    if (last.test(line)) return lines;
  }
  throw new Error(`The start ended with: ${lines.join('\n')}`);
}

const addressIn = (lines: string[]) => lines.map((line) => /^agora ready on (\S+)$/.exec(line)?.[1]).find(Boolean)!;

/** A user namespace of its own that maps one user and allows no further ones. */
const closed = `echo 0 > /proc/sys/user/max_user_namespaces
exec setpriv --inh-caps=-all --ambient-caps=-all "$@"`;

describe('a machine on which no sandbox can be started says why and what cures it, once and in /ready', () => {
  test.each([
    {
      where: 'where root has one user id',
      enter: ['--map-root-user'],
      says: /runs as root where only one user id is mapped.*Cure: .*ordinary user.*install -y uidmap.*\/etc\/subuid/,
    },
    {
      where: 'where there may be no user namespaces',
      enter: ['--map-user=1000', '--map-group=1000', '--keep-caps', 'sh', '-c', closed, 'sh'],
      says: /allows no user namespaces.*Cure: sysctl .*max_user_namespaces.*docs\/sandbox\.md/,
    },
  ])('$where', async ({ enter, says }) => {
    const lines = await linesUntil(/"level":40.*Sandboxes/, ['unshare', '--user', ...enter, ...serve]);
    const warning: string = JSON.parse(lines.at(-1)!).msg;
    expect(warning).toMatch(/^Sandboxes \(bwrap\) cannot be started: /);
    expect(warning).toMatch(says);
    const { sandbox } = await new Agora({ baseUrl: addressIn(lines) }).system.ready();
    expect(sandbox).toMatchObject({ driver: 'bwrap', available: false });
    expect(warning.endsWith(sandbox.detail)).toBe(true);
  });
});

test('where no control group can be made, the warning and /ready name the limits, the reason and the cure', async () => {
  const asOneself = process.getuid?.() === 0 ? [] : ['--user', '--map-current-user', '--keep-caps'];
  const cover = 'mount -t tmpfs -o ro none /sys/fs/cgroup && exec "$@"';
  const enter = ['unshare', ...asOneself, '--mount', 'sh', '-c', cover, 'sh'];
  const lines = await linesUntil(/"level":40.*Sandboxes/, [...enter, ...serve]);
  const warning: string = JSON.parse(lines.at(-1)!).msg;
  expect(warning).toMatch(
    /^Sandboxes \(bwrap\) run: limits degraded: no control group for memory, processes, CPU \(E[A-Z]+: [a-z -]+\)\. Cure: /,
  );
  // It runs as root already.
  if (asOneself.length === 0) expect(warning).toContain('Cure: give the server a writable /sys/fs/cgroup');
  const { sandbox } = await new Agora({ baseUrl: addressIn(lines) }).system.ready();
  expect(sandbox).toMatchObject({ driver: 'bwrap', available: true });
  expect(warning.endsWith(sandbox.detail)).toBe(true);
});

test('on a terminal the log is lines for people, and the start ends with where everything is', async () => {
  const command = serve.map((word) => `'${word}'`).join(' ');
  const lines = await linesUntil(/^ {2}stop/, ['script', '-qec', command, '/dev/null']);
  expect(lines.filter((line) => /^\s*\{/.test(line))).toEqual([]);
  expect(lines.join('\n')).toMatch(/^\[\d\d:\d\d:\d\d\] INFO: Server listening/m);
  const url = addressIn(lines);
  expect(lines.slice(-6)).toEqual([
    `agora ready on ${url}`,
    `  API       ${url}/docs`,
    `  data      ${place} and the database of DATABASE_URL`,
    expect.stringMatching(/^ {2}sandboxes bwrap, (limits enforced, Node v\d+|see the warning above)/),
    '  judge     a-model',
    '  stop      Ctrl-C',
  ]);
});

test('away from a terminal the log is JSON, one line tells programs the address, and a crash is a crash', async () => {
  const lines = await linesUntil(/^agora ready/, serve);
  expect(addressIn(lines)).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  for (const line of lines.slice(0, -1)) expect(JSON.parse(line)).toHaveProperty('msg');
  const ended = once(child, 'exit');
  child.kill('SIGSEGV');
  expect(await ended).toEqual([null, 'SIGSEGV']);
});

test('a start that fails late says so in one line, and the process ends', async () => {
  const bucket = {
    S3_BUCKET: 'none',
    S3_ENDPOINT: 'http://127.0.0.1:9',
    S3_ACCESS_KEY_ID: 'x',
    S3_SECRET_ACCESS_KEY: 'x',
  };
  const own = { AGORA_DATA_DIR: place, DATABASE_URL: databaseUrl, PORT: '0', NODE_NO_WARNINGS: '1' };
  const env = { ...process.env, ...judged, ...bucket, ...own };
  child = spawn(serve[0]!, serve.slice(1), { env, stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  let said = '';
  child.stderr!.on('data', (bytes) => {
    said += bytes;
  });
  expect(await once(child, 'close')).toEqual([1, null]);
  expect(said).toMatch(
    /^agora: The bucket "none" at \S+ cannot be used \(.*\)\. Check S3_ENDPOINT, and that the store runs there\.\n$/,
  );
});

test('Ctrl-C after some use ends it in order, with nothing to warn of', async () => {
  const env = { ...process.env, ...judged, AGORA_DATA_DIR: place, DATABASE_URL: '', PORT: '0', DEMO_AGENT: 'off' };
  child = spawn(serve[0]!, serve.slice(1), { env, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
  let printed = '';
  child.stdout!.on('data', (bytes) => {
    printed += bytes;
  });
  await expect.poll(() => printed).toContain('agora ready');
  const { system } = new Agora({ baseUrl: addressIn(printed.split('\n')) });
  // Many at once, so that many connections are open.
  await Promise.all(Array.from({ length: 30 }, () => system.ready()));
  const ended = once(child, 'exit');
  child.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
  expect(printed.split('\n').filter((line) => /"level":[4-6]0/.test(line) && !line.includes('Sandboxes'))).toEqual([]);
});
