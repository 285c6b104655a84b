import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { unpackDebian } from './debian-programs.ts';
import { freePort } from './free-port.ts';

/** A server of a NATS cluster that tests end and start again at the same address. */
export interface TestNats {
  port: number;
  start(): Promise<void>;
  /** SIGSTOP and SIGCONT make it hang and go on. */
  signal(signal: NodeJS.Signals): void;
  kill(): Promise<void>;
}

export interface NatsCluster {
  /** Of the servers together. */
  url: string;
  servers: TestNats[];
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
  const routes = await Promise.all(Array.from({ length: count }, () => freePort()));
  const file = join(directory, 'nats.conf');
  await writeFile(file, settings);
  const program = [join(directory, 'usr/sbin/nats-server'), '--config', file];
  const servers = await Promise.all(routes.map((route) => nats(program, route, routes)));
  await Promise.all(servers.map((server) => server.start()));
  const { user, password } = natsLogin;
  const hosts = servers.map(({ port }) => `127.0.0.1:${port}`).join(',');
  return {
    url: `nats://${user}:${encodeURIComponent(password)}@${hosts}`,
    servers,
    async close() {
      await Promise.all(servers.map((server) => server.kill()));
      remove();
    },
  };
}

async function nats(
  [program = '', ...settings]: string[],
  route: number,
  routes: readonly number[],
): Promise<TestNats> {
  const port = await freePort();
  const addresses = routes.map((each) => `nats://127.0.0.1:${each}`).join(',');
  let child: ChildProcess | undefined;
  return {
    port,
    async start() {
      child = spawn(
        program,
        [
          ...settings,
          ...['--addr', '127.0.0.1', '--port', String(port)],
          ...['--cluster_name', 'agora', '--cluster', `nats://127.0.0.1:${route}`, '--routes', addresses],
        ],
        { stdio: ['ignore', 'ignore', 'pipe'] },
      );
      for await (const line of createInterface({ input: child.stderr! })) if (line.includes('Server is ready')) break;
      child.stderr!.resume();
    },
    signal: (signal) => void child?.kill(signal),
    async kill() {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
