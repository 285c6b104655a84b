import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** A request, headers and body, must have arrived after this time. */
const requestMs = 30_000;

/**
 * How long connections may take. Node's own defaults, as Fastify sets them, wait for ever, for headers longer than for
 * the whole request, and look only every 30 s.
 */
export const connectionTimes = (arriveMs: number = requestMs, longestCallMs = 300_000) => ({
  requestTimeout: arriveMs,
  /** Nothing passed in either direction: longer than commands, long polls (30 s) and gaps of streams (15 s). */
  connectionTimeout: Math.max(600_000, longestCallMs + 300_000),
  /** Between two requests; longer than the minute after which common proxies let go, so that they do it first. */
  keepAliveTimeout: 72_000,
  http: {
    headersTimeout: arriveMs,
    connectionsCheckingInterval: Math.ceil(arriveMs / 30),
    // Node would refuse a request without the header in its own format; the server uses ours.
    requireHostHeader: false,
  },
});

/** How long a stop waits for the rest of a request's body. */
const bodyGraceMs = 2_000;

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

/**
 * Lets go of connections that nobody is at, and of those that would hold up a stop. Node treats a connection without any
 * request as busy. It keeps one open whose request was running when the stop began. And it waits for bodies that never
 * come.
 */
export function dropUnusedConnections(app: FastifyInstance): void {
  /** The latest request of each open connection; null if none has come yet. */
  const connections = new Map<Socket, Exchange | null>();
  app.server.on('connection', (socket) => {
    // Given up before it was taken: there is nobody to answer, and no address to count. Read here, others stay known.
    if (socket.remoteAddress === undefined) return socket.destroy();
    connections.set(socket, null);
    socket.once('close', () => connections.delete(socket));
  });
  app.server.on('request', (request, response) => connections.set(request.socket, { request, response }));
  app.addHook('preClose', async () => {
    const lateMs = performance.now() + bodyGraceMs;
    const drop = () => {
      const isLate = performance.now() > lateMs;
      for (const [socket, exchange] of connections) {
        if (exchange === null || (isLate && !isAnswering(exchange))) socket.destroy();
      }
      app.server.closeIdleConnections();
    };
    drop();
    const timer = setInterval(drop, 50);
    app.server.once('close', () => clearInterval(timer));
  });
}

/** Whether the request has arrived in full and its answer is still being made or sent. */
const isAnswering = ({ request, response }: Exchange): boolean => request.complete && !response.writableFinished;
