import { expect, test, vi } from 'vitest';
import { createMemo, systemClock } from '../../platform/index.ts';
import { checkSchema } from './schema.ts';

const remembering = () => {
  const schemas = createMemo<string | null>(systemClock, { maxBytes: 10_000, maxAgeMs: 60_000 });
  const keep = vi.spyOn(schemas, 'keep');
  return { keep, memo: { schemas } as never };
};

test('a schema is tried once, whoever submits it and however it ended', async () => {
  for (const [schema, refused] of [
    [{ type: 'string' }, false],
    [{ type: 'nope' }, true],
  ] as const) {
    const { keep, memo } = remembering();
    for (const owner of ['first', 'first', 'second']) {
      const outcome = await checkSchema({ memo }, schema, owner).then(
        () => 'taken',
        (error) => error.code,
      );
      expect(outcome).toBe(refused ? 'VALIDATION_ERROR' : 'taken');
    }
    expect(keep).toHaveBeenCalledTimes(1);
  }
});

test('submissions that wait for the trial of the same schema do not try it again', async () => {
  const { keep, memo } = remembering();
  await Promise.all(Array.from({ length: 6 }, () => checkSchema({ memo }, { type: 'number' }, 'owner')));
  // Two are tried at once.
  expect(keep.mock.calls.length).toBeLessThanOrEqual(2);
});

test('a trial that only ran out of time is not remembered', async () => {
  const $defs: Record<string, unknown> = { d60: { type: 'string' } };
  for (let level = 0; level < 60; level += 1) {
    const next = { $ref: `#/$defs/d${level + 1}` };
    $defs[`d${level}`] = { allOf: [next, next] };
  }
  const { keep, memo } = remembering();
  await expect(checkSchema({ memo }, { $defs, $ref: '#/$defs/d0' }, 'owner')).rejects.toThrow(/took too long/);
  expect(keep).not.toHaveBeenCalled();
});
