import { expect, it } from 'vitest';
import type { Sandbox, SandboxDriver, SandboxListing } from '../../../src/sandbox/driver.ts';
import { refusal, TEST_LIMITS } from './limits.ts';

/** The part of the conformance suite that is about files and archives. */

const MIB = 1024 * 1024;
const text = (path: string, content: string) => ({ path, content: Buffer.from(content) });

export function describeFiles(box: () => Sandbox): void {
  describeListings(box);

  it('writes with missing directories, reads back and lists', async () => {
    await box().write(text('made/for/it.txt', 'hällo\n'));
    await box().write({ path: '/workspace/made/run', content: Buffer.from('#!/bin/sh\necho ran\n'), executable: true });
    const read = await box().read('made/for/it.txt');
    expect(read).toEqual({
      path: '/workspace/made/for/it.txt',
      content: 'hällo\n',
      encoding: 'utf8',
      sizeBytes: 7,
      truncated: false,
    });
    const { entries } = await box().list('/workspace/made/');
    expect(entries.map(({ name, path, type }) => [name, path, type])).toEqual([
      ['for', '/workspace/made/for', 'directory'],
      ['run', '/workspace/made/run', 'file'],
    ]);
    expect(entries[1]?.sizeBytes).toBe(19);
    const now = Number((await box().exec({ command: 'date +%s' })).stdout) * 1000;
    expect(Math.abs(now - Date.parse(entries[1]!.modifiedAt))).toBeLessThan(60_000);
    expect((await box().exec({ command: 'made/run' })).stdout).toBe('ran\n');
  });

  it('replaces a file whole and leaves its mode as it was', async () => {
    await box().exec({ command: 'printf 0123456789 >old; chmod 750 old' });
    await box().write(text('old', 'new'));
    expect((await box().exec({ command: 'cat old; stat -c " %a" old; ls -A | grep agora-write' })).stdout).toBe(
      'new 750\n',
    );
  });

  it('carries bytes that are no text as base64, and empty files as text', async () => {
    const bytes = Buffer.from([0xff, 0x00, 0xfe, 0x0a]);
    await box().write({ path: 'binary', content: bytes });
    expect(await box().read('binary')).toMatchObject({
      content: bytes.toString('base64'),
      encoding: 'base64',
      sizeBytes: 4,
    });
    await box().write(text('empty', ''));
    expect(await box().read('empty')).toMatchObject({ content: '', encoding: 'utf8', sizeBytes: 0 });
  });

  it('carries megabytes in, and the beginning of them out', async () => {
    const content = Buffer.from('é'.repeat(2 * MIB));
    await box().write({ path: 'big', content });
    const read = await box().read('big');
    expect(read).toMatchObject({ encoding: 'utf8', truncated: true, sizeBytes: 4 * MIB });
    expect(Buffer.byteLength(read.content)).toBe(TEST_LIMITS.maxOutputBytes);
    await box().exec({ command: 'rm big' });
  });

  it('reaches /tmp as well', async () => {
    await box().write(text('/tmp/x/y', 'z'));
    expect((await box().read('/tmp/x/y')).content).toBe('z');
  });
}

function describeListings(box: () => Sandbox): void {
  it('lists names that would break a text protocol', async () => {
    await box().exec({
      command:
        "mkdir odd; cd odd; touch -- 'a\nb' '\"q\"' \"$(printf 'bad\\377')\" ' ' '-rf'; mkfifo pipe; ln -s /etc link",
    });
    const { entries } = await box().list('odd');
    expect(entries.map(({ name }) => name)).toEqual([' ', '"q"', '-rf', 'a\nb', 'bad\u{10feff}', 'link', 'pipe']);
    expect(entries.find(({ name }) => name === 'link')?.type).toBe('symlink');
  });

  it('lists in pages by the bytes of the names, whatever they are', async () => {
    await box().exec({
      command: 'mkdir paged; cd paged; seq 1 250 | xargs touch; touch "$(printf \'b\\377\')" "$(printf \'b\\376\')"',
    });
    const all: string[] = [];
    let next: string | null = '';
    for (let pages = 1; next !== null; pages++) {
      const page: SandboxListing = await box().list('paged', { count: 100, after: next });
      expect(page).toMatchObject({ truncated: false });
      expect(page.entries.length).toBe(pages < 3 ? 100 : 52);
      all.push(...page.entries.map(({ name }) => name));
      next = page.next;
    }
    const numbers = Array.from({ length: 250 }, (_, at) => String(at + 1)).sort();
    expect(all).toEqual([...numbers, 'b\u{10fefe}', 'b\u{10feff}']);
  });

  it('looks at 10,000 entries of a directory, however many there are', async () => {
    await box().exec({ command: 'mkdir many; cd many; seq 1 10000 | xargs touch' });
    expect(await box().list('many', { count: 1, after: '' })).toMatchObject({ truncated: false });
    await box().exec({ command: 'touch many/surplus' });
    const page = await box().list('many', { count: 100, after: '' });
    expect([page.entries.length, page.truncated]).toEqual([100, true]);
    await box().exec({ command: 'rm -r many' });
  });
}

