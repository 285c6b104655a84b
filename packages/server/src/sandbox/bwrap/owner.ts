import { readdirSync, readFileSync } from 'node:fs';
import { statFields } from '../../platform/index.ts';

/**
 * Which server process a sandbox belongs to. Several servers of one installation may share a machine. So a server is
 * named by process id and start time, which no later process shares, and the remains of a crashed one can be
 * recognised.
 */

function startTicks(pid: number): string | undefined {
  const fields = statFields(`/proc/${pid}`);
  // A zombie has only its parent to wait for.
  return fields?.[0] === 'Z' || fields?.[0] === 'X' ? undefined : fields?.[19];
}

/** `<pid>-<start>` of this process. */
export const ownerTag = (): string => `${process.pid}-${startTicks(process.pid) ?? '0'}`;

/** Whether the process that such a tag names is still there. */
export function isOwnerAlive(tag: string): boolean {
  const [pid, start] = tag.split('-');
  return start !== undefined && startTicks(Number(pid)) === start;
}

/** Sandbox agents by the mark in their command line, with the ids they have on the host. */
export function findAgents(prefix: string): { pid: number; start: string; mark: string }[] {
  const found: { pid: number; start: string; mark: string }[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const start = startTicks(Number(name));
      const words = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
      const mark = words[0]?.endsWith('agent') ? words[1] : undefined;
      if (start !== undefined && mark?.startsWith(prefix)) found.push({ pid: Number(name), start, mark });
    } catch {
      // It has ended since.
    }
  }
  return found;
}
