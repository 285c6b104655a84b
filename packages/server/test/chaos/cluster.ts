import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createTestDatabase } from '../support/database.ts';
import { createInstallation, type Installation } from './server-process.ts';

/** Servers of one database, each a process with a disk of its own, behind a proxy that asks one after the other. */
export interface Cluster {
  servers: Installation[];
  databaseUrl: string;
  /** Where the proxy listens. */
  url: string;
  remove(): Promise<void>;
}

const secret = 'what all the servers of the tests have in common';

/** `own` are settings of the server of this number, from 0. */
export async function createCluster(
  count: number,
  env: Record<string, string> = {},
  own: (nth: number) => Record<string, string> = () => ({}),
): Promise<Cluster> {
  const database = await createTestDatabase();
  const settings = { DATABASE_URL: database.url, AGORA_ENCRYPTION_KEY: secret, ...env };
  const servers = await Promise.all(
    Array.from({ length: count }, (_, nth) => createInstallation({ ...settings, ...own(nth) })),
  );
  const proxy = roundRobin(servers);
  await new Promise<void>((done) => void proxy.listen(0, '127.0.0.1', done));
  return {
    servers,
    databaseUrl: database.url,
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    async remove() {
      proxy.closeAllConnections();
      proxy.close();
      await Promise.all(servers.map((server) => server.remove()));
      await database.drop();
    },
  };
}

/** As proxies do it: who cannot be connected to is passed over, and an answer that breaks off is broken off. */
function roundRobin(servers: Installation[]): Server {
  let next = 0;
  return createServer(async (asked, answer) => {
    const parts: Buffer[] = [];
    for await (const part of asked) parts.push(part as Buffer);
    const body = Buffer.concat(parts);
    const first = next++;
    const tryAt = (nth: number) => {
      if (nth === 2 * servers.length) return answer.writeHead(502).end();
      const url = servers[(first + nth) % servers.length]?.url();
      if (!url) return tryAt(nth + 1);
      const passed = request(new URL(asked.url ?? '/', url), {
        method: asked.method,
        headers: asked.headers,
        agent: false,
      });
      passed.on('response', (reply) => {
        answer.writeHead(reply.statusCode ?? 502, reply.headers);
        answer.flushHeaders();
        reply.on('error', () => answer.destroy());
        reply.pipe(answer);
      });
      passed.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code === 'ECONNREFUSED') tryAt(nth + 1);
        else answer.destroy();
      });
      answer.on('close', () => passed.destroy());
      passed.end(body);
    };
    tryAt(0);
  });
}
