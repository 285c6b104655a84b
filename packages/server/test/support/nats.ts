import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { unpackDebian } from './debian-programs.ts';
import { freePort } from './free-port.ts';
import { type Program, startProgram } from './program.ts';

export interface NatsCluster {
  /** Of the servers together. */
  url: string;
  servers: (Program & { port: number })[];
  close(): Promise<void>;
}

export const natsLogin = { user: 'agora', password: 'a%secret@nats' };
/** May not listen. */
export const deafLogin = { user: 'deaf', password: 'nothing' };

const settings = `authorization { users = [
  { user: ${natsLogin.user}, password: "${natsLogin.password}" }
  { user: ${deafLogin.user}, password: "${deafLogin.password}", permissions: { subscribe: { deny: ">" } } }
] }`;

/** Debian's NATS: so many servers that know of each other. */
export async function startNats(count = 3): Promise<NatsCluster> {
  const { directory, remove } = unpackDebian(['nats-server']);
  const file = join(directory, 'nats.conf');
  await writeFile(file, settings);
  const freePorts = () => Promise.all(Array.from({ length: count }, () => freePort()));
  const [ports, routes] = [await freePorts(), await freePorts()];
  const listOf = (all: number[], prefix = '') => all.map((port) => `${prefix}127.0.0.1:${port}`).join(',');
  const servers = await Promise.all(
    ports.map(async (port, nth) => {
      const program = await startProgram({
        command: join(directory, 'usr/sbin/nats-server'),
        args: [
          ...['--config', file, '--addr', '127.0.0.1', '--port', String(port), '--cluster_name', 'agora'],
          ...['--cluster', `nats://127.0.0.1:${routes[nth]}`, '--routes', listOf(routes, 'nats://')],
        ],
        ready: (line) => line.includes('Server is ready'),
      });
      return { ...program, port };
    }),
  );
  const { user, password } = natsLogin;
  return {
    url: `nats://${user}:${encodeURIComponent(password)}@${listOf(ports)}`,
    servers,
    async close() {
      await Promise.all(servers.map((server) => server.kill()));
      remove();
    },
  };
}
