import { connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../harness.ts';
import { hire, hireAndStart, makePair } from './scene.ts';

/** A stop must be quick whoever is connected, and must answer what it has taken on. */

let server: TestServer;
let isOpen = false;
const start = async () => {
  server = await startTestServer();
  isOpen = true;
};
const stop = () => {
  isOpen = false;
  return server.close();
};
afterEach(async () => {
  if (isOpen) await stop();
});

const stopMs = async () => {
  const startedMs = performance.now();
  await stop();
  return performance.now() - startedMs;
};

test('a stop does not wait for connections on which nothing was sent', async () => {
  await start();
  const { port, hostname } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await new Promise((resolve) => socket.once('connect', resolve));
  // The server has taken the connection once it answers another one.
  await server.client().system.health();
  expect(await stopMs()).toBeLessThan(5000);
  await closed;
});

test('a stop does not wait for readers of streams who have left', async () => {
  await start();
  const pair = await makePair(server);
  const { id } = await hire(pair);
  const readers = Array.from({ length: 5 }, () => pair.buyer.agora.tasks.stream(id));
  await Promise.all(readers.map((stream) => stream.next()));
  await Promise.all(readers.map((stream) => stream.return(undefined)));
  expect(await stopMs()).toBeLessThan(5000);
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
  expect(await stopMs()).toBeLessThan(8000);
  expect((await calls.exec).data).toMatchObject({ exitCode: 0, stdout: 'finished\n' });
  expect((await calls.poll).data).toEqual([]);
  expect(await calls.stream).toContain('executing');
});
