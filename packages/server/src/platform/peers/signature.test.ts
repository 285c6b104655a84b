import { expect, test } from 'vitest';
import { createSignatures, isBodyOf } from './signature.ts';

const key = Buffer.alloc(32, 7);
const path = '/peers/sandbox.exec';
const message = { path, body: '{"a":1}' };

test('a signed message is taken once, by its receiver', () => {
  const ours = createSignatures(key);
  const theirs = createSignatures(key);
  const headers = ours.sign(message, 'b');
  expect(theirs.objection(path, headers, 'b')).toBeNull();
  expect(theirs.objection(path, headers, 'b')).toMatch(/come before/);
  expect(createSignatures(key).objection(path, headers, 'c')).toMatch(/has ended/);
});

test('a message is refused without signature, with another key, and when anything in it was changed', () => {
  const headers = createSignatures(key).sign(message, 'b');
  const refusal = (given: Record<string, unknown>, at = path, other = key) =>
    createSignatures(other).objection(at, given, 'b');
  expect(refusal({})).toMatch(/no signature/);
  expect(refusal(headers, path, Buffer.alloc(32, 8))).toMatch(/wrong/);
  expect(refusal(headers, '/peers/tasks.complete')).toMatch(/wrong/);
  for (const name of ['to', 'at', 'nonce', 'body', 'signature']) {
    expect(refusal({ ...headers, [`x-agora-${name}`]: '1' })).toMatch(/wrong/);
    expect(refusal({ ...headers, [`x-agora-${name}`]: undefined })).toMatch(/no signature/);
  }
  expect([isBodyOf(headers, message.body), isBodyOf(headers, '{"a":2}')]).toEqual([true, false]);
});

test('a signature is good for half a minute, and its nonce is known for as long', () => {
  let nowMs = 1_000_000;
  const later = createSignatures(key, () => nowMs);
  const headers = later.sign(message, 'b');
  expect(later.objection(path, headers, 'b')).toBeNull();
  nowMs += 30_000;
  expect(later.objection(path, headers, 'b')).toMatch(/come before/);
  nowMs += 1;
  expect(later.objection(path, headers, 'b')).toMatch(/clocks/);
});
