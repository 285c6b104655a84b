import { expect, test } from 'vitest';
import { bare, hashRecoveryCode, isOfApp, newRecoveryCodes, newSecret, stepOf } from './codes.ts';

/** `12345678901234567890`, the secret of RFC 6238's test vectors. */
const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
const at = (seconds: number) => new Date(seconds * 1000);

test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('at %i s the code is that of RFC 6238, appendix B', (seconds, code) => {
  const step = Math.floor(seconds / 30);
  expect(stepOf(secret, code, at(seconds))).toBe(step);
  expect(stepOf(secret, code, at(seconds + 30))).toBe(step);
  expect(stepOf(secret, code, at(seconds - 30))).toBe(step);
  expect(stepOf(secret, code, at(seconds + 60))).toBe(null);
  expect(stepOf(secret, code, at(Math.max(0, seconds - 60)))).toBe(seconds < 60 ? step : null);
});

test.each(['', '28708', '2870820', 'abcdef', '２８７０８２'])('%j is no code', (code) => {
  expect(stepOf(secret, code, at(59))).toBe(null);
});

test('secrets have 160 bits, and differ; the URI has what apps need', () => {
  const { secret: first, uri } = newSecret('ada+1@example.com');
  expect(first).toMatch(/^[A-Z2-7]{32}$/);
  expect(newSecret('ada@example.com').secret).not.toBe(first);
  expect(uri).toBe(
    `otpauth://totp/Agora:ada%2B1%40example.com?issuer=Agora&secret=${first}&algorithm=SHA1&digits=6&period=30`,
  );
});

test('recovery codes have 80 bits, differ, and are known as people copy them', () => {
  const codes = newRecoveryCodes();
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) {
    expect(code).toMatch(/^[0-9a-f]{5}(-[0-9a-f]{5}){3}$/);
    expect(isOfApp(bare(code))).toBe(false);
    expect(hashRecoveryCode(` ${code.toUpperCase().replaceAll('-', ' ')}`)).toBe(hashRecoveryCode(code));
  }
  expect(isOfApp(bare('123 456'))).toBe(true);
});
