import { readFileSync, readlinkSync } from 'node:fs';
import { isOwnerAlive, ownerTag } from '../bwrap/owner.ts';

/**
 * Which server a container belongs to. An engine may serve servers on several machines, or in several containers of
 * one. So a process id means nothing without its boot and process namespace.
 */

function read(what: () => string): string {
  try {
    return what().trim();
  } catch {
    return 'unknown';
  }
}

const boot = () => read(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'));
const namespace = () => read(() => readlinkSync('/proc/self/ns/pid').replace(/\D/g, ''));

export const serverTag = (): string => `${boot()}/${namespace()}/${ownerTag()}`;

/** Whether a server lives; one of another machine or another space of process ids cannot be seen from here. */
export function fateOf(tag: string | undefined): 'alive' | 'dead' | 'unknown' {
  const [bootId, pidNamespace, owner = ''] = (tag ?? '').split('/');
  if (bootId !== boot() || pidNamespace !== namespace() || bootId === 'unknown') return 'unknown';
  return isOwnerAlive(owner) ? 'alive' : 'dead';
}

/**
 * Whether nobody will come back for a container. That of a server which cannot be seen from here is left alone while
 * it runs: its engine ends it when that server goes, as nobody else is attached to it.
 */
export function isLeftOver(tag: string | undefined, isRunning: boolean): boolean {
  const fate = fateOf(tag);
  return fate === 'unknown' ? !isRunning : fate === 'dead';
}