export function describeRefusals(box: () => Sandbox): void {
  it('names what is wrong with a path', async () => {
    await box().exec({ command: 'mkdir -p dir shut; touch plain; mkfifo fifo; ln -s loop loop; chmod 0 shut' });
    expect(await refusal(box().read('nothing'))).toBe('FILE_NOT_FOUND');
    expect(await refusal(box().list('nothing'))).toBe('FILE_NOT_FOUND');
    expect(await refusal(box().read('dir'))).toBe('NOT_A_FILE');
    expect(await refusal(box().read('fifo'))).toBe('NOT_A_FILE');
    expect(await refusal(box().write(text('fifo', 'x')))).toBe('NOT_A_FILE');
    expect(await refusal(box().write(text('dir', 'x')))).toBe('NOT_A_FILE');
    expect(await refusal(box().write(text('dir/', 'x')))).toBe('NOT_A_FILE');
    expect(await refusal(box().list('plain'))).toBe('NOT_A_DIRECTORY');
    expect(await refusal(box().write(text('plain/x', 'x')))).toBe('NOT_A_DIRECTORY');
    expect(await refusal(box().read('loop'))).toBe('REFUSED');
    expect(await refusal(box().list('shut'))).toBe('REFUSED');
    expect(await refusal(box().read('n'.repeat(300)))).toBe('REFUSED');
    expect(await refusal(box().read('a\0b'))).toBe('REFUSED');
    await box().exec({ command: 'chmod 700 shut' });
  });

  it('refuses a write that does not fit and keeps the old content', async () => {
    await box().write(text('kept', 'old'));
    const content = Buffer.alloc(TEST_LIMITS.diskBytes + 1);
    expect(await refusal(box().write({ path: 'kept', content }))).toBe('NO_SPACE');
    expect((await box().read('kept')).content).toBe('old');
    expect((await box().exec({ command: 'ls -A | grep -c agora-write' })).stdout).toBe('0\n');
  });
}

export function describeArchives(driver: SandboxDriver, box: () => Sandbox): void {
  it('carries a workspace over whole: modes, times, links and odd names', async () => {
    const from = await driver.create('archive-from', TEST_LIMITS);
    const to = await driver.create('archive-to', TEST_LIMITS);
    await from.exec({
      command: `mkdir -p a/b empty; echo run >a/run; chmod 741 a/run; ln -s ../a/run a/b/link; ln -s /etc/passwd out
        touch -d @1000000000 a/run; echo odd >"$(printf 'n\\nl\\377')"; head -c 3000000 /dev/urandom >big; mkfifo pipe`,
    });
    const survey = {
      command: 'find . -mindepth 1 ! -type p -printf "%p %y %l\\n" | sort; stat -c "%a %Y" a/run; cat big | cksum',
    };
    await to.importWorkspace(await from.exportWorkspace(TEST_LIMITS.diskBytes));
    expect((await to.exec(survey)).stdout).toBe((await from.exec(survey)).stdout);
    expect((await to.exec(survey)).stdout).toContain('741 1000000000');
    await Promise.all([from.destroy(), to.destroy()]);
  });

  it('refuses an export past the bytes that were asked for', async () => {
    await box().exec({ command: 'mkdir -p bulk; head -c 1000000 /dev/zero >bulk/a' });
    expect(await refusal(box().exportWorkspace(100_000))).toBe('TOO_LARGE');
    await box().exec({ command: 'rm -r bulk' });
  });

  it('refuses a damaged archive', async () => {
    const archive = await box().exportWorkspace(TEST_LIMITS.diskBytes);
    const fresh = await driver.create('archive-damaged', TEST_LIMITS);
    expect(await refusal(fresh.importWorkspace(archive.subarray(0, archive.length - 30)))).not.toBe('none');
    expect(await refusal(fresh.importWorkspace(Buffer.from('no archive at all, but long enough to be read')))).toBe(
      'REFUSED',
    );
    expect((await fresh.exec({ command: 'echo alive' })).stdout).toBe('alive\n');
    await fresh.destroy();
  });
}
