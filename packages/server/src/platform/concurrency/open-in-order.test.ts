import { expect, test } from 'vitest';
import { openInOrder } from './open-in-order.ts';

/** Opens three things of which the last consists of two; `fails` says after which of them it fails. */
async function opened(fails: 'never' | 'at once' | 'on the way' | 'at the end', spoiled: string[] = []) {
  const said: string[] = [];
  const closing = (name: string) => async () => {
    said.push(`closes ${name}`);
    if (spoiled.includes(name)) throw new Error(name);
  };
  const failed = (error: unknown) => void said.push(`failed: ${(error as Error).message}`);
  const whole = await openInOrder(failed, async (atEnd) => {
    if (fails === 'at once') throw new Error('no start');
    atEnd(closing('pool'));
    atEnd(closing('hub'));
    if (fails === 'on the way') throw new Error('no start');
    atEnd(closing('http'), closing('gate'));
    if (fails === 'at the end') throw new Error('no start');
    return { name: 'app' };
  }).catch((error: Error) => error.message);
  return { whole, said };
}

test('what was opened is closed once, the latest first, and parts of one thing in their own order', async () => {
  const { whole, said } = await opened('never');
  if (typeof whole === 'string') throw new Error(whole);
  expect([whole.name, said]).toEqual(['app', []]);
  await Promise.all([whole.close(), whole.close()]);
  expect(said).toEqual(['closes http', 'closes gate', 'closes hub', 'closes pool']);
});

test.each([
  ['at once', []],
  ['on the way', ['closes hub', 'closes pool']],
  ['at the end', ['closes http', 'closes gate', 'closes hub', 'closes pool']],
] as const)(
  'an opening that fails %s closes what it has opened, and fails with its own error',
  async (when, closed) => {
    expect(await opened(when)).toEqual({ whole: 'no start', said: closed });
  },
);

test('what cannot be closed is told, and keeps nothing else open', async () => {
  expect((await opened('on the way', ['hub'])).said).toEqual(['closes hub', 'failed: hub', 'closes pool']);
});
