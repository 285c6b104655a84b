import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readArchive } from '../archive.ts';
import { unpack } from '../directory.ts';
import { SandboxError } from '../driver.ts';
import { isOwnerAlive } from './owner.ts';

/**
 * The buyer's inputs of one sandbox as they were given: a directory of the host that the sandbox sees as `/input`,
 * through a mount that the kernel keeps read-only and that nothing inside may change. The server fills it once the
 * agent has committed, and it goes with the sandbox.
 */
export class InputDir {
  readonly path: string;
  /** Where a layer is mounted for this sandbox alone; on the host it stays empty. */
  readonly layerPlace: string;
  #gone = false;
  #work: Promise<void> = Promise.resolve();

  /** `uid` is the host user the sandbox runs as, where that is not the server's own; nobody else can look in. */
  constructor(home: string, name: string, uid: number | undefined) {
    this.path = join(home, name);
    this.layerPlace = `${this.path}.layer`;
    mkdirSync(this.path, { mode: 0o700 });
    if (uid === undefined) return;
    chownSync(this.path, 0, uid);
    chmodSync(this.path, 0o750);
  }

  /** Replaces what is there. */
  fill(archive: Buffer): Promise<void> {
    const filled = this.#work.then(() => this.#fill(archive));
    this.#work = filled.catch(() => undefined);
    return filled;
  }

  /** Resolves when nothing is left; a filling that runs is waited for, so that it leaves nothing behind. */
  remove(): Promise<void> {
    this.#gone = true;
    const removed = this.#work.then(async () => {
      for (const path of [this.path, this.layerPlace]) await rm(path, { recursive: true, force: true });
    });
    this.#work = removed.catch(() => undefined);
    return removed;
  }

  async #fill(archive: Buffer): Promise<void> {
    if (this.#gone) throw new SandboxError('SANDBOX_GONE', 'The sandbox has ended.');
    try {
      for (const name of await readdir(this.path)) await rm(join(this.path, name), { recursive: true, force: true });
      await unpack(this.path, readArchive(archive));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOSPC' || code === 'EDQUOT') {
        throw new SandboxError('SANDBOX_UNAVAILABLE', 'The disk of this server has no room for the inputs.');
      }
      throw error;
    }
  }
}

/** Makes the directory that holds those of an installation's sandboxes; throws where it belongs to somebody else. */
export function prepareInputHome(home: string): void {
  mkdirSync(home, { recursive: true, mode: 0o711 });
  const { uid } = lstatSync(home);
  if (!lstatSync(home).isDirectory() || uid !== process.getuid?.()) throw new Error(`${home} belongs to somebody else`);
  // Sandbox users must get through it, and nobody list it.
  chmodSync(home, 0o711);
}

/** Erases what ended servers left behind; names begin with their owner's tag. */
export function clearInputHome(home: string): void {
  let names: string[];
  try {
    names = readdirSync(home);
  } catch {
    return;
  }
  for (const name of names) {
    if (!isOwnerAlive(name.split('.')[0]!)) rmSync(join(home, name), { recursive: true, force: true });
  }
}
