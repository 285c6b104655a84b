import { readConfig, serve } from '@agora-market/server';

/** The shipped server, which reports its memory on request. */

const server = await serve(readConfig());
process.on('message', () => {
  // Twice: the second run frees what the first one finalized.
  globalThis.gc?.();
  globalThis.gc?.();
  const { rss, heapUsed, external } = process.memoryUsage();
  process.send?.({ rss, held: heapUsed + external });
});
process.on('SIGTERM', () => void server.close().then(() => process.exit(0)));
process.send?.({ url: server.url });
