import { setTimeout as sleep } from 'node:timers/promises';
import { startAtLast } from '../chaos/journey/kills.ts';
import type { Installation } from '../chaos/server-process.ts';
import type { Chance } from '../simulation/chance.ts';
import type { FragileBucket } from '../support/bucket.ts';
import { type Database, type Engines, primaryFirst, untilWhole } from './engines.ts';
import type { Host } from './network.ts';

/** What happens to a cluster under traffic, one after the other. */

export interface Cluster {
  servers: Installation[];
  hosts: Host[];
  engines: Engines;
  bucket: FragileBucket;
  nextRelease: string;
}

export interface Fault {
  name: string;
  /** Whose failover may cost a write of a caller that does not try again. */
  failover?: 'PostgreSQL' | 'balancer';
  /** Resolves when all is as before. */
  happen(cluster: Cluster, random: Chance): Promise<void>;
}

const seconds = (count: number) => sleep(count * 1_000);

async function withPrimary(
  { engines: { databases } }: Cluster,
  harm: (primary: Database, other: Database) => Promise<void>,
) {
  const [primary, other] = await primaryFirst(databases);
  await harm(primary as Database, other as Database);
  await untilWhole(databases);
}

async function untilPrimary(database: Database): Promise<void> {
  while (!(await database.isPrimary())) await sleep(250);
}

export const faults: readonly Fault[] = [
  {
    name: 'a server is killed',
    failover: 'balancer',
    async happen({ servers }, random) {
      const server = random.of(servers);
      await server.end('SIGKILL');
      await seconds(10);
      await startAtLast(server);
    },
  },
  {
    name: 'a server is suspended',
    failover: 'balancer',
    async happen({ servers }, random) {
      const pid = random.of(servers).pid();
      process.kill(pid, 'SIGSTOP');
      // Longer than it takes to be counted as dead.
      await seconds(40);
      process.kill(pid, 'SIGCONT');
    },
  },
  {
    name: 'a server loses its network',
    failover: 'balancer',
    async happen({ hosts }, random) {
      const host = random.of(hosts);
      host.cut();
      await seconds(30);
      host.join();
    },
  },
  {
    name: 'all servers are restarted',
    async happen({ servers }) {
      for (const server of servers) {
        await server.end('SIGTERM');
        await startAtLast(server);
      }
    },
  },
  {
    name: 'the primary is killed',
    failover: 'PostgreSQL',
    happen: (cluster) =>
      withPrimary(cluster, async (primary, other) => {
        await primary.kill();
        await untilPrimary(other);
        await seconds(5);
        await primary.start();
      }),
  },
  {
    name: 'the primary loses its network',
    failover: 'PostgreSQL',
    happen: (cluster) =>
      withPrimary(cluster, async ({ host }, other) => {
        host.cut();
        await untilPrimary(other);
        await seconds(5);
        host.join();
      }),
  },
  {
    name: 'the primary hands over',
    failover: 'PostgreSQL',
    happen: (cluster) => withPrimary(cluster, () => cluster.engines.switchOver()),
  },
  {
    name: 'a member of etcd is killed',
    async happen({ engines: { etcd } }, random) {
      const member = random.of(etcd);
      await member.kill();
      await seconds(15);
      await member.start();
    },
  },
  {
    name: 'the balancer is killed',
    failover: 'balancer',
    async happen({ engines: { balancer } }) {
      await balancer.kill();
      await seconds(3);
      await balancer.start();
    },
  },
  {
    name: 'the primary of Redis is killed',
    async happen({ engines }) {
      const primary = await engines.redisPrimary();
      await primary.kill();
      await seconds(12);
      await primary.start();
    },
  },
  {
    name: 'the primary of Redis hangs',
    async happen({ engines }) {
      const primary = await engines.redisPrimary();
      primary.signal('SIGSTOP');
      await seconds(12);
      primary.signal('SIGCONT');
    },
  },
  {
    name: 'the bucket is away',
    async happen({ bucket }) {
      bucket.isAway = () => true;
      await seconds(30);
      bucket.isAway = () => false;
    },
  },
  {
    name: 'all servers go to the next release',
    async happen({ servers, nextRelease }) {
      for (const server of servers) {
        await server.end('SIGTERM');
        await startAtLast(server, nextRelease);
      }
    },
  },
];
