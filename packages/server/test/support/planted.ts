import {
  type Authenticate,
  configuredLimits,
  createHttpServer,
  memoryStore,
  mountRoutes,
} from '../../src/platform/http/index.ts';
import { type Config, createLog, createMetrics, type Route, watchDisk } from '../../src/platform/index.ts';
import type { TestServer } from './harness.ts';

/** A server of rows that the contract does not have, on a test server's database and clock. */
export async function servePlanted(
  server: TestServer,
  routes: Route[],
  { config = {}, authenticate }: { config?: Partial<Config>; authenticate?: Authenticate } = {},
): Promise<{ url: string; close(): Promise<void> }> {
  const settings = { ...server.config, ...config };
  const log = createLog('silent');
  const deps = {
    config: settings,
    clock: server.clock,
    pool: server.pool,
    disk: watchDisk(server.dataDir, 0, log),
    log,
    limitStore: memoryStore(configuredLimits(settings)),
    metrics: createMetrics(),
    authenticate: authenticate ?? (async () => ({ kind: 'anonymous' as const })),
    uses: { used: () => {} },
    requireCaller: async () => undefined,
    checkReplies: true,
  };
  const http = createHttpServer(deps);
  mountRoutes(http, deps, routes);
  return { url: await http.listen({ host: '127.0.0.1', port: 0 }), close: () => http.close() };
}
