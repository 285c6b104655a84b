import { expect, test } from 'vitest';
import { findSecrets, redactSecrets } from './secret-patterns.ts';

test('a megabyte of near misses is searched quickly', () => {
  const started = performance.now();
  findSecrets('-----BEGIN PRIVATE KEY----- '.repeat(40_000));
  findSecrets('sk-ant-'.repeat(150_000));
  findSecrets('SG.aaaaaaaaaaaaaaaaaaaaaa.'.repeat(40_000));
  redactSecrets('authorization: '.repeat(70_000));
  redactSecrets('bearer aaaaaaaaaaaaaaaa'.repeat(45_000));
  expect(performance.now() - started).toBeLessThan(2000);
});
