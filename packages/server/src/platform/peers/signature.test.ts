import { expect, test } from 'vitest';
import { createSignatures } from './signature.ts';

const key = Buffer.alloc(32, 7);
const message = { path: '/peers/sandbox.exec', body: '{"a":1}' };

test('a signed message is taken once, by its receiver', () => {
  const ours = createSignatures(key);
  const theirs = createSignatures(key);
  const headers = ours.sign(message, 'b');
  expect(theirs.objection(message, headers, 'b')).toBeNull();
  expect(theirs.objection(message, headers, 'b')).toMatch(/come before/);
  expect(createSignatures(key).objection(message, headers, 'c')).toMatch(/has ended/);
});

test('a message is refused without signature, with another key, and when anything in it was changed', () => {
  const headers = createSignatures(key).sign(message, 'b');
  const refusal = (changed: object, given: Record<string, unknown> = headers, other = key) =>
    createSignatures(other).objection({ ...message, ...changed }, given, 'b');
  expect(refusal({}, {})).toMatch(/no signature/);
  expect(refusal({}, headers, Buffer.alloc(32, 8))).toMatch(/wrong/);
  expect(refusal({ path: '/peers/tasks.complete' })).toMatch(/wrong/);
  expect(refusal({ body: '{"a":2}' })).toMatch(/wrong/);
  for (const name of ['to', 'at', 'nonce', 'signature']) {
    expect(refusal({}, { ...headers, [`x-agora-${name}`]: '1' })).toMatch(/wrong/);
  }
});

test('a signature is good for half a minute, and its nonce is known for as long', () => {
  let nowMs = 1_000_000;
  const later = createSignatures(key, () => nowMs);
  const headers = later.sign(message, 'b');
  expect(later.objection(message, headers, 'b')).toBeNull();
  nowMs += 30_000;
  expect(later.objection(message, headers, 'b')).toMatch(/come before/);
  nowMs += 1;
  expect(later.objection(message, headers, 'b')).toMatch(/clocks/);
});
