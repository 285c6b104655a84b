import { totalmem } from 'node:os';
import { expect, test } from 'vitest';
import { readConfig } from './config/config.ts';
import { machineMemoryBytes, sandboxesMemoryBytes, sandboxesThatFit } from './machine.ts';

const GIB = 1024 ** 3;

test('as many sandboxes live at once as the memory has room for, and no more than are asked for', () => {
  expect(sandboxesThatFit(512 * 1024 ** 2, 4 * GIB)).toBe(6);
  expect(sandboxesThatFit(GIB, 4 * GIB)).toBe(3);
  expect(sandboxesThatFit(8 * GIB, 4 * GIB)).toBe(1);
  expect(sandboxesThatFit(64 * 1024 ** 2, 1024 * GIB)).toBe(200);
  const { SANDBOX_MAX_LIVE, SANDBOX_MEMORY_BYTES } = readConfig({});
  expect(SANDBOX_MAX_LIVE).toBe(sandboxesThatFit(SANDBOX_MEMORY_BYTES));
  expect(SANDBOX_MAX_LIVE * SANDBOX_MEMORY_BYTES).toBeLessThanOrEqual(sandboxesMemoryBytes());
  expect(readConfig({ SANDBOX_MEMORY_BYTES: String(machineMemoryBytes()) }).SANDBOX_MAX_LIVE).toBe(1);
  expect(readConfig({ SANDBOX_MAX_LIVE: '7' }).SANDBOX_MAX_LIVE).toBe(7);
});

test('the memory is that of the machine at most', () => {
  expect(machineMemoryBytes()).toBeGreaterThan(0);
  expect(machineMemoryBytes()).toBeLessThanOrEqual(totalmem());
});
