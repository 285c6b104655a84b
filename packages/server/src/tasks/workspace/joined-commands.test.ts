import { expect, test } from 'vitest';
import { manualClock } from '../../platform/index.ts';
import type { ExecResult } from '../../sandbox/index.ts';
import { AWAITED_MS, JoinedCommands, MOST_WAITING } from './joined-commands.ts';

const resultOf = (stdout: string): ExecResult => ({
  ...{ exitCode: 0, stdout, stderr: '', durationMs: 1, timedOut: false, truncated: false },
});

/** Commands that end when the test says so. */
function scene() {
  const clock = manualClock('2026-11-29T12:00:00Z');
  const commands = new JoinedCommands(clock);
  const begun: { end(stdout: string): void; fail(): void; ending: AbortSignal }[] = [];
  const call = (subject: string) => {
    const gone = new AbortController();
    const run = (ending: AbortSignal) =>
      new Promise<ExecResult>((resolve, reject) => {
        begun.push({ end: (stdout) => resolve(resultOf(stdout)), fail: () => reject(new Error('it broke')), ending });
      });
    const result = commands.join(subject, gone.signal, run).then(({ stdout }) => stdout, String);
    const leave = async () => {
      gone.abort();
      expect(await result).toContain('The caller has gone');
    };
    return { result, leave };
  };
  return { clock, begun, call };
}

test('a caller that comes again gets the result of the command that runs', async () => {
  const { begun, call, clock } = scene();
  await call('one').leave();
  clock.advance(AWAITED_MS - 1);
  const again = call('one');
  clock.advance(AWAITED_MS);
  begun[0]?.end('done');
  expect(await again.result).toBe('done');
  expect(begun).toHaveLength(1);
});

test('a result waits for its caller, and is given once', async () => {
  const { begun, call } = scene();
  await call('one').leave();
  begun[0]?.end('done');
  expect(await call('one').result).toBe('done');
  void call('one');
  expect(begun).toHaveLength(2);
});

test('a command whose caller stays away ends, and begins anew for a later one', async () => {
  const { begun, call, clock } = scene();
  await call('one').leave();
  expect(begun[0]?.ending.aborted).toBe(false);
  clock.advance(AWAITED_MS);
  expect(begun[0]?.ending.aborted).toBe(true);
  void call('one');
  expect(begun).toHaveLength(2);
});

test('a failure is given to nobody who comes after it', async () => {
  const { begun, call } = scene();
  await call('one').leave();
  begun[0]?.fail();
  await Promise.resolve();
  void call('one');
  expect(begun).toHaveLength(2);
});

test('outputs beyond the bound drop the oldest result that waits', async () => {
  const { begun, call } = scene();
  for (const subject of ['one', 'two', 'three']) await call(subject).leave();
  const large = 'x'.repeat(MOST_WAITING / 2);
  for (const each of begun) each.end(large);
  await Promise.resolve();
  expect(await call('three').result).toBe(large);
  expect(await call('two').result).toBe(large);
  void call('one');
  expect(begun).toHaveLength(4);
});
