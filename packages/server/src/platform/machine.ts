import { totalmem } from 'node:os';
import { delimiter, join } from 'node:path';

const MIB = 1024 ** 2;

/** Memory that this process can have: of the machine, or of its control group where that allows less. */
export function machineMemoryBytes(): number {
  // Without a limit the kernel gives a number that no machine has.
  const allowed = process.constrainedMemory() || Number.POSITIVE_INFINITY;
  return Math.min(totalmem(), allowed);
}

/** The part of it that all sandboxes together may take; the rest is the server's and its database's. */
const sandboxesPart = 0.75;
const mostSandboxes = 200;

export const sandboxesMemoryBytes = (memoryBytes = machineMemoryBytes()): number =>
  Math.floor((memoryBytes * sandboxesPart) / MIB) * MIB;

/** How many sandboxes of this size the memory has room for: one at least, for else there would be none. */
export const sandboxesThatFit = (sandboxBytes: number, memoryBytes = machineMemoryBytes()): number =>
  Math.max(1, Math.min(mostSandboxes, Math.floor(sandboxesMemoryBytes(memoryBytes) / sandboxBytes)));

/** Where the system would look for a program of this name, in order. */
export const placesInPath = (program: string): string[] =>
  (process.env.PATH ?? '').split(delimiter).map((directory) => join(directory, program));
