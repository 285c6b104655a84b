import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/harness.ts';
import { hire, hireAndStart, makePair } from './scene.ts';

/** A stop must wait for nobody who is connected, and must answer what it has taken on. */

let server: TestServer;
let isOpen = false;
const open = async () => {
  server = await startTestServer();
  isOpen = true;
};
const start = async () => {
  await open();
  // What the stop itself does not end never ends, and the test with it.
  Object.assign(server.app.http.server, { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0, timeout: 0 });
};
const stop = () => {
  isOpen = false;
  return server.close();
};
afterEach(async () => {
  if (isOpen) await stop();
});

test('a stop does not wait for connections on which nothing was sent', async () => {
  await start();
  const { port, hostname } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await new Promise((resolve) => socket.once('connect', resolve));
  // The server has taken the connection once it answers another one.
  await server.client().system.health();
  await stop();
  await closed;
});

test('a stop does not wait for readers of streams who have left', async () => {
  await start();
  const pair = await makePair(server);
  const { id } = await hire(pair);
  const readers = Array.from({ length: 5 }, () => pair.buyer.agora.tasks.stream(id));
  await Promise.all(readers.map((stream) => stream.next()));
  await Promise.all(readers.map((stream) => stream.return(undefined)));
  await stop();
});

test('a stop lets requests finish that it has taken, and ends long polls and streams at once', async () => {
  await start();
  const pair = await makePair(server);
  const { id } = await hireAndStart(pair);
  const idle = await pair.seller.agent();
  const calls = {
    // The command says when it runs, so that the stop comes in its middle.
    exec: pair.agent.agora.sandbox.exec(id, { command: 'touch running; sleep 0.5; echo finished' }),
    poll: idle.agora.tasks.assigned({ wait: 30 }),
    stream: fetch(`${server.url}/api/v1/tasks/${id}/stream`, {
      headers: { authorization: `Bearer ${pair.buyer.token}` },
    }).then((response) => response.text()),
  };
  for (;;) {
    const { entries } = (await pair.agent.agora.sandbox.list(id)).data;
    if (entries.some((entry) => entry.name === 'running')) break;
  }
  await stop();
  expect((await calls.exec).data).toMatchObject({ exitCode: 0, stdout: 'finished\n' });
  expect((await calls.poll).data).toEqual([]);
  expect(await calls.stream).toContain('executing');
});

// Before: 503 SANDBOX_UNAVAILABLE, which clients try twice within a second.
test('a stop that ends a command says when to come back', async () => {
  await start();
  const pair = await makePair(server);
  const { id } = await hireAndStart(pair);
  const exec = pair.agent.agora.sandbox.exec(id, { command: 'touch running; sleep 60' }).catch((error) => error);
  const isRunning = () => pair.agent.agora.sandbox.read(id, { path: 'running' }).then(Boolean, () => false);
  await expect.poll(isRunning).toBe(true);
  await stop();
  expect(await exec).toMatchObject({ status: 503, code: 'NOT_READY', retryAfterSeconds: 1 });
});

test('a stop does not wait for bodies and headers that never come', async () => {
  await start();
  const { port, hostname } = new URL(server.url);
  const send = async (text: string) => {
    const socket = connect(Number(port), hostname);
    socket.on('error', () => undefined);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await new Promise((resolve) => socket.write(text, resolve));
    return { socket, closed };
  };
  const head = 'POST /api/v1/auth/sign-in HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
  const stuck = await send(`${head}content-length: 1000\r\n\r\n{`);
  // The second request on a connection whose first one was answered, its header half sent.
  const again = await send('GET /api/v1/health HTTP/1.1\r\nhost: x\r\n\r\n');
  await new Promise((resolve) => again.socket.once('data', resolve));
  again.socket.write(head);
  await server.client().system.health();
  await stop();
  await Promise.all([stuck.closed, again.closed]);
});

test('a request has half a minute to arrive, and an answer more than the 300 s of a command', async () => {
  await open();
  const { requestTimeout, timeout, keepAliveTimeout } = server.app.http.server;
  expect(requestTimeout).toBe(30_000);
  expect(timeout).toBeGreaterThan(330_000);
  expect(keepAliveTimeout).toBeGreaterThan(60_000);
});
