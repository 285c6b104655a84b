import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type FrameWriter, frameWriter } from './stream-connection.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** One connection over a real socket; the client reads nothing until it is told to. */
async function connection(stallMs?: number): Promise<{ response: ServerResponse; out: FrameWriter; client: Socket }> {
  const server = createServer();
  const opened = new Promise<ServerResponse>((resolve) => server.on('request', (_, response) => resolve(response)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.on('error', () => {});
  client.pause();
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  closers.push(() => {
    client.destroy();
    server.close();
  });
  const response = await opened;
  return { response, client, out: frameWriter(response, stallMs) };
}

const frame = 'x'.repeat(10_000);

/** Writes until the writer makes it wait; gives that wait, and the bytes that are held for the client by then. */
async function writeUntilFull(out: FrameWriter, response: ServerResponse) {
  for (let bytes = 0; bytes < 2e9; bytes += frame.length) {
    const written = out.write(frame);
    // The network takes what it can in a few turns of the event loop.
    const isFull = await Promise.race([written.then(() => false), new Promise((done) => setTimeout(done, 300, true))]);
    if (isFull) return { waiting: written, held: response.writableLength, bytes };
  }
  throw new Error('the network took everything');
}

test('a client that reads nothing is held no more than a buffer for, and goes on where it stopped', async () => {
  const { response, out, client } = await connection();
  const { waiting, held } = await writeUntilFull(out, response);
  expect(held).toBeLessThan(response.writableHighWaterMark + 2 * frame.length);
  client.resume();
  await waiting;
  await expect.poll(() => response.writableLength).toBe(0);
});

test('a client that reads nothing for too long is let go, and so is the stream that waits for it', async () => {
  const { response, out } = await connection(1_000);
  const { waiting } = await writeUntilFull(out, response);
  await waiting;
  expect(response.destroyed).toBe(true);
  // Nothing waits for a client that has gone.
  await out.write(frame);
});

test('a client that goes away ends the wait', async () => {
  const { response, out, client } = await connection();
  const { waiting } = await writeUntilFull(out, response);
  client.destroy();
  await waiting;
  expect(response.destroyed).toBe(true);
});
