import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { NATIVE_DIR } from '../native.ts';
import { placeHostFiles } from './host-files.ts';
import { identify, ProcessHandle, signal } from './processes.ts';

/** What the host does to processes and directories that may not be its own any more. */

const directory = mkdtempSync(join(tmpdir(), 'agora-processes-'));
afterAll(() => rmSync(directory, { recursive: true }));

it('a process that has the number of an earlier one is not signalled', async () => {
  const child = spawn('sleep', ['60']);
  await once(child, 'spawn');
  const [now] = identify([child.pid!]);
  // As a list says that was made before the number was given away again.
  expect(signal({ ...now!, start: String(Number(now!.start) - 1) }, 'SIGKILL')).toBe(false);
  expect(child.signalCode).toBeNull();
  expect(identify([child.pid!])).toEqual([now]);
  expect(signal(now!, 'SIGKILL')).toBe(true);
  await once(child, 'exit');
  expect(signal(now!, 'SIGKILL')).toBe(false);
});

it('a handle knows its process from whatever comes after it', async () => {
  const parent = spawn('sh', ['-c', 'sleep 60 & read line; kill -9 $!; wait; echo waited; read line'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let found: ProcessHandle | undefined;
  await expect
    .poll(() => {
      found = ProcessHandle.childOf(parent.pid!);
      return found;
    })
    .toBeDefined();
  const handle = found!;
  expect(handle.isGone()).toBe(false);
  parent.stdin.write('\n');
  await once(parent.stdout, 'data');
  expect(handle.isGone()).toBe(true);
  handle.close();
  expect(handle.isGone()).toBe(true);
  parent.kill('SIGKILL');
});

it('a directory that is a link, or belongs to somebody else, is refused as it is', () => {
  const theirs = join(directory, 'theirs');
  mkdirSync(theirs, { mode: 0o700 });
  const link = join(directory, 'link');
  symlinkSync(theirs, link);
  expect(() => placeHostFiles(NATIVE_DIR, link)).toThrow('is a link or belongs to somebody else');
  expect(statSync(theirs).mode & 0o777).toBe(0o700);
});
