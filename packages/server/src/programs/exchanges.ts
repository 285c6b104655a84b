import type { FastifyInstance } from 'fastify';

/** Exchanges with programs that are under way, by the name under which one can be cancelled. All end with the service. */
export function createExchanges(app: FastifyInstance): Map<AbortController, string | null> {
  const open = new Map<AbortController, string | null>();
  app.addHook('preClose', async () => {
    for (const exchange of open.keys()) exchange.abort(new Error('The service stops. Call again.'));
  });
  return open;
}
