import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KeySet, Receipt, Reply } from '@agora-market/sdk';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { hireAndPass, makePair } from '../../../server/test/api/scene.ts';
import { startTestServer } from '../../../server/test/support/harness.ts';
import { verifyReceiptCommand } from './verify-receipt.ts';

/** Receipts of a server that is gone by the time they are verified. */

const directory = mkdtempSync(join(tmpdir(), 'agora-receipts-'));
let receipt: Receipt;
let key: Reply<'tasks.receiptKey'>;
let keys: KeySet;
let taskId: string;
let file: string;
let printed: string;

const kept = (name: string, content: string | object) => {
  const path = join(directory, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
  return path;
};

beforeAll(async () => {
  const server = await startTestServer();
  const pair = await makePair(server);
  taskId = (await hireAndPass(pair)).id;
  receipt = await pair.buyer.agora.tasks.receipt(taskId);
  keys = await server.client().system.jwks();
  key = await server.client().tasks.receiptKey();
  await server.close();
  file = kept('receipt.json', receipt);
});
afterAll(() => rmSync(directory, { recursive: true }));
beforeEach(() => {
  printed = '';
  vi.spyOn(console, 'log').mockImplementation((line) => {
    printed += line;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

test('verifies with the JWK set, and with the key as text, as PEM, as the reply of the server, and in a file', async () => {
  const pem = kept('key.pem', key.pem);
  const set = kept('jwks.json', keys);
  for (const publicKey of [set, key.publicKey, pem, kept('key.json', key), kept('key.txt', `${key.publicKey}\n`)]) {
    printed = '';
    await verifyReceiptCommand(file, { publicKey });
    const [first, verdict, delivered] = printed.split('\n');
    expect(first).toMatch(new RegExp(`^${taskId}, completed as of 20`));
    expect(first).toContain(
      `all ${receipt.entries.length} events are as they were signed by the given key (${key.keyId}).`,
    );
    expect(verdict).toMatch(/^The gate gave \d+ of 100 by \d+ checks\.$/);
    expect(delivered).toMatch(/^ {2}sha256 [0-9a-f]{64} {2}output\.json$/);
    expect(process.exitCode).toBeUndefined();
  }
});

test('without a key says that the origin is not proved and how to prove it, and exits 2', async () => {
  vi.stubEnv('AGORA_URL', 'https://agora.example/');
  onTestFinished(() => void vi.unstubAllEnvs());
  const named = kept("Ada's receipt.json", receipt);
  await verifyReceiptCommand(named, {});
  expect(printed).toContain('by a key that it calls');
  expect(process.exitCode).toBe(2);
  const [getKeys, verifyAgain] = printed.split('\n').slice(-2);
  expect(getKeys).toBe('  curl -s https://agora.example/.well-known/jwks.json > jwks.json');
  // As a shell reads it: the words of the command that proves the origin.
  const { stdout } = spawnSync('/bin/sh', ['-c', `agora() { printf '%s\\n' "$@"; }\n${verifyAgain}`], {
    encoding: 'utf8',
  });
  expect(stdout.split('\n')).toEqual(['verify-receipt', named, '--public-key', 'jwks.json', '']);
});

test('says what is wrong and exits 1, as JSON too', async () => {
  const forged = kept('forged.json', { ...receipt, entries: receipt.entries.toSpliced(2, 1) });
  await verifyReceiptCommand(forged, { publicKey: key.publicKey });
  expect(printed).toMatch(/^The receipt is not in order:\n {2}Entry 3 \(task\.started\) bears the number 4/);
  expect(process.exitCode).toBe(1);
  printed = '';
  await verifyReceiptCommand(forged, { json: true });
  expect(JSON.parse(printed)).toMatchObject({ valid: false, origin: 'unproved', problems: expect.any(Array) });
});

test('names a file that is no JSON and a key that is no key', async () => {
  await expect(verifyReceiptCommand(kept('text', 'not JSON'), {})).rejects.toThrow(/is not JSON/);
  await expect(verifyReceiptCommand(file, { publicKey: 'short' })).rejects.toThrow(
    /takes a file with the reply of GET/,
  );
  await expect(verifyReceiptCommand(join(directory, 'missing'), {})).rejects.toThrow(
    /missing cannot be read: there is no such file\.$/,
  );
});
