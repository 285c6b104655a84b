import { readdirSync, readFileSync } from 'node:fs';

/** CPU time by /proc, in seconds; NaN where there is no /proc. Its clock ticks 100 times a second. */
const ticksPerSecond = 100;

interface Stat {
  parent: number;
  own: number;
  /** Of children that have ended. */
  waited: number;
}

function statOf(pid: number): Stat | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The second field is the command in parentheses and may hold anything, so counting starts after it.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [, parent = 0] = fields;
    const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15);
    return { parent, own: (user + system) / ticksPerSecond, waited: (childUser + childSystem) / ticksPerSecond };
  } catch {
    return undefined;
  }
}

export const cpuOf = (pid: number): number => statOf(pid)?.own ?? Number.NaN;

/** A process with all its children, also those that have ended: PostgreSQL and its backends. */
export function cpuOfTree(root: number): number {
  const stat = statOf(root);
  if (!stat) return Number.NaN;
  let sum = stat.own + stat.waited;
  for (const name of readdirSync('/proc')) {
    const child = /^\d+$/.test(name) ? statOf(Number(name)) : undefined;
    if (child?.parent === root) sum += child.own;
  }
  return sum;
}

export const parentOf = (pid: number): number => statOf(pid)?.parent ?? Number.NaN;

/** Resident memory of a process in MiB, the pages it shares with others included. */
export function residentMiB(pid: number): number {
  try {
    const kib = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kib) / 1024;
  } catch {
    return Number.NaN;
  }
}
