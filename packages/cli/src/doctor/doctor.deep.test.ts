import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { serverForFile } from '../../../server/test/api/scene.ts';
import { startNats } from '../../../server/test/support/nats.ts';
import { startRedis } from '../../../server/test/support/redis.ts';
import { startSmtp } from '../../../server/test/support/smtp.ts';
import { agora } from '../../test/command.ts';
import { resultOf } from './index.ts';
import { checkClock, checkNode } from './machine.ts';

/** The real command beside real services; only Stripe and the judge are played. */

const server = serverForFile();
const home = mkdtempSync(join(tmpdir(), 'agora-doctor-'));
const played = createServer(answer);
let url: string;

/** Models that are asked for a verdict: one gives it, one talks. */
const said: Record<string, string> = { small: '{"reasons":"The sum is right.","score":90}', talker: 'Fine work!' };

async function answer(request: IncomingMessage, reply: ServerResponse): Promise<void> {
  const { url: path, headers } = request;
  const json = (status: number, body: unknown, more = {}) =>
    reply.writeHead(status, { 'content-type': 'application/json', ...more }).end(JSON.stringify(body));
  if (headers.authorization === 'Bearer wrong' || headers.authorization === 'Bearer sk_wrong') json(401, {});
  else if (path === '/late/models')
    json(200, { data: [{ id: 'm' }] }, { date: new Date(Date.now() - 3_600_000).toUTCString() });
  else if (path === '/v1/models') json(200, { data: [{ id: 'small' }, { id: 'talker' }] });
  else if (path?.endsWith('/chat/completions')) {
    const content = said[JSON.parse(await text(request)).model];
    if (content === undefined) json(404, {});
    else json(200, { choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }] });
  } else if (path === '/v1/balance') json(200, { livemode: headers.authorization === 'Bearer sk_live_x' });
  else json(404, {});
}

