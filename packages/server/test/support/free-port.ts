import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** A port that nothing listened on a moment ago, for a program that takes no port of the system's choice. */
export async function freePort(): Promise<number> {
  for (;;) {
    // The system takes those from 32768 for outgoing connections, so it could give this one away before it is used.
    const port = randomInt(10_000, 30_000);
    const probe = createServer().listen(port, '127.0.0.1');
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    probe.close();
    await once(probe, 'close');
    return port;
  }
}
