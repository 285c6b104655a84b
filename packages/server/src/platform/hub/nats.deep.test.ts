import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { atOnce, hubConformance, sharedHubConformance, wakes } from '../../../test/support/hub-conformance.ts';
import { deafLogin, type NatsCluster, natsLogin, startNats } from '../../../test/support/nats.ts';
import { createLog } from '../log.ts';
import { natsWire } from './nats-wire.ts';
import { createSharedHub, type SharedHub } from './shared-hub.ts';

let cluster: NatsCluster;
beforeAll(async () => {
  cluster = await startNats();
});
afterAll(() => cluster.close());

let subjects = 0;

/** Three processes, each at a server of its own. */
async function processes() {
  const subject = `test.${++subjects}`;
  const at = (nth: number) => cluster.url.replace(/@.*/, `@127.0.0.1:${cluster.servers[nth]?.port}`);
  const join = async (url = cluster.url) => createSharedHub(natsWire(url, subject), createLog('silent'), atOnce);
  const hubs = await Promise.all([0, 1, 2].map((nth) => join(at(nth))));
  await knowEachOther(hubs);
  return {
    ...{ hubs, join: () => join() },
    async cut() {
      await Promise.all(cluster.servers.map((server) => server.kill()));
      await Promise.all(cluster.servers.map((server) => server.start()));
    },
    close: async () => void (await Promise.all(hubs.map((hub) => hub.close()))),
  };
}

const knowEachOther = (hubs: SharedHub[]) =>
  expect.poll(() => hubs.map((hub) => hub.peers())).toEqual(hubs.map(() => hubs.length - 1));

describe('through NATS', () => {
  hubConformance(processes);
  sharedHubConformance(processes);
});

test.each(['is killed', 'hangs'])('who was at a server that %s goes on at another', async (how) => {
  const [first] = cluster.servers as [NatsCluster['servers'][0]];
  const subject = `test.${++subjects}`;
  const hubs = Array.from({ length: 4 }, () =>
    createSharedHub(natsWire(cluster.url, subject), createLog('silent'), atOnce),
  );
  onTestFinished(async () => {
    first.signal('SIGCONT');
    await Promise.all(hubs.map((hub) => hub.close()));
    await first.kill();
    await first.start();
  });
  await knowEachOther(hubs);
  if (how === 'hangs') first.signal('SIGSTOP');
  else await first.kill();
  for (const [from, hub] of hubs.entries()) {
    const heard = hubs.map((each) => wakes(each, `task:${from}`));
    const reached = () => {
      hub.notify([`task:${from}`]);
      return heard.every((each) => each.mock.calls.length > 0);
    };
    await expect.poll(reached, { interval: 200 }).toBe(true);
  }
});

test('while no server can be reached, everybody looks every few seconds, and the log tells no password', async () => {
  const said: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void said.push(line) });
  const wrong = cluster.url.replace(natsLogin.user, 'nobody');
  const deaf = cluster.url.replace(/\/\/.*@/, `//${deafLogin.user}:${deafLogin.password}@`);
  for (const url of [wrong, deaf, `nats://${natsLogin.user}:${natsLogin.password.replace('%', '%25')}@127.0.0.1:9`]) {
    said.length = 0;
    const hub = createSharedHub(natsWire(url, 'test'), log, atOnce);
    const heard = wakes(hub, 'task:1');
    await expect.poll(() => heard.mock.calls.length).toBeGreaterThan(1);
    await hub.close();
    expect(said.join()).toMatch(/cannot be heard/);
    expect(said.join()).not.toMatch(/secret/);
  }
});
