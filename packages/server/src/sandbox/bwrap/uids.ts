import { createHash, randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';

/**
 * One user id for each live sandbox of a server that runs as root. Two sandboxes never share one. So neither the
 * kernel's limits per user nor a hole in a namespace connects them.
 */

/** Ids that no distribution gives to people or services, and systemd does not give to containers. */
const FIRST = 1_900_000_000;
const BLOCK = 100_000;
const BLOCKS = 1_000;

interface Range {
  first: number;
  count: number;
}

/** The block of ids of this installation. Inside a container with few ids: the upper half of the mapped ones. */
export function uidRange(installationId: string, uidMap: string): Range {
  const block = createHash('sha256').update(installationId).digest().readUInt32LE(0) % BLOCKS;
  const wanted = { first: FIRST + block * BLOCK, count: BLOCK };
  let largest: Range = { first: 0, count: 0 };
  for (const line of uidMap.split('\n')) {
    const [inside, , count] = line.trim().split(/\s+/).map(Number);
    if (inside === undefined || count === undefined) continue;
    if (wanted.first >= inside && wanted.first + wanted.count <= inside + count) return wanted;
    if (count > largest.count) largest = { first: inside, count };
  }
  const half = Math.floor(largest.count / 2);
  return { first: largest.first + largest.count - half, count: half };
}

/** Root of a user namespace that maps only the user who made it. `unshare` and rootless engines begin like this. */
const TOO_FEW =
  'The server runs as root where only one user id is mapped, and each sandbox needs one of its own. ' +
  'Cure: run the server as an ordinary user; or install uidmap (apt-get install -y uidmap), ' +
  'give your user a range in /etc/subuid and /etc/subgid, and start the container or namespace anew.';

export class Uids {
  #range: Range;
  #taken = new Set<number>();
  #next: number;

  constructor(range: Range) {
    if (range.count < 1) throw new RangeError(TOO_FEW);
    this.#range = range;
    // A second server of the same installation starts elsewhere in the block.
    this.#next = randomInt(range.count);
  }

  take(): number {
    for (let tries = 0; tries < this.#range.count; tries++) {
      const uid = this.#range.first + this.#next;
      this.#next = (this.#next + 1) % this.#range.count;
      if (this.#taken.has(uid)) continue;
      this.#taken.add(uid);
      return uid;
    }
    throw new RangeError('Every user id for sandboxes is taken.');
  }

  release(uid: number): void {
    this.#taken.delete(uid);
  }
}

/** Undefined for an ordinary user: bubblewrap then runs as that user, who has no special rights inside. */
export function createUids(installationId: string): Uids | undefined {
  if (process.getuid?.() !== 0) return undefined;
  return new Uids(uidRange(installationId, readFileSync('/proc/self/uid_map', 'utf8')));
}
