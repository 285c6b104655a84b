import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLog, readConfig } from '../../src/platform/index.ts';
import { openDatabase } from '../../src/serve.ts';
import { createInstallation, type Installation, type Reply, type RequestOptions } from '../chaos/server-process.ts';
import { mountSmallDisk, type SmallDisk } from './small-disk.ts';

/** The real program with its own PostgreSQL on a disk that another program fills. */

const program = fileURLToPath(new URL('../../../cli/dist/main.js', import.meta.url));

describe('on a full disk', () => {
  let disk: SmallDisk;
  let agora: Installation;
  const post = (path: string, options: RequestOptions = {}) => agora.request('POST', path, { body: {}, ...options });

  /** Repeats a request until its reply is as wanted; what PostgreSQL's restart cuts off counts as no reply. */
  async function until(wanted: string, work: () => Promise<Reply>): Promise<Reply> {
    let last = 'nothing';
    for (let tries = 0; tries < 2400; tries++) {
      const reply = await work().catch((error: Error) => ({ status: 0, body: { error: { code: error.message } } }));
      last = `${reply.status} ${reply.body?.error?.code ?? ''}`.trim();
      if (last === wanted) return reply;
      await sleep(100);
    }
    throw new Error(`waited for ${wanted}; the last reply was ${last}\n${agora.log()}`);
  }

  async function signUp(name: string): Promise<string> {
    const email = `${name}@example.com`;
    return (await post('/auth/sign-up', { body: { name, email, password: 'correct horse' } })).body.token;
  }

  let databaseUrl = '';
  let buyer = '';
  let key = '';
  let agentId = '';
  const submit = () =>
    post('/tasks', {
      token: buyer,
      body: { taskType: 'general', maxBudget: 100, input: { description: 'Write a haiku about disks' }, agentId },
    });
  const ready = () => agora.request('GET', '/ready');
  /** A key makes one top-up of all tries: what PostgreSQL's end cuts off may have been booked. */
  const topUp = (idempotencyKey: string) =>
    post('/vault/pool/top-up', { token: buyer, body: { amount: 500 }, idempotencyKey });
  /** With what is held for tasks that were taken before the shortage was seen. */
  const credits = async () => {
    const { balance, held } = (await agora.request('GET', '/vault/pool', { token: buyer })).body;
    return balance + held;
  };

  beforeAll(async () => {
    disk = await mountSmallDisk(400);
    agora = await createInstallation({
      AGORA_DATA_DIR: join(disk.path, 'data'),
      STORAGE_FLOOR_BYTES: String(64 * 1024 ** 2),
      LOG_LEVEL: 'error',
    });
    await agora.start();
    buyer = await signUp('buyer');
    const seller = await signUp('seller');
    await post('/vault/payment-methods', { token: buyer, body: { paymentMethodId: 'pm_card_visa' } });
    expect((await topUp('first')).status).toBe(200);
    const capabilities = [{ category: 'general', tags: [] }];
    const registered = await post('/agents', {
      token: seller,
      body: { displayName: 'Agent', framework: 'custom', capabilities },
    });
    key = registered.body.apiKey;
    agentId = registered.body.agent.id;
  });
  afterAll(async () => {
    await agora?.remove();
    await disk?.remove();
  });

  test('new data is refused with the reason, what ends tasks and moves money goes on, and it recovers by itself', async () => {
    const { id } = (await submit()).body;
    expect((await post(`/tasks/${id}/executing`, { key, body: { sandboxId: 'mine' } })).status).toBe(200);
    expect((await ready()).status).toBe(200);
    // Not to the last byte yet: PostgreSQL has room, and we keep off it.
    disk.fill(24 * 1024 ** 2);
    const refused = await until('503 STORAGE_FULL', submit);
    expect(refused.body.error.message).toMatch(
      /The server's disk has \d+ MiB left\. New data is accepted above 64 MiB/,
    );
    expect((await ready()).body.error).toMatchObject({ code: 'STORAGE_FULL' });
    const output = { result: 'The platter is full,\nno bit finds a place to rest;\nthe ledger goes on.' };
    const done = await post(`/tasks/${id}/complete`, { key, body: { output } });
    expect(done.body).toMatchObject({ status: 'completed', creditsCharged: 100 });
    expect((await topUp('under-the-floor')).status).toBe(200);
    const down = await post(`/tasks/${id}/feedback`, { token: buyer, body: { direction: 'down' } });
    expect(down.body).toMatchObject({ refunded: true });
    expect(await credits()).toBe(1000);
    disk.free();
    await until('201', submit);
    expect((await ready()).status).toBe(200);
  });

  test('PostgreSQL that ends for want of room gets that of the ballast, and else starts again once there is some', async () => {
    const cluster = join(disk.path, 'data/postgres/cluster');
    const ballast = join(cluster, 'ballast');
    for (let tries = 0; !existsSync(ballast) && tries < 600; tries++) await sleep(100);
    const before = await credits();
    const database = await openDatabase(readConfig({ AGORA_DATA_DIR: join(disk.path, 'data') }), createLog('silent'));
    databaseUrl = database.url;
    await database.stop();
    disk.fill();
    for (let tries = 0; existsSync(ballast) && tries < 200; tries++) await writeLog();
    expect(existsSync(ballast)).toBe(false);
    await until('200', () => topUp('from-the-ballast'));
    expect(await credits()).toBe(before + 500);
    // Now the room of the ballast is used up as well.
    disk.fill();
    for (let tries = 0; (await writeLog()) && tries < 200; tries++) disk.fill();
    await until('503 STORAGE_FULL', () => topUp('recovered'));
    expect((await ready()).body.error.code).toBe('STORAGE_FULL');
    expect((await agora.request('GET', '/health')).status).toBe(200);
    disk.free();
    await until('200', () => topUp('recovered'));
    await until('201', submit);
    expect((await ready()).status).toBe(200);
    expect(await credits()).toBe(before + 1000);
    const { code, text } = await agora.command('verify-ledger');
    expect(`${code} ${text}`).toMatch(/^0 /);
  }, 600_000);

  /** Has PostgreSQL begin a new segment of its log; false if there is no room for it, so that PostgreSQL ends. */
  async function writeLog(): Promise<boolean> {
    const client = new pg.Client({ connectionString: databaseUrl });
    client.on('error', () => {});
    try {
      await client.connect();
      await client.query("select pg_logical_emit_message(true, 'x', 'x')");
      await client.query('select pg_switch_wal()');
      return true;
    } catch {
      await sleep(50);
      return false;
    } finally {
      await client.end().catch(() => {});
    }
  }
});

test('a start on a full disk says so in one line, and where', async () => {
  const disk = await mountSmallDisk(32);
  try {
    const dataDir = join(disk.path, 'data');
    const env = { PATH: process.env.PATH, AGORA_DATA_DIR: dataDir, PORT: '0', LOG_LEVEL: 'error', DEMO_AGENT: 'off' };
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, 'serve'], {
      ...{ env, encoding: 'utf8', timeout: 60_000 },
    });
    expect(stdout).toBe('');
    expect(stderr).toMatch(
      new RegExp(`^agora: The disk of AGORA_DATA_DIR \\(${dataDir}\\) is full: \\d+ MiB are left. Make room .*\n$`),
    );
    expect(status).toBe(1);
  } finally {
    await disk.remove();
  }
});
