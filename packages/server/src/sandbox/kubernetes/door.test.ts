import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Door, type DoorOptions, openDoor } from './door.ts';
import { passDoor } from './door-client.ts';
import { DOOR_TLS } from './door-terms.ts';

/** The door of a Pod over the loopback, with a socket in place of the sandbox agent. */

const key = randomBytes(32);
const host = '127.0.0.1';
const never = new AbortController().signal;
let inner: string;
let door: Door;
const opened: Socket[] = [];

const open = (more: Partial<DoorOptions> = {}) =>
  openDoor({ key, port: 0, inner, patienceMs: 60_000, layer: ['cat'], ...more });
const pass = (guest: 'sandbox' | 'input' = 'sandbox', with_ = key) =>
  passDoor({ host, port: door.port, key: with_ }, guest, never);
async function agent(): Promise<Socket> {
  const socket = connect({ path: `\0${inner}`, allowHalfOpen: true });
  opened.push(socket);
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}
async function stranger(): Promise<Socket> {
  const socket = connect({ host, port: door.port });
  opened.push(socket);
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}
/** It has to read, or it does not learn of the end. */
const closed = (socket: Socket) => new Promise<void>((resolve) => socket.resume().once('close', () => resolve()));
const said = async (socket: NodeJS.ReadableStream) => String((await once(socket, 'data'))[0]);

beforeEach(async () => {
  inner = `agora-test/${randomBytes(8).toString('hex')}`;
  door = await open();
});
afterEach(() => {
  door.close();
  for (const socket of opened.splice(0)) socket.destroy();
});

describe('who has the key', () => {
  it('speaks with the sandbox agent, whichever comes first', async () => {
    const early = await pass();
    early.socket.write('to the agent');
    const inside = await agent();
    expect(await said(inside)).toBe('to the agent');
    inside.write('to the server');
    expect(await said(early.socket)).toBe('to the server');
    expect(early.socket.getProtocol()).toBe('TLSv1.2');
  });

  it('carries megabytes whole, both ways at once', async () => {
    const [{ socket }, inside] = [await pass(), await agent()];
    const load = randomBytes(8 << 20);
    inside.pipe(inside);
    const parts: Buffer[] = [];
    socket.on('data', (part) => parts.push(part));
    socket.end(load);
    await once(socket, 'close');
    expect(Buffer.concat(parts).equals(load)).toBe(true);
  });

  it('ends the agent by going, and learns from the end of the connection that it has ended', async () => {
    const [passage, inside] = [await pass(), await agent()];
    let isClosed = false;
    void passage.closed.then(() => {
      isClosed = true;
    });
    const ended = once(inside, 'end');
    inside.resume();
    passage.socket.resume();
    passage.end();
    await ended;
    expect(isClosed).toBe(false);
    inside.end();
    await passage.closed;
    await door.ended;
  });

  it('is alone: a second connection is closed, and the first goes on', async () => {
    const [first, inside] = [await pass(), await agent()];
    await closed((await pass()).socket);
    first.socket.write('still');
    expect(await said(inside)).toBe('still');
  });

  it('lays inputs beside it, one lot at a time', async () => {
    const [{ socket }] = [await pass(), await agent()];
    const laying = await pass('input');
    laying.socket.write('an archive');
    expect(await said(laying.socket)).toBe('an archive');
    await closed((await pass('input')).socket);
    laying.end();
    await closed(laying.socket);
    const again = await pass('input');
    again.socket.write('another');
    expect(await said(again.socket)).toBe('another');
    expect(socket.destroyed).toBe(false);
  });

  it('makes the agent wait while it reads nothing', async () => {
    const [{ socket }, inside] = [await pass(), await agent()];
    socket.pause();
    const chunk = Buffer.alloc(1 << 20);
    const isTaken = () =>
      new Promise<boolean>((resolve) => {
        inside.write(chunk, () => resolve(true));
        inside.once('timeout', () => resolve(false));
      });
    inside.setTimeout(300);
    let taken = 0;
    while (taken < 200 && (await isTaken())) taken++;
    expect(taken).toBeLessThan(64);
  });
});

describe('who has not', () => {
  const refused = async (attempt: Promise<unknown>) =>
    expect(await attempt.catch((error) => error)).toBeInstanceOf(Error);
  const serves = async () => {
    const [{ socket }, inside] = [await pass(), await agent()];
    socket.write('served');
    expect(await said(inside)).toBe('served');
  };

  it('is refused with another key, another name and no key at all', async () => {
    await refused(pass('sandbox', randomBytes(32)));
    await refused(pass('sandbox', Buffer.alloc(32)));
    await refused(pass('root' as 'sandbox'));
    const plain = connectTls({ host, port: door.port, rejectUnauthorized: false });
    await refused(once(plain, 'secureConnect'));
    const bare = connectTls({ ...DOOR_TLS, host, port: door.port, rejectUnauthorized: false });
    await refused(once(bare, 'secureConnect'));
    await serves();
  });

  it('finds that the door checks the server too: one without the key is not spoken with', async () => {
    const impostor = await openDoor({
      key: randomBytes(32),
      port: 0,
      inner: `${inner}-2`,
      patienceMs: 60_000,
      layer: ['cat'],
    });
    await refused(passDoor({ host, port: impostor.port, key }, 'sandbox', never));
    impostor.close();
  });

  it('is cut off for garbage, and disturbs nobody', async () => {
    const [{ socket }, inside] = [await pass(), await agent()];
    for (const garbage of [randomBytes(4_096), Buffer.from('GET / HTTP/1.1\r\n\r\n'), Buffer.alloc(70_000, 22)]) {
      const talker = await stranger();
      talker.write(garbage);
      await closed(talker);
    }
    socket.write('undisturbed');
    expect(await said(inside)).toBe('undisturbed');
  });

  it('is cut off when it says nothing, or speaks too slowly', async () => {
    door.close();
    door = await open({ inner: `${inner}-3`, handshakeMs: 200 });
    const silent = await stranger();
    const slow = await stranger();
    slow.write(Buffer.from([22, 3, 1, 2]));
    await Promise.all([closed(silent), closed(slow)]);
  });

  it('cannot be many at once', async () => {
    const many = await Promise.all(Array.from({ length: 40 }, stranger));
    for (const socket of many) socket.resume();
    await expect.poll(() => many.filter((socket) => socket.destroyed).length).toBe(24);
  });
});

it('stops where the server is not there, and goes on where it is, for as long as that wants', async () => {
  const [{ socket }, inside] = [await pass(), await agent()];
  door.stop();
  socket.write('the last of the work');
  expect(await said(inside)).toBe('the last of the work');
  const unused = await open({ inner: `${inner}-5` });
  unused.stop();
  expect(await unused.ended).toBe('it was closed');
});

it('ends when nobody comes, and with an agent that was gone before', async () => {
  const unused = await open({ inner: `${inner}-4`, patienceMs: 50 });
  expect(await unused.ended).toContain('nobody came');
  unused.close();
  (await agent()).destroy();
  await closed((await pass()).socket);
  await door.ended;
});
