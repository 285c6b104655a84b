import { parse } from 'smol-toml';
import { isTable, textOf } from '../ecosystem.ts';

/** Cargo.lock: the crates of a project, with their hashes. */

export interface Crate {
  name: string;
  version: string;
  /** Where it comes from, as Cargo writes it. */
  source: string;
  /** SHA-256 of its archive, in hex; null where the lock has none. */
  hash: string | null;
}

/** The project's own packages have no source, and are left out. Null for what is no lock of Cargo. */
export function readCargoLock(text: string): Crate[] | null {
  let lock: unknown;
  try {
    lock = parse(text);
  } catch {
    return null;
  }
  if (!isTable(lock) || !Array.isArray(lock.package ?? [])) return null;
  // Of the first version of the format.
  const metadata = isTable(lock.metadata) ? lock.metadata : {};
  return ((lock.package ?? []) as unknown[]).filter(isTable).flatMap((each) => {
    const [name, version, source] = [textOf(each.name), textOf(each.version), textOf(each.source)];
    if (source === '') return [];
    const checksum = textOf(each.checksum) || textOf(metadata[`checksum ${name} ${version} (${source})`]);
    return [{ name, version, source, hash: /^[0-9a-f]{64}$/.test(checksum) ? checksum : null }];
  });
}
