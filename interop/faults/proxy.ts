import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Chance, chance } from '../../packages/server/test/simulation/chance.ts';

/** What may happen to a request. The last five happen after the server has done the work. */
const faults = [
  'refused for the rate',
  'failed before the server',
  'dropped before the server',
  'delayed',
  'reply lost',
  'reply cut',
  'reply replaced by a failure',
  'reply withheld',
  'sent twice',
] as const;
type Fault = (typeof faults)[number];

/** The share of requests to which one of the faults happens. */
const faultShare = 0.35;

export interface FaultProxy {
  url: string;
  /** How often each fault has happened. */
  counts: Record<Fault | 'none', number>;
  /** Resolves when the server has answered all that was sent to it. */
  quiet(): Promise<void>;
  close(): Promise<void>;
}

/**
 * A proxy in front of `target` that does harm by a seed. The first part of a path names the caller, who has faults of
 * its own, so that they depend little on what happens at the same time.
 */
export async function startFaultProxy(target: string, seed: number): Promise<FaultProxy> {
  const chances = new Map<string, Chance>();
  const counts = Object.fromEntries(['none', ...faults].map((name) => [name, 0])) as FaultProxy['counts'];
  const running = new Set<Promise<unknown>>();
  const server = createServer(async (incoming, reply) => {
    const [, caller = '', rest = ''] = /^\/([^/]+)(\/.*)$/.exec(incoming.url ?? '') ?? [];
    const drawing = chances.get(caller) ?? chance(seed + Number(caller));
    chances.set(caller, drawing);
    const fault = drawing.yes(faultShare) ? drawing.of(faults) : 'none';
    counts[fault]++;
    const body = await read(incoming);
    const forward = () => {
      const done = send(target + rest, incoming, body);
      running.add(done);
      return done.finally(() => running.delete(done));
    };
    await harm(fault, forward, reply, drawing.below(40)).catch(() => reply.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    quiet: async () => {
      while (running.size > 0) await Promise.allSettled(running);
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

async function harm(fault: Fault | 'none', forward: () => Promise<Answer>, reply: ServerResponse, pauseMs: number) {
  const fail = (status: number, code: string) =>
    reply
      .writeHead(status, { 'retry-after': '0', 'content-type': 'application/json' })
      .end(JSON.stringify({ success: false, error: { code, message: 'made by the proxy', details: {} } }));
  switch (fault) {
    case 'refused for the rate':
      return fail(429, 'RATE_LIMITED');
    case 'failed before the server':
      return fail(500, 'INTERNAL_ERROR');
    case 'dropped before the server':
      return reply.socket?.destroy();
    case 'delayed':
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
      return pass(reply, await forward());
    case 'reply lost':
      await forward();
      return reply.socket?.destroy();
    case 'reply cut': {
      const { status, headers, body } = await forward();
      reply.writeHead(status, { ...headers, 'content-length': body.length + 1 });
      return reply.write(body.subarray(0, body.length / 2), () => reply.socket?.destroy());
    }
    case 'reply replaced by a failure':
      await forward();
      return fail(502, 'HTTP_502');
    case 'reply withheld':
      // The caller waits until its time is over, and tries again.
      return void (await forward());
    case 'sent twice':
      return pass(reply, (await Promise.all([forward(), forward()]))[1]);
    case 'none':
      return pass(reply, await forward());
  }
}

const pass = (reply: ServerResponse, { status, headers, body }: Answer) => reply.writeHead(status, headers).end(body);

async function read(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function send(url: string, { method, headers }: IncomingMessage, body: Buffer): Promise<Answer> {
  const { host: _, connection: __, 'transfer-encoding': ___, ...kept } = headers;
  const outgoing = request(url, { method, headers: kept });
  outgoing.end(body);
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  const { 'transfer-encoding': ____, ...rest } = answer.headers;
  return { status: answer.statusCode ?? 0, headers: rest, body: await read(answer) };
}
