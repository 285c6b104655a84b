import { verifyReceipt } from '@agora-market/sdk';
import { compactVerify, createLocalJWKSet } from 'jose';
import { expect, test } from 'vitest';
import { rotateKeyInDatabase } from '../../src/operate.ts';
import { createSigning } from '../../src/platform/index.ts';
import { hireAndPass, makePair, serverForFile } from './scene.ts';

/** The keys that sign receipts and attestations: encrypted where they are stored, replaced, and published for ever. */

const server = serverForFile();
const asked = { reason: 'Once a year', by: 'Ada' };

/** The keys as a process finds them that has just started. */
const fresh = (settings: object = {}, warn: (...line: unknown[]) => void = () => {}) =>
  createSigning({ pool: server.pool, clock: server.clock, config: { ...server.config, ...settings }, log: { warn } });

test('a rotation has a new key sign, and what the earlier one signed verifies', async () => {
  const pair = await makePair(server);
  const { id } = await hireAndPass(pair);
  const before = await pair.buyer.agora.tasks.receipt(id);
  const [old] = (await server.client().system.jwks()).keys;
  const { kid, retired } = await rotateKeyInDatabase(server.databaseUrl, server.config, asked);
  expect(retired).toBe(old?.kid);
  const keys = await server.client().system.jwks();
  expect(keys.keys.map((key) => key.kid)).toEqual([kid, retired]);
  const jws = (await fresh().key()).signJws({ typ: 'JWT' }, 'signed anew');
  expect((await compactVerify(jws, createLocalJWKSet(keys))).protectedHeader.kid).toBe(kid);
  // The server may go on with the old key for a moment; it is published, so that nobody notices.
  const after = await pair.buyer.agora.tasks.receipt(id);
  for (const receipt of [before, after]) expect(await verifyReceipt(receipt, keys)).toMatchObject({ valid: true });
  const { rows } = await server.pool.query(`select data from events where type = 'signing_key.rotated'`);
  expect(rows).toEqual([{ data: { kid, retired, ...asked } }]);
});

test('the database holds no key that anybody without the secret can sign with, and of retired ones nothing private', async () => {
  const { rows } = await server.pool.query('select kid, private_key as key, retired_at as at from signing_keys');
  expect(rows.map(({ key, at }) => [key === null, at !== null]).toSorted()).toEqual([
    [false, false],
    [true, true],
  ]);
  const stored = rows.find(({ key }) => key !== null).key as Buffer;
  // A nonce, a tag and 44 characters of base64, none of which can be read.
  expect(stored).toHaveLength(12 + 16 + 44);
  expect(stored.toString('latin1')).not.toMatch(/[A-Za-z0-9+/]{43}=/);
});

test('whoever has another secret cannot rotate', async () => {
  const other = { ...server.config, AGORA_ENCRYPTION_KEY: 'another secret' };
  const keys = await server.client().system.jwks();
  await expect(rotateKeyInDatabase(server.databaseUrl, other, asked)).rejects.toThrow(/Nothing was changed/);
  expect(await server.client().system.jwks()).toEqual(keys);
});

test('of rotations at the same moment one is done', async () => {
  const before = await server.client().system.jwks();
  const outcomes = await Promise.allSettled(
    Array.from({ length: 4 }, () => rotateKeyInDatabase(server.databaseUrl, server.config, asked)),
  );
  const done = outcomes.filter(({ status }) => status === 'fulfilled').length;
  const { keys } = await server.client().system.jwks();
  expect(done).toBeGreaterThan(0);
  expect(keys).toHaveLength(before.keys.length + done);
  const { rows } = await server.pool.query('select count(*)::int as n from signing_keys where retired_at is null');
  expect(rows).toEqual([{ n: 1 }]);
});

test('servers that start at once on a new database agree on one key', async () => {
  await server.pool.query('delete from signing_keys');
  const kids = await Promise.all(Array.from({ length: 8 }, async () => (await fresh().key()).kid));
  expect(new Set(kids).size).toBe(1);
});

test('after a change of the secret a new key signs, the log says so, and the old public key stays', async () => {
  const before = await fresh().published();
  const lines: unknown[] = [];
  const changed = fresh({ AGORA_ENCRYPTION_KEY: 'the next secret' }, (...line) => lines.push(line));
  const { kid } = await changed.key();
  expect(before.map((key) => key.kid)).not.toContain(kid);
  expect((await changed.published()).slice(1)).toEqual(before);
  expect(lines).toEqual([[{ kid: before[0]?.kid }, expect.stringContaining('another AGORA_ENCRYPTION_KEY')]]);
});
