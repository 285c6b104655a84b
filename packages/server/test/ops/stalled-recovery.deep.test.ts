import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import pg from 'pg';
import { expect, test } from 'vitest';
import { startEmbeddedPostgres } from '../../src/platform/postgres/index.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';

/**
 * Lets PostgreSQL hear of the end of its startup process and of the beginning of recovery at once, as happens by chance where
 * recovery fails within a millisecond: the postmaster stands still from the moment when the startup process is there until
 * that one is over.
 */
const hearLate = `
const { readFileSync } = require('node:fs');
const { parentPort, workerData: pid } = require('node:worker_threads');
const read = (path) => { try { return readFileSync(path, 'utf8'); } catch { return ''; } };
const startup = () => read('/proc/' + pid + '/task/' + pid + '/children').trim().split(' ')
  .find((child) => read('/proc/' + child + '/cmdline').startsWith('postgres: startup'));
let child;
while (child === undefined && read('/proc/' + pid + '/cmdline') !== '') child = startup();
if (child !== undefined) {
  process.kill(pid, 'SIGSTOP');
  while (!/^State:\\s+Z/m.test(read('/proc/' + child + '/status'))) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
  process.kill(pid, 'SIGCONT');
}
parentPort.postMessage(child);
`;

const answers = async (connectionString: string): Promise<boolean> => {
  const client = new pg.Client({ connectionString });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => {});
  }
};

type EmbeddedPostgres = Awaited<ReturnType<typeof startEmbeddedPostgres>>;

/** Uses up the disk until PostgreSQL crashes for want of room, gives it free once that was heard late, and waits until it serves. */
async function crash(disk: SmallDisk, { url }: EmbeddedPostgres): Promise<void> {
  const cluster = join(disk.path, 'data/cluster');
  const ballast = join(cluster, 'ballast');
  await expect.poll(() => existsSync(ballast), { timeout: 60_000 }).toBe(true);
  const pid = Number(readFileSync(join(cluster, 'data/postmaster.pid'), 'utf8').split('\n')[0]);
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  const late = new Worker(hearLate, { eval: true, workerData: pid });
  const heard = new Promise((resolve) => late.once('message', resolve));
  rmSync(ballast);
  // Until there is no room for another segment of its log, which no PostgreSQL outlives.
  for (let isAlive = true; isAlive; ) {
    disk.fill();
    const written = client.query("select pg_logical_emit_message(true, 'x', 'x')");
    isAlive = await written
      .then(() => client.query('select pg_switch_wal()'))
      .then(
        () => true,
        () => false,
      );
  }
  await heard;
  disk.free();
  await expect.poll(() => answers(url), { timeout: 120_000 }).toBe(true);
}

test('PostgreSQL that does not notice that its recovery failed is ended, and serves again once there is room', async () => {
  const disk = await mountSmallDisk(300);
  const said: string[] = [];
  const say = (message: string) => said.push(message);
  const isEnded = () => said.some((message) => message.includes('has not noticed that its recovery failed'));
  let postgres: EmbeddedPostgres | undefined;
  try {
    postgres = await startEmbeddedPostgres({
      dataDir: join(disk.path, 'data'),
      log: { info: say, warn: say, error: say },
    });
    // On a busy machine the startup process may be over before it is seen.
    for (let tries = 0; tries < 20 && !isEnded(); tries++) await crash(disk, postgres);
    expect(isEnded()).toBe(true);
  } finally {
    await postgres?.stop();
    await disk.remove();
  }
}, 600_000);
