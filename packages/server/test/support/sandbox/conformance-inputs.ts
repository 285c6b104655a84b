import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ArchiveEntry, encodeArchive, readArchive } from '../../../src/sandbox/archive.ts';
import type { Sandbox, SandboxDriver } from '../../../src/sandbox/driver.ts';
import { refusal, TEST_LIMITS } from './limits.ts';

/** The buyer's inputs at `/input` stay as they were given, whatever runs in the sandbox. */

const entry = (path: string, content: string, more: Partial<ArchiveEntry> = {}): ArchiveEntry => ({
  type: 'file',
  path,
  mode: 0o644,
  modifiedMs: 1_700_000_000_000,
  content: Buffer.from(content),
  ...more,
});

const given = await encodeArchive([
  entry('code', 'the original\n'),
  entry('src/run.sh', '#!/bin/sh\necho ran\n', { mode: 0o755 }),
  entry('src/outside', '/etc/hostname', { type: 'symlink' }),
  entry('src/up', '../../../../etc/passwd', { type: 'symlink' }),
  entry('empty', '', { type: 'directory' }),
]);

/** Everything about the inputs that an attack could change. */
const picture = async (box: Sandbox): Promise<string> => {
  const command = `cd /input && find . -printf '%p %y %m %s %T@ %l\\n' | sort && cat code src/run.sh`;
  const { stdout, exitCode } = await box.exec({ command });
  expect(exitCode).toBe(0);
  return stdout;
};

const attacks: [string, string][] = [
  ['writing over a file', 'echo changed > /input/code'],
  ['appending to a file', 'echo changed >> /input/code'],
  ['truncating a file', ': > /input/code'],
  ['a new file', 'echo new > /input/new'],
  ['a new directory', 'mkdir /input/new'],
  ['changing the mode of a file', 'chmod 777 /input/code'],
  ['changing the mode of the directory', 'chmod 777 /input'],
  ['changing the owner', 'chown 1000:1000 /input/code'],
  ['changing the time', 'touch /input/code'],
  ['renaming a file', 'mv /input/code /input/moved'],
  ['moving a file out', 'mv /input/code /tmp/code'],
  ['moving a file in', 'echo new > /tmp/code; mv -f /tmp/code /input/code'],
  ['deleting a file', 'rm -f /input/code'],
  ['deleting everything', 'rm -rf /input/* /input/.[!.]*'],
  ['renaming the directory', 'mv /input /taken'],
  ['replacing the directory', 'rm -rf /input && mkdir /input'],
  ['a link in its place', 'ln -sfn /tmp /input'],
  ['a hard link to write through', 'ln /input/code /tmp/hard && echo changed > /tmp/hard'],
  ['mounting over it', 'mount -t tmpfs none /input'],
  ['mounting it writable', 'mount -o remount,rw /input'],
  ['mounting it elsewhere', 'mount --bind /input /tmp'],
  ['taking the mount away', 'umount /input'],
  ['a new user namespace to mount in', 'unshare -Urm sh -c "mount -o remount,rw /input"'],
  ['writing through /proc', 'echo changed > /proc/self/root/input/code'],
  ['writing through its open file', 'exec 3</input/code; echo changed > /proc/self/fd/3'],
];

export function describeInputs(driver: SandboxDriver): void {
  describe('inputs', () => {
    let box: Sandbox;
    let before: string;
    beforeAll(async () => {
      box = await driver.create('inputs', TEST_LIMITS);
    });
    afterAll(() => box?.destroy());

    it('are empty until they are laid', async () => {
      expect(await box.exec({ command: 'ls -A /input' })).toMatchObject({ stdout: '', exitCode: 0 });
    });

    it('are laid with modes and links as given, and links lead to the sandbox’s own files alone', async () => {
      await box.writeInput(given);
      before = await picture(box);
      expect(before).toContain('./code f 644 13 1700000000.0000000000');
      expect(before).toContain('./src/run.sh f 755');
      expect(before).toContain('./src/up l 777 22');
      const { stdout } = await box.exec({ command: '/input/src/run.sh; cat /input/src/outside' });
      expect(stdout.trim()).toBe('ran\nsandbox');
      expect((await box.exec({ command: 'cat /input/src/up' })).stdout).toContain('agent:x:1000');
    });

    it.each(attacks)('hold against %s', async (_what, command) => {
      const { exitCode, stderr } = await box.exec({ command: `${command} || exit 9` });
      expect(exitCode, stderr).not.toBe(0);
      expect(stderr).not.toBe('');
      expect(await picture(box)).toBe(before);
    });

    it('are listed and read by file calls, without a command, and written by none', async () => {
      const names = async (path: string) => (await box.list(path)).entries.map(({ name }) => name);
      expect(await names('/input')).toEqual(['code', 'empty', 'src']);
      expect(await names('/input/src')).toEqual(['outside', 'run.sh', 'up']);
      expect(await box.read('/input/code')).toMatchObject({ path: '/input/code', content: 'the original\n' });
      expect(await refusal(box.read('/input/nothing'))).toBe('FILE_NOT_FOUND');
      for (const path of ['/input/src/outside', '/input/src/up', '/input/../etc/passwd', '/inputs']) {
        expect([path, await refusal(box.read(path))]).toEqual([path, 'PATH_ESCAPES']);
      }
      for (const path of ['/input', '/input/code', '/input/new']) {
        expect([path, await refusal(box.write({ path, content: Buffer.from('x') }))]).toEqual([path, 'PATH_ESCAPES']);
      }
      expect((await box.read('/input/code')).content).toBe('the original\n');
    });

    it('are laid again as a whole, without what was there', async () => {
      await box.writeInput(await encodeArchive([entry('other', 'new')]));
      expect((await box.exec({ command: 'find /input -mindepth 1' })).stdout).toBe('/input/other\n');
    });

    it('refuse an archive whose paths lead out, and a damaged one', async () => {
      for (const path of ['../up', 'a/../../up', '/etc/x', 'a//b', './a', '']) {
        expect(await refusal(box.writeInput(await encodeArchive([entry(path, 'x')])))).toBe('REFUSED');
      }
      expect(await refusal(box.writeInput(given.subarray(0, -1)))).toBe('REFUSED');
      expect(await refusal(box.writeInput(Buffer.alloc(0)))).toBe('REFUSED');
    });

    it('speak the format of exported workspaces', async () => {
      await box.importWorkspace(given);
      const exported = [...readArchive(await box.exportWorkspace(1_000_000))];
      const by = (entries: ArchiveEntry[]) =>
        entries.map(({ type, path, mode, content }) => [type, path, type === 'file' ? mode : 0, content.toString()]);
      const wanted = [...readArchive(given), entry('src', '', { type: 'directory' })];
      expect(by(exported).sort()).toEqual(by(wanted).sort());
    });

    it('cannot be laid once the sandbox has ended', async () => {
      const other = await driver.create('inputs-ended', TEST_LIMITS);
      await other.writeInput(given);
      await other.destroy();
      expect(await refusal(other.writeInput(given))).toBe('SANDBOX_GONE');
    });
  });
}
