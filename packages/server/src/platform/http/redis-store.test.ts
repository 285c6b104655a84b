import { type AddressInfo, createServer } from 'node:net';
import { type RateLimitScope, rateLimits } from '@agora-market/contract';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { plainError } from './redis-client.ts';
import { redisStore } from './redis-store.ts';

const scopes = Object.keys(rateLimits) as RateLimitScope[];
const limits = Object.fromEntries(scopes.map((scope) => [scope, 5])) as Record<RateLimitScope, number>;

/** Answers what a client asks when it connects, and counts until it is broken. */
async function fragileRedis() {
  const redis = { url: '', counted: 0, isBroken: false };
  const count = () => (redis.isBroken ? '-ERR broken\r\n' : `*2\r\n:${++redis.counted}\r\n:60000\r\n`);
  const answers: Record<string, () => string> = {
    HELLO: () => '%1\r\n+proto\r\n:3\r\n',
    INFO: () => '$19\r\nredis_version:8.0.0\r\n',
    EVAL: count,
    EVALSHA: count,
  };
  const door = createServer((socket) => {
    socket.on('error', () => {});
    socket.on('data', (data) => {
      for (const [, name = ''] of String(data).matchAll(/\*\d+\r\n\$\d+\r\n(\w+)/g)) {
        socket.write(answers[name.toUpperCase()]?.() ?? '+OK\r\n');
      }
    });
  });
  await new Promise<void>((done) => void door.listen(0, '127.0.0.1', done));
  onTestFinished(() => void door.close());
  redis.url = `redis://127.0.0.1:${(door.address() as AddressInfo).port}`;
  return redis;
}

test('the log says why Redis refuses a command, and nothing of its arguments', async () => {
  const redis = await fragileRedis();
  const lines: string[] = [];
  const store = redisStore(limits, redis.url, pino({}, { write: (line) => void lines.push(line) }));
  onTestFinished(() => store.close?.());
  const count = () => store.consume('probe', 'one-caller');
  await expect.poll(async () => (await count()) && redis.counted).toBeGreaterThan(0);
  redis.isBroken = true;
  await count();
  expect(lines.join('')).toContain('ERR broken');
  expect(lines.join('')).not.toContain('one-caller');
});

test('nor where an old Redis repeats them', () => {
  const said = 'ERR unknown command `HELLO`, with args beginning with: `3`, `AUTH`, `ann`, `hush`';
  expect(String(plainError(Object.assign(new Error(said), { name: 'ReplyError' })))).toBe(
    'ReplyError: ERR unknown command `HELLO`',
  );
});
