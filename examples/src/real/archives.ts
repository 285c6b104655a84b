import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the registries serve, pinned by name, version and SHA-256, fetched once into a directory of this machine. */

/** A file of Debian's pool, or a package of npm. */
export type Pin = { version: string; pool: string; sha256: string } | { npm: string; sha256: string };

/** An archive that this machine cannot have: no fault of the gate. */
export class NotHad extends Error {}

const fetchMs = 300_000;

/** The mirrors that this machine installs from. */
function debianMirrors(): string[] {
  const directory = '/etc/apt/sources.list.d';
  const lists = existsSync(directory) ? readdirSync(directory).filter((name) => /\.(?:list|sources)$/.test(name)) : [];
  const paths = ['/etc/apt/sources.list', ...lists.map((name) => join(directory, name))].filter(existsSync);
  const texts = paths.map((path) => readFileSync(path, 'utf8'));
  const found = texts.flatMap((text) => [...text.matchAll(/^(?:URIs:|deb(?: \[.*?\])?) +(https?:\/\/\S+)/gm)]);
  return [...new Set(found.map(([, address]) => address!.replace(/\/$/, '')))];
}

async function download(addresses: readonly string[], what: string, sha256: string): Promise<Buffer> {
  const refusals: string[] = [];
  for (const address of addresses) {
    try {
      const reply = await fetch(address, { signal: AbortSignal.timeout(fetchMs) });
      if (!reply.ok) throw new Error(`${reply.status}`);
      const bytes = Buffer.from(await reply.arrayBuffer());
      const digest = createHash('sha256').update(bytes).digest('hex');
      if (digest !== sha256) throw new Error(`has the SHA-256 ${digest}`);
      return bytes;
    } catch (error) {
      refusals.push((error as Error).message);
    }
  }
  throw new NotHad(`${what} cannot be had: ${refusals.join(', ') || 'no mirror is known'}`);
}

/** The registry that this machine installs from, without a slash at the end. */
export const npmRegistry = (): string =>
  execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim().replace(/\/$/, '');

function npmAddress(spec: string): string {
  const at = spec.lastIndexOf('@');
  const [name, version] = [spec.slice(0, at), spec.slice(at + 1)];
  return `${npmRegistry()}/${name}/-/${name.split('/').at(-1)}-${version}.tgz`;
}

/** Fetches an archive, unless it is there, and gives the directory that holds its files. */
export async function unpacked(cache: string, name: string, pin: Pin): Promise<string> {
  const directory = join(cache, `${name}-${pin.sha256.slice(0, 16)}`);
  if (existsSync(directory)) return directory;
  const isDeb = 'pool' in pin && pin.pool.endsWith('.deb');
  const addresses = 'pool' in pin ? debianMirrors().map((mirror) => `${mirror}/${pin.pool}`) : [npmAddress(pin.npm)];
  const file = `${directory}.archive`;
  const making = `${directory}.making`;
  mkdirSync(cache, { recursive: true });
  writeFileSync(file, await download(addresses, name, pin.sha256));
  rmSync(making, { recursive: true, force: true });
  mkdirSync(making);
  try {
    if (isDeb) execFileSync('dpkg-deb', ['-x', file, making]);
    else execFileSync('tar', ['-xf', file, '-C', making, '--strip-components=1']);
  } catch (error) {
    throw new NotHad(`${name} cannot be unpacked: ${(error as Error).message}`);
  } finally {
    rmSync(file);
  }
  renameSync(making, directory);
  return directory;
}
