import { setTimeout as sleep } from 'node:timers/promises';
import { rateLimits } from '@agora-market/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createInstallation } from '../chaos/server-process.ts';
import { chance } from '../simulation/chance.ts';
import { bucketSettings, type FragileBucket, startFragileBucket } from '../support/bucket.ts';
import { makeNextRelease, type NextRelease } from '../support/next-release.ts';
import type { Program } from '../support/program.ts';
import { audit, type Differences, type Message } from './audit.ts';
import { type Engines, startEngines } from './engines.ts';
import { type Cluster, faults } from './faults.ts';
import { createNetwork, type Host, type Network } from './network.ts';
import { failed, head, rowOf, type Window } from './table.ts';
import { startTraffic } from './traffic.ts';

/**
 * Three servers behind HAProxy, PostgreSQL with Patroni and a synchronous standby, Redis with sentinels, and a bucket, each
 * on a host of its own: every fault once, in an order that the seed makes, under traffic that keeps books of its own.
 */

const seed = Number(process.env.TRIAL_SEED ?? 1);
const only = new RegExp(process.env.TRIAL_FAULTS ?? '.');
const perSecond = Number(process.env.TRIAL_RATE ?? 2);

const serverPort = 4_000;
const hookPort = 4_100;
/** Writes each message it gets to its output. Servers may send them to their own host alone. */
const receiver = `require('http').createServer(async (request, response) => {
  let body = '';
  for await (const part of request) body += part;
  response.end();
  const { type, data } = JSON.parse(body);
  console.log(JSON.stringify({ id: request.headers['webhook-id'], type, taskId: data.id }));
}).listen(${hookPort}, '127.0.0.1', () => console.log('listening'))`;

let network: Network;
let bucket: FragileBucket;
let engines: Engines;
let next: NextRelease;
let cluster: Cluster;
let receivers: Program[];

beforeAll(async () => {
  network = createNetwork();
  const hosts = ['server1', 'server2', 'server3'].map((name) => network.host(name));
  bucket = await startFragileBucket(network.address);
  engines = await startEngines(network, hosts, serverPort);
  receivers = await Promise.all(hosts.map(listenOn));
  const servers = await Promise.all(hosts.map((host) => createInstallation(settingsOf(host), host.enter)));
  next = makeNextRelease({ next: 'alter table tasks add column of_next text;' });
  cluster = { servers, hosts, engines, bucket, nextRelease: next.program };
  for (const server of servers) await server.start();
});
afterAll(async () => {
  // First, for a suspended server hears no other signal.
  network?.remove();
  await Promise.all((cluster?.servers ?? []).map((server) => server.remove()));
  engines?.remove();
  next?.remove();
  await bucket?.close();
});

const settingsOf = ({ address }: Host) => ({
  // So high that nobody is refused, but counted.
  ...Object.fromEntries(Object.values(rateLimits).map(({ setting }) => [setting, '1000000'])),
  ...{ HOST: address, PORT: String(serverPort), DATABASE_URL: engines.databaseUrl, REDIS_URL: engines.redisUrl },
  ...{ ...bucketSettings, S3_ENDPOINT: bucket.url },
  ...{ AGORA_ENCRYPTION_KEY: 'what all the servers of the trial have in common', TRUST_PROXY: 'true' },
  ...{ OUTBOUND_ALLOW_LOOPBACK: 'true', GATE_CPU_MINUTES: '0', SANDBOX_MAX_LIVE: '100' },
});

const listenOn = (host: Host) =>
  host.start({ command: process.execPath, args: ['-e', receiver], ready: (line) => line === 'listening' });

/** Messages that have arrived at any host, by their ids. */
const arrived = () =>
  new Map(
    receivers
      .flatMap(({ lines }) => lines.slice(1))
      .map((line): [string, Message] => {
        const { id, ...message } = JSON.parse(line);
        return [id, message];
      }),
  );

test('every fault under traffic: nothing is lost or doubled, and the SDK gives up nothing', {
  timeout: 3_600_000,
}, async () => {
  const random = chance(seed);
  // An upgrade has no way back, so it is the last.
  const order = [...random.shuffled(faults.slice(0, -1)), ...faults.slice(-1)];
  const chosen = order.filter(({ name }) => only.test(name));
  expect(chosen, 'faults of that name').not.toEqual([]);
  const traffic = await startTraffic({ url: engines.url, hookUrl: `http://127.0.0.1:${hookPort}/` }, perSecond);
  const windows: Window[] = [];
  const during = async (name: string, failover: string | undefined, happen: () => Promise<void>) => {
    const from = Date.now();
    await happen();
    await sleep(10_000);
    windows.push({ name, failover, from, to: Date.now() });
    console.log(rowOf(traffic.books, windows.at(-1)!));
  };
  console.log(`Trial of a cluster, seed ${seed}\n${head}`);
  await during('none', undefined, () => sleep(5_000));
  for (const { name, failover, happen } of chosen) await during(name, failover, () => happen(cluster, random));
  await traffic.stop();
  console.log([head, ...windows.map((window) => rowOf(traffic.books, window))].join('\n'));
  const ended = traffic.books.journeys.filter(({ end }) => end).length;
  await expect.poll(() => arrived().size).toBeGreaterThanOrEqual(ended);
  const found = await audit(traffic, arrived(), engines.databaseUrl);
  const nothing: Differences = {
    ...{ lost: [], doubled: [], refused: [], unfinished: [], money: [], webhooks: [], artifacts: [], streams: [] },
    ledger: [],
  };
  expect(found).toEqual(nothing);
  // Reads and writes of callers that try once fail at most where an engine has to fail over. What was still open at the end of
  // a window may have met the next fault.
  for (const window of windows.filter(({ failover }) => failover === undefined)) {
    const tries = [...failed(traffic.books, 'read', window), ...failed(traffic.books, 'write', window)];
    expect({ [window.name]: tries.filter(({ at, ms }) => at + ms < window.to) }).toEqual({ [window.name]: [] });
  }
});
