import fc from 'fast-check';
import { fromUUID } from 'typeid-js';
import { expect, test } from 'vitest';
import { toId, toUuid } from './ids.ts';

test('an id is the one that the reference implementation makes, and leads back to its UUID', () => {
  const edges = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'];
  const uuids = fc.oneof(fc.uuid(), fc.constantFrom(...edges));
  fc.assert(
    fc.property(uuids, (uuid) => {
      const id = toId('task', uuid);
      expect(id).toBe(fromUUID(uuid, 'tsk'));
      expect(toUuid('task', id)).toBe(uuid);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  'agt_01jxyz3k9mf5t8v2q7h4n6p0rs',
  'tsk_81jxyz3k9mf5t8v2q7h4n6p0rs',
  'tsk_01JXYZ3K9MF5T8V2Q7H4N6P0RS',
  'tsk_01jxyz3k9mf5t8v2q7h4n6p0r',
  'tsk_01jxyz3k9mf5t8v2q7h4n6p0rsx',
  'tsk_01jxyz3k9mf5t8v2q7h4n6p0iu',
  '',
])('%s is no id of a task', (text) => {
  expect(toUuid('task', text)).toBeNull();
});