beforeAll(async () => {
  await once(played.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(played.address() as AddressInfo).port}`;
});
afterAll(() => {
  played.close();
  rmSync(home, { recursive: true });
});

interface Told {
  name: string;
  state: 'ok' | 'warn' | 'fail';
  detail: string;
  cure: string | null;
}

/** What the doctor says of some of the checks, and its exit code. */
async function doctor(
  env: Record<string, string | undefined>,
): Promise<{ exitCode: number | null; of: (name: string) => Told }> {
  const base = { AGORA_DATA_DIR: join(home, 'data'), PORT: '0', DATABASE_URL: server.databaseUrl };
  const { exitCode, stdout, stderr } = await agora(['doctor', '--json'], { env: { ...base, ...env } });
  expect(stderr).toBe('');
  const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: Told[] };
  expect(ok).toBe(exitCode === 0);
  expect(checks.every(({ state, cure }) => (state === 'ok') === (cure === null))).toBe(true);
  return { exitCode, of: (name) => checks.find((each) => each.name === name) as Told };
}

test('all is well with a database, a judge and payments that work, and nothing is changed', async () => {
  const { exitCode, of } = await doctor({
    JUDGE_BASE_URL: `${url}/v1`,
    JUDGE_MODEL: 'small',
    STRIPE_SECRET_KEY: 'sk_test_x',
    STRIPE_WEBHOOK_SECRET: 'whsec_x',
    STRIPE_API_BASE: url,
  });
  expect(exitCode).toBe(0);
  expect(of('database')).toMatchObject({ state: 'ok', detail: expect.stringMatching(/^PostgreSQL \d+.*, "/) });
  expect(of('judge').detail).toMatch(/^small at 127.0.0.1:\d+ gives verdicts$/);
  expect(of('mail')).toMatchObject({ state: 'ok', detail: expect.stringContaining('sent to nobody') });
  expect(of('payments')).toMatchObject({ state: 'ok', detail: 'Stripe in test mode' });
  expect(of('sandbox')).toMatchObject({ state: expect.stringMatching(/ok|warn/) });
  expect(of('clock')).toMatchObject({ state: 'ok', detail: expect.stringMatching(/ of | behind /) });
  expect(existsSync(join(home, 'data'))).toBe(false);
  expect(readdirSync(home)).toEqual([]);
});

test('without a database of its own it looks at the embedded one and makes no data', async () => {
  const { of } = await doctor({ DATABASE_URL: undefined });
  expect(of('database').detail).toMatch(/^embedded PostgreSQL \d+; its data will be made$/);
  expect(readdirSync(home)).toEqual([]);
});

test('data of the embedded PostgreSQL is told from none, and that of another version fails', async () => {
  const dataDir = join(home, 'made');
  const at = join(dataDir, 'postgres', 'cluster', 'data');
  mkdirSync(at, { recursive: true });
  const databaseMadeBy = async (major: number) => {
    writeFileSync(join(at, 'PG_VERSION'), `${major}\n`);
    return (await doctor({ DATABASE_URL: undefined, AGORA_DATA_DIR: dataDir })).of('database');
  };
  expect(await databaseMadeBy(18)).toMatchObject({ state: 'ok', detail: 'embedded PostgreSQL 18' });
  expect(await databaseMadeBy(12)).toMatchObject({
    state: 'fail',
    detail: 'the data is of PostgreSQL 12, and the embedded one is 18',
  });
  rmSync(dataDir, { recursive: true });
});

test('a database that is not there or refuses fails with its place and without its password', async () => {
  const { exitCode, of } = await doctor({ DATABASE_URL: 'postgres://ada:hunter2@127.0.0.1:9/agora' });
  expect(exitCode).toBe(1);
  expect(of('database')).toMatchObject({ state: 'fail', detail: expect.stringContaining('127.0.0.1:9') });
  expect(JSON.stringify(of('database'))).not.toContain('hunter2');
});

test('a judge that is gone, refuses the key, lacks the model or gives no verdict fails; one may hide its models', async () => {
  const judge = async (JUDGE_BASE_URL: string, JUDGE_MODEL = 'small', JUDGE_API_KEY?: string) =>
    (await doctor({ JUDGE_BASE_URL, JUDGE_MODEL, JUDGE_API_KEY })).of('judge');
  expect(await judge('http://127.0.0.1:9/v1')).toMatchObject({
    state: 'fail',
    detail: expect.stringContaining('127.0.0.1:9'),
  });
  expect(await judge(`${url}/v1`, 'small', 'wrong')).toMatchObject({ state: 'fail', cure: 'Correct JUDGE_API_KEY.' });
  expect(await judge(`${url}/v1`, 'huge')).toMatchObject({
    state: 'fail',
    cure: expect.stringContaining('small, talker'),
  });
  expect(await judge(`${url}/v1`, 'talker')).toMatchObject({
    state: 'fail',
    detail: expect.stringContaining('its answer is no verdict'),
  });
  expect(await judge(`${url}/elsewhere`)).toMatchObject({ state: 'ok' });
});

test('payments say their mode, and where that does not fit the environment', async () => {
  const payments = async (key: string | undefined, AGORA_ENV: string) =>
    (await doctor({ STRIPE_SECRET_KEY: key, STRIPE_API_BASE: url, STRIPE_WEBHOOK_SECRET: 'whsec_x', AGORA_ENV })).of(
      'payments',
    );
  expect(await payments('sk_live_x', 'production')).toMatchObject({ state: 'ok', detail: 'Stripe in live mode' });
  expect(await payments('sk_live_x', 'development')).toMatchObject({ state: 'warn' });
  expect(await payments('sk_test_x', 'production')).toMatchObject({ state: 'warn' });
  expect(await payments('sk_wrong', 'production')).toMatchObject({ state: 'fail' });
  expect(await payments(undefined, 'production')).toMatchObject({ state: 'warn', cure: 'Set STRIPE_SECRET_KEY.' });
  expect(await payments(undefined, 'development')).toMatchObject({ state: 'ok' });
});

test('tells who has the port: an Agora server, or which process', async () => {
  const port = (address: string) => String(new URL(address).port);
  expect((await doctor({ PORT: port(server.url) })).of('port')).toMatchObject({
    state: 'ok',
    detail: expect.stringContaining('served by an Agora server'),
  });
  const { exitCode, of } = await doctor({ PORT: port(url) });
  expect(exitCode).toBe(1);
  expect(of('port').detail).toMatch(new RegExp(`is taken by .*process ${process.pid}$`));
});

test('a Redis that answers is named, one that is gone is looked at', async () => {
  const redis = await startRedis();
  onTestFinished(redis.close);
  expect((await doctor({ REDIS_URL: redis.url })).of('redis')).toMatchObject({
    state: 'ok',
    detail: expect.stringMatching(/^\d+\.\d+\S* at 127\.0\.0\.1:\d+$/),
  });
  await redis.kill();
  expect((await doctor({ REDIS_URL: redis.url })).of('redis')).toMatchObject({ state: 'warn' });
});

test('a data directory that cannot be, and settings that cannot be used, fail', async () => {
  expect((await doctor({ AGORA_DATA_DIR: '/proc/agora' })).of('data')).toMatchObject({ state: 'fail' });
  expect((await doctor({ STORAGE_FLOOR_BYTES: '900000000000000' })).of('data')).toMatchObject({ state: 'fail' });
  const { exitCode, of } = await doctor({ PORT: 'eighty' });
  expect(exitCode).toBe(1);
  expect(of('settings')).toMatchObject({ state: 'fail', detail: expect.stringContaining('PORT') });
});

test('a clock that differs from that of others is told', async () => {
  const { exitCode, of } = await doctor({ JUDGE_BASE_URL: `${url}/late`, JUDGE_MODEL: 'm' });
  expect(exitCode).toBe(1);
  expect(of('clock').detail).toMatch(/^3(599|600)\.\d s ahead of the judge$/);
  const state = async (aheadMs: number) => (await checkClock([{ of: 'x', aheadMs }]).run()).state;
  expect([await state(1_000), await state(-6_000), await state(61_000)]).toEqual(['ok', 'warn', 'fail']);
});

test('a Node that is too old fails', async () => {
  const state = async (version: string) => (await checkNode(version).run()).state;
  expect([await state('22.12.0'), await state('24.0.1'), await state('22.11.9'), await state('20.20.2')]).toEqual([
    ...['ok', 'ok', 'fail', 'fail'],
  ]);
});

test('a mail server is connected to and gets no mail; one that is gone fails', async () => {
  const smtp = await startSmtp();
  const mail = async () => (await doctor({ SMTP_URL: smtp.url, MAIL_FROM: 'Agora <agora@example.com>' })).of('mail');
  expect(await mail()).toMatchObject({ state: 'ok', detail: expect.stringContaining('takes our connection') });
  expect(smtp.received).toEqual([]);
  await smtp.close();
  expect(await mail()).toMatchObject({ state: 'fail', cure: 'Correct SMTP_URL.' });
  const { of } = await doctor({ AGORA_ENV: 'production' });
  expect(of('mail')).toMatchObject({ state: 'warn', cure: 'Set SMTP_URL and MAIL_FROM.' });
});

test('a check that hangs fails when its time is over', async () => {
  expect(await resultOf(() => new Promise(() => {}), 1)).toMatchObject({ state: 'fail', detail: 'came to no end' });
});

test('prints a line for each check, and at the end one list of what to do', async () => {
  const { stdout } = await agora(['doctor'], { env: { DATABASE_URL: server.databaseUrl, PORT: '0' } });
  expect(stdout).toMatch(/^ok {4}node {8}\d+/m);
  expect(stdout).toMatch(/^warn {2}judge {7}none/m);
  expect(stdout).toMatch(/\n\nTo do:\n( {2}tools .*\n)? {2}judge {7}Set JUDGE_BASE_URL.*\n$/);
});

test('a NATS that answers is named, one that is gone is looked at', async () => {
  const nats = await startNats(1);
  try {
    expect((await doctor({ NATS_URL: nats.url })).of('nats')).toMatchObject({
      state: 'ok',
      detail: expect.stringMatching(/^\d+\.\d+\.\d+ at 127\.0\.0\.1:\d+$/),
    });
    await nats.servers[0]?.kill();
    expect((await doctor({ NATS_URL: nats.url })).of('nats')).toMatchObject({ state: 'warn' });
  } finally {
    await nats.close();
  }
});
