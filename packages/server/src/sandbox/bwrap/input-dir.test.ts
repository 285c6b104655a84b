import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { encodeArchive } from '../archive.ts';
import { clearInputHome, InputDir, prepareInputHome } from './input-dir.ts';
import { ownerTag } from './owner.ts';

const root = mkdtempSync(join(tmpdir(), 'agora-inputs-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const file = { type: 'file', path: 'a/b', mode: 0o600, modifiedMs: 0, content: Buffer.from('x') } as const;

it('what a crashed server left is erased, what a live one holds stays', () => {
  const home = join(root, 'crashed');
  prepareInputHome(home);
  for (const owner of ['1-1', '4000000-77', ownerTag()])
    mkdirSync(join(home, `${owner}.1`, 'deep'), { recursive: true });
  clearInputHome(home);
  expect(existsSync(join(home, '1-1.1'))).toBe(false);
  expect(existsSync(join(home, '4000000-77.1'))).toBe(false);
  expect(existsSync(join(home, `${ownerTag()}.1`))).toBe(true);
  clearInputHome(join(root, 'nowhere'));
});

it('a place that somebody else has prepared is refused', () => {
  mkdirSync(join(root, 'theirs'));
  symlinkSync(join(root, 'theirs'), join(root, 'link'));
  expect(() => prepareInputHome(join(root, 'link'))).toThrow(/somebody else/);
  writeFileSync(join(root, 'file'), '');
  expect(() => prepareInputHome(join(root, 'file'))).toThrow();
});

it('lies open to its sandbox’s user alone', async () => {
  const home = join(root, 'home');
  prepareInputHome(home);
  expect(lstatSync(home).mode & 0o777).toBe(0o711);
  const own = new InputDir(home, 'own', undefined);
  expect(lstatSync(own.path).mode & 0o777).toBe(0o700);
  if (process.getuid?.() !== 0) return;
  const given = new InputDir(home, 'given', 1_234_567);
  await given.fill(await encodeArchive([file]));
  expect(lstatSync(given.path)).toMatchObject({ uid: 0, gid: 1_234_567 });
  expect(lstatSync(given.path).mode & 0o777).toBe(0o750);
  expect(lstatSync(join(given.path, 'a/b'))).toMatchObject({ uid: 0, gid: 0 });
});

it('a link in the archive is laid as a link and never written through, whatever comes first', async () => {
  const home = join(root, 'links');
  prepareInputHome(home);
  const outside = join(root, 'outside');
  mkdirSync(outside);
  const link = { ...file, type: 'symlink', path: 'a', content: Buffer.from(outside) } as const;
  for (const entries of [
    [link, file],
    [file, link],
  ]) {
    const dir = new InputDir(home, `links-${entries[0]?.type}`, undefined);
    await expect(dir.fill(await encodeArchive(entries))).rejects.toThrow();
    expect(existsSync(join(outside, 'b'))).toBe(false);
  }
  const alone = new InputDir(home, 'alone', undefined);
  await alone.fill(await encodeArchive([link]));
  expect(readlinkSync(join(alone.path, 'a'))).toBe(outside);
  await alone.remove();
  expect(existsSync(outside)).toBe(true);
  expect(existsSync(alone.path)).toBe(false);
});

it('is gone for good once it was removed, also where it was being filled', async () => {
  const home = join(root, 'gone');
  prepareInputHome(home);
  const dir = new InputDir(home, 'x', undefined);
  const filling = dir.fill(await encodeArchive([file])).catch(() => undefined);
  await Promise.all([filling, dir.remove()]);
  expect(existsSync(dir.path)).toBe(false);
  await expect(dir.fill(await encodeArchive([file]))).rejects.toMatchObject({ code: 'SANDBOX_GONE' });
  expect(existsSync(dir.path)).toBe(false);
});
