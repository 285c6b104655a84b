import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { serverForFile } from '../api/scene.ts';
import { askRedis, startRedisCluster, startSentinels } from '../support/redis.ts';
import { twoServers } from './limits-scene.ts';

/** Rate limits in a Redis that fails over: nobody is refused meanwhile, and all count together again soon after. */

const server = serverForFile();
const { start, close, ask, shared } = twoServers(server, 100_000);
afterEach(close);

/** From the moment at which there is a new primary. */
const sharedWithinMs = 5_000;

/** Asks both servers all the time; gives the refusals in the end. */
function load() {
  const refused: number[] = [];
  let isOver = false;
  const asking = (async () => {
    for (let nth = 0; !isOver; nth++) {
      const { status } = await ask(nth);
      if (status !== 200) refused.push(status);
    }
  })();
  return async () => {
    isOver = true;
    await asking;
    return refused;
  };
}

describe('sentinels', () => {
  const sentinelScene = async () => {
    const group = await startSentinels();
    onTestFinished(group.close);
    await expect.poll(group.isReady).toBe(true);
    await start(group.url);
    await shared();
    return group;
  };

  test.each(['is killed', 'hangs'])('lead to the new primary when the old one %s', async (how) => {
    const { servers, primary } = await sentinelScene();
    const [first, replica] = servers as [(typeof servers)[0], (typeof servers)[0]];
    const refusals = load();
    if (how === 'hangs') first.signal('SIGSTOP');
    else await first.kill();
    await expect.poll(primary, { interval: 50 }).toBe(replica.port);
    expect(await refusals()).toEqual([]);
    await shared({ timeout: sharedWithinMs });
    expect(askRedis(replica.port, 'dbsize')).not.toBe('0');
  });
});

test('a cluster goes on with the replica of a primary that is killed', async () => {
  const { url, servers, isReady, close } = await startRedisCluster();
  onTestFinished(close);
  await expect.poll(isReady).toBe(true);
  await start(url);
  await shared();
  const counts = ({ port }: (typeof servers)[0]) =>
    askRedis(port, 'info', 'replication').includes('role:master') && askRedis(port, 'dbsize') !== '0';
  const holder = servers.find(counts) as (typeof servers)[0];
  const others = servers.filter((each) => each !== holder);
  const refusals = load();
  await holder.kill();
  const primaries = () =>
    others.filter(({ port }) => askRedis(port, 'info', 'replication').includes('role:master')).length;
  await expect.poll(primaries, { interval: 50 }).toBe(3);
  expect(await refusals()).toEqual([]);
  await shared({ timeout: sharedWithinMs });
});
