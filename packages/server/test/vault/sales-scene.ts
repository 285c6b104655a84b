import { afterAll, beforeAll } from 'vitest';
import { hireAndPass, makePair, minute, type Pair, pass } from '../api/scene.ts';
import { startTestServer, type TestServer } from '../support/harness.ts';

interface Scene {
  server: TestServer;
  pair: Pair;
}

/**
 * A sale in the last hours of November and one in the first moment of December, by an agent whose name is a formula; they
 * are there once the tests run.
 */
export function salesScene(): Scene {
  const scene = {} as Scene;
  beforeAll(async () => {
    const server = await startTestServer({ at: '2026-11-30T12:00:00.000Z', config: { SESSION_IDLE_MS: 1e12 } });
    const pair = await makePair(server, { agent: { displayName: '=HYPERLINK("http://x", "Ada, ""the"" agent")' } });
    Object.assign(scene, { server, pair });
    await hireAndPass(pair);
    await pass(server, 20 * minute);
    server.clock.set('2026-12-01T00:00:00.000Z');
    await hireAndPass(pair);
  });
  afterAll(() => scene.server.close());
  return scene;
}
