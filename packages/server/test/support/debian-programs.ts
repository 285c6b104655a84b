import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Packages of Debian unpacked in a directory of their own, below `usr`; nothing of this machine changes. */
export function unpackDebian(packages: readonly string[]): { directory: string; remove(): void } {
  const place = mkdtempSync(join(tmpdir(), 'agora-debian-'));
  chmodSync(place, 0o755);
  const [downloads, directory] = [join(place, 'downloads'), join(place, 'tree')];
  for (const path of [downloads, directory]) mkdirSync(path, { recursive: true });
  const run = (command: string, args: string[]) => spawnSync(command, args, { cwd: downloads, encoding: 'utf8' });
  const download = () => run('apt-get', ['download', '-q', ...packages]);
  // The lists may be missing, or older than the archive.
  let { status, stderr } = download();
  if (status !== 0) {
    run('apt-get', ['update', '-q']);
    ({ status, stderr } = download());
  }
  for (const file of readdirSync(downloads)) {
    if (status === 0) ({ status, stderr } = run('dpkg', ['-x', file, directory]));
  }
  if (status !== 0) throw new Error(`Debian's packages cannot be unpacked: ${stderr}`);
  rmSync(downloads, { recursive: true });
  return { directory, remove: () => rmSync(place, { recursive: true, force: true }) };
}
