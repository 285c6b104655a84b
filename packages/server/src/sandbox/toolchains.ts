import { readdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../platform/index.ts';
import type { Toolchain } from './driver.ts';

/** The toolchains that the operator installed with `agora tools add`: one directory each, with a record beside its tree. */

/** Beside its tree, so that a sandbox does not see it. */
export const toolchainFile = 'toolchain.json';
export const treeName = 'tree';

/** By default one for all installations of this machine: for root where every user can read it. */
export const toolsDirectory = ({ SANDBOX_TOOLS }: Pick<Config, 'SANDBOX_TOOLS'>): string =>
  SANDBOX_TOOLS ?? (process.getuid?.() === 0 ? '/var/lib/agora/tools' : join(homedir(), '.local/share/agora/tools'));

/** What `toolchain.json` has. */
export type ToolchainRecord = Omit<Toolchain, 'directory'> & {
  /** What it was made from, for people. */
  from: string;
  addedAt: string;
};

export type AddedToolchain = Toolchain & Pick<ToolchainRecord, 'from' | 'addedAt'>;

/** Those in the directory, by name and newest first; one that cannot be read is left out. */
export async function readToolchains(directory: string): Promise<AddedToolchain[]> {
  const names = await readdir(directory).catch(() => []);
  // Those with a dot are being made, or were removed.
  const found = await Promise.all(
    names.filter((name) => !name.startsWith('.')).map((name) => read(join(directory, name))),
  );
  return found
    .flatMap((each) => each ?? [])
    .sort((a, b) => (a.name === b.name ? compareVersions(b.version, a.version) : a.name < b.name ? -1 : 1));
}

async function read(place: string): Promise<AddedToolchain | null> {
  try {
    const record: ToolchainRecord = JSON.parse(await readFile(join(place, toolchainFile), 'utf8'));
    const { name, version, programs, variables, from, addedAt } = record;
    return { name, version, programs, variables, from, addedAt, directory: join(place, treeName) };
  } catch {
    return null;
  }
}

const parts = (version: string) => version.split(/[.+~-]/).map((part) => (/^\d+$/.test(part) ? Number(part) : part));

export function compareVersions(a: string, b: string): number {
  const [left, right] = [parts(a), parts(b)];
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const [one = 0, other = 0] = [left[at], right[at]];
    if (one === other) continue;
    if (typeof one === 'number' && typeof other === 'number') return one - other;
    return String(one) < String(other) ? -1 : 1;
  }
  return 0;
}

/** Whether 3.12.4 is a `3.12`. */
export const isVersion = (version: string, wanted: string): boolean =>
  parts(wanted).every((part, at) => parts(version)[at] === part);
