import { expect, it } from 'vitest';
import { serverTag } from '../docker/owner.ts';
import { isAbandoned } from './abandoned.ts';
import { SERVER_ANNOTATION } from './spec.ts';

const START_MS = 60_000;
const now = Date.parse('2026-11-28T12:00:00Z');

const pod = (server: string, phase: string, ageMs: number) => ({
  metadata: { annotations: { [SERVER_ANNOTATION]: server }, creationTimestamp: new Date(now - ageMs) },
  status: { phase },
});

it.each([
  ['another machine', 'Pending', 2 * START_MS, false],
  ['another machine', 'Pending', 2 * START_MS + 1, true],
  ['another machine', 'Running', 1e9, false],
  ['another machine', 'Succeeded', 1, true],
  ['another machine', 'Failed', 1, true],
  ['this server', 'Pending', 1e9, false],
  ['this server', 'Failed', 1e9, false],
])('a Pod of %s that is %s for %d ms is abandoned: %s', (owner, phase, ageMs, is) => {
  const server = owner === 'this server' ? serverTag() : 'another-boot/1/1-1';
  expect(isAbandoned(pod(server, phase, ageMs), now, START_MS)).toBe(is);
});
