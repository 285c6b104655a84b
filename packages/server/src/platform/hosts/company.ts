import type { Release } from '../postgres/releases.ts';
import type { LiveHost } from './sql.ts';

/** A process: where it is and which secret and stores it uses. */
export interface Place extends Release {
  /** Its data directory. */
  store: string;
  /** Which process of which machine it is. */
  process: string;
  /** Compares secrets and object stores without revealing them. */
  secretMark: string;
  objectsMark: string;
  /** Whether a process lives, as far as can be seen from here. */
  fateOf(process: string): 'alive' | 'dead' | 'unknown';
}

/**
 * Servers that used our data directory before us. The directory is ours now, so they are dead. If their pid cannot be
 * checked and they may still write heartbeats, we wait. A live one keeps us from starting.
 */
export function predecessors(live: LiveHost[], place: Place, deadMs: number, hasWaited: boolean) {
  const before = live.filter(({ store }) => store === place.store);
  const fates = before.map((each) => ({ each, fate: each.silentMs > deadMs ? 'dead' : place.fateOf(each.process) }));
  const isAlive = (fate: string) => fate === 'alive' || (fate === 'unknown' && hasWaited);
  const alive = fates.find(({ fate, each }) => isAlive(fate) && each.process !== place.process);
  if (alive) {
    throw new Error(
      `Another server (${alive.each.address ?? 'without an address'}) is at work in this data directory. ` +
        'Stop it, or set AGORA_DATA_DIR to a directory of its own for each server.',
    );
  }
  const unknown = fates.flatMap(({ each, fate }) => (fate === 'unknown' ? [deadMs - each.silentMs + 1_000] : []));
  return { ended: before, waitMs: Math.max(0, ...unknown) };
}

/** Servers of one database must open each other's replies and reach each other's objects. */
export function checkCompany(live: LiveHost[], place: Place, deadMs: number): void {
  const others = live.filter(({ store, silentMs }) => store !== place.store && silentMs <= deadMs);
  const at = ({ address }: LiveHost) =>
    address === null ? 'at work on this database' : `on this database, ${address},`;
  const stranger = others.find(({ secretMark }) => secretMark !== place.secretMark);
  if (stranger) {
    throw new Error(
      `Another server ${at(stranger)} has another AGORA_ENCRYPTION_KEY. Set the same on all servers of a database; ` +
        'a server that was given none has its own in AGORA_DATA_DIR/encryption-key.',
    );
  }
  const apart = others.find(({ objectsMark }) => objectsMark !== place.objectsMark);
  if (apart) {
    throw new Error(
      `Another server ${at(apart)} keeps objects elsewhere. Set the same S3_BUCKET, S3_ENDPOINT and S3_PREFIX on all ` +
        'servers of a database, or none of them.',
    );
  }
}
