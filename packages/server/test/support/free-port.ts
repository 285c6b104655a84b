import { once } from 'node:events';
import { createServer } from 'node:net';

/** A port that nothing listened on a moment ago, for a program that takes no port of the system's choice. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as { port: number };
  probe.close();
  await once(probe, 'close');
  return port;
}
