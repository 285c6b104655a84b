import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEmulator } from 'emulate';

/** An S3-compatible store that others wrote, in memory, with the bucket `agora`. It takes any credentials. */
export const startBucket = () =>
  createEmulator({ service: 'aws', port: 0, seed: { aws: { s3: { buckets: [{ name: 'agora' }] } } } });

/** Settings of a server that keeps its objects in such a store; its address comes with the store. */
export const bucketSettings = { S3_BUCKET: 'agora', S3_ACCESS_KEY_ID: 'agora', S3_SECRET_ACCESS_KEY: 'secret' };

export interface Asked {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
}

export interface FragileBucket {
  url: string;
  /** What the bucket is away for; nothing at first. */
  isAway: (asked: Asked) => boolean;
  /** What comes back with another first byte each time; nothing at first. */
  isGarbled: (asked: Asked) => boolean;
  close(): Promise<void>;
}

/** The same behind a door that a test can shut, at an address of this machine. */
export async function startFragileBucket(address = '127.0.0.1'): Promise<FragileBucket> {
  const store = await startBucket();
  let garbled = 0;
  const garble = (chunk: Buffer) => {
    garbled += 1;
    chunk[0] = ((chunk[0] ?? 0) + garbled) % 256;
  };
  const fragile: FragileBucket = { url: '', isAway: () => false, isGarbled: () => false, close: async () => undefined };
  const door = createServer((asked, answer) => {
    const { method = '', url: path = '', headers } = asked;
    if (fragile.isAway({ method, path, headers })) {
      answer.destroy();
      return;
    }
    const passed = request(new URL(path, store.url), { method, headers, agent: false }, (reply) => {
      answer.writeHead(reply.statusCode ?? 502, reply.headers);
      if (fragile.isGarbled({ method, path, headers })) reply.once('data', (chunk: Buffer) => garble(chunk));
      reply.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((done) => void door.listen(0, address, done));
  fragile.url = `http://${address}:${(door.address() as AddressInfo).port}`;
  fragile.close = async () => {
    door.closeAllConnections();
    door.close();
    await store.close();
  };
  return fragile;
}
