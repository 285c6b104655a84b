import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toId, toUuid } from './ids.ts';

// The valid examples of TypeID's specification.
test.each([
  ['00000000-0000-0000-0000-000000000000', '00000000000000000000000000'],
  ['00000000-0000-0000-0000-000000000001', '00000000000000000000000001'],
  ['00000000-0000-0000-0000-00000000000a', '0000000000000000000000000a'],
  ['00000000-0000-0000-0000-000000000010', '0000000000000000000000000g'],
  ['00000000-0000-0000-0000-000000000020', '00000000000000000000000010'],
  ['ffffffff-ffff-ffff-ffff-ffffffffffff', '7zzzzzzzzzzzzzzzzzzzzzzzzz'],
  ['01890a5d-ac96-774b-bcce-b302099a8057', '01h455vb4pex5vsknk084sn02q'],
])('the UUID %s is written as %s', (uuid, written) => {
  expect(toId('task', uuid)).toBe(`tsk_${written}`);
});

test('an id leads back to its UUID, and ids are in the order of their UUIDs', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.uuid(), (one, other) => {
      expect(toUuid('task', toId('task', one))).toBe(one);
      expect(toId('task', one) < toId('task', other)).toBe(one < other);
    }),
    { numRuns: 2_000 },
  );
});
