import { readFileSync } from 'node:fs';

/**
 * The fields of a process or thread from the system's own file about it (proc_pid_stat(5)), beginning with its state, which
 * man counts as the third: the name before it may hold spaces and brackets. Undefined where there is no such thread, or
 * no /proc.
 */
export function statFields(directory: string): string[] | undefined {
  try {
    const stat = readFileSync(`${directory}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

/** The kernel reports times to programs in hundredths of a second. */
const MS_PER_TICK = 10;

/** User and system time of the process or thread itself. */
export const cpuMsOf = (fields: string[]): number => (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;

/** The same with the children that it has waited for. */
export const familyCpuMsOf = (fields: string[]): number =>
  cpuMsOf(fields) + (Number(fields[13]) + Number(fields[14])) * MS_PER_TICK;
