import { expect, test, vi } from 'vitest';
import { createCache, createTally, systemClock } from '../../platform/index.ts';
import { checkSchema } from './schema.ts';

const remembering = () => {
  const schemas = createCache<string | null>(systemClock, { maxBytes: 10_000, maxAgeMs: 60_000 });
  const keep = vi.spyOn(schemas, 'set');
  return { keep, deps: { cache: { schemas }, underWay: { schemas: createTally() } } };
};

test('a schema is tried once, whoever submits it and however it ended', async () => {
  for (const [schema, refused] of [
    [{ type: 'string' }, false],
    [{ type: 'nope' }, true],
  ] as const) {
    const { keep, deps } = remembering();
    for (const owner of ['first', 'first', 'second']) {
      const outcome = await checkSchema(deps, schema, owner).then(
        () => 'taken',
        (error) => error.code,
      );
      expect(outcome).toBe(refused ? 'VALIDATION_ERROR' : 'taken');
    }
    expect(keep).toHaveBeenCalledTimes(1);
  }
});

test('submissions that wait for the trial of the same schema do not try it again', async () => {
  const { keep, deps } = remembering();
  await Promise.all(Array.from({ length: 6 }, () => checkSchema(deps, { type: 'number' }, 'owner')));
  // Two are tried at once.
  expect(keep.mock.calls.length).toBeLessThanOrEqual(2);
});

test('a trial that only ran out of time is not remembered', async () => {
  const $defs: Record<string, unknown> = { d60: { type: 'string' } };
  for (let level = 0; level < 60; level += 1) {
    const next = { $ref: `#/$defs/d${level + 1}` };
    $defs[`d${level}`] = { allOf: [next, next] };
  }
  const { keep, deps } = remembering();
  await expect(checkSchema(deps, { $defs, $ref: '#/$defs/d0' }, 'owner')).rejects.toThrow(/took too long/);
  expect(keep).not.toHaveBeenCalled();
});

test("one owner's schemas take one place and wait in a number; those of others are tried beside them", async () => {
  const { deps } = remembering();
  const settled: string[] = [];
  const tryOut = (owner: string, name: string, schema: Record<string, unknown>) =>
    checkSchema(deps, schema, owner).then(
      () => settled.push(name),
      (error) => settled.push(error.code),
    );
  const greedy = Array.from({ length: 32 }, (_, nth) => tryOut('greedy', 'tried', { maxLength: nth }));
  await tryOut('modest', 'modest', { type: 'boolean' });
  expect(settled.filter((name) => name === 'RATE_LIMITED')).toHaveLength(24);
  // Beside the first of the greedy owner's, however many wait.
  expect(settled.filter((name) => name === 'tried').length).toBeLessThan(5);
  await Promise.all(greedy);
  expect(settled.filter((name) => name === 'tried')).toHaveLength(8);
});
