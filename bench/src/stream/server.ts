import { readConfig, serve } from '@agora/server';

/** The shipped server, which tells its memory when it is asked. */

const server = await serve(readConfig());
process.on('message', () => {
  // Twice, for what the first run finalizes only the second one frees.
  globalThis.gc?.();
  globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  process.send?.({ rss, held: heapUsed + external });
});
process.on('SIGTERM', () => void server.close().then(() => process.exit(0)));
process.send?.({ url: server.url });
