import { expect, test } from 'vitest';
import { whenNeeded } from './when-needed.ts';

test('it is opened by the first to ask, once, and again after a failure', async () => {
  const opened: string[] = [];
  let fails = true;
  const get = whenNeeded(async () => {
    opened.push('tried');
    if (fails) throw new Error('no room');
    return 'open';
  });
  expect(await get.ifOpened()).toBeUndefined();
  expect(opened).toEqual([]);
  const first = [get(), get()];
  expect(await get.ifOpened()).toBeUndefined();
  for (const each of first) await expect(each).rejects.toThrow('no room');
  fails = false;
  expect(await Promise.all([get(), get()])).toEqual(['open', 'open']);
  expect(await get.ifOpened()).toBe('open');
  expect(opened).toEqual(['tried', 'tried']);
});
