import { createConnection } from 'node:net';
import { text } from 'node:stream/consumers';

/** The other end of `probe.mjs`: what a piece of work does to the event loop and the heap of another process. */

/** The limits that hold at every place, beside a steady load, on a machine that does the reference work in 4 ms. */
export const limits = { p99Ms: 50, maxMs: 200, heapBytes: 64 * 1024 ** 2, referenceMs: 4 } as const;

export interface Cost {
  p99Ms: number;
  maxMs: number;
  /** As long as the clock says it was, with the waits for a CPU that others use. Printed, not judged. */
  wallMaxMs: number;
  /** CPU time of the reference work meanwhile (90th percentile). A slower machine gets longer limits of time. */
  referenceMs: number;
  heapBytes: number;
}

/** A hundredth of a shorter time would be a single turn, and p99 the same as the maximum. */
const leastMs = 1_500;
/** What a request costs comes again; what the machine or a first use cost does not. */
const tries = 6;

/** Past this the machine says nothing any more, and a planted fault must still be found. */
const slowest = 3;
const slowness = (cost: Cost) => Math.min(slowest, Math.max(1, cost.referenceMs / limits.referenceMs));
const isInTime = (cost: Cost): boolean =>
  cost.p99Ms <= limits.p99Ms * slowness(cost) && cost.maxMs <= limits.maxMs * slowness(cost);

export const isWithin = (cost: Cost, heldBytes = 0): boolean =>
  isInTime(cost) && cost.heapBytes <= limits.heapBytes + heldBytes;

/** For a process that was started with this, see `probeEnvironment`. */
export interface Probe {
  socket: string;
}

export const probeEnvironment = ({ socket }: Probe): Record<string, string> => ({
  HOSTILE_PROBE: socket,
  NODE_OPTIONS: `--import=${new URL('./probe.mjs', import.meta.url).href}`,
});

async function tell<T>({ socket }: Probe, command: 'delay' | 'heap' | 'stop'): Promise<T> {
  const peer = createConnection(socket);
  peer.write(command);
  return JSON.parse(await text(peer)) as T;
}

async function during<T>(probe: Probe, what: 'delay' | 'heap', work: () => Promise<void>): Promise<T> {
  await tell(probe, what);
  const atLeast = new Promise((resolve) => setTimeout(resolve, what === 'delay' ? leastMs : 0));
  try {
    await Promise.all([work(), atLeast]);
  } catch (error) {
    await tell(probe, 'stop');
    throw error;
  }
  return tell<T>(probe, 'stop');
}

/** Runs the work once for the delay and once for the heap, and again where a limit does not hold; the best run counts. */
export async function measure(probe: Probe, work: () => Promise<void>, heldBytes = 0): Promise<Cost> {
  let best: Cost = { p99Ms: Infinity, maxMs: Infinity, wallMaxMs: Infinity, referenceMs: 0, heapBytes: Infinity };
  for (let run = 0; run < tries && !isWithin(best, heldBytes); run++) {
    if (!isInTime(best)) {
      const delay = await during<Omit<Cost, 'heapBytes'>>(probe, 'delay', work);
      const again = { ...best, ...delay };
      if (isInTime(again) || again.maxMs < best.maxMs) best = again;
    }
    if (best.heapBytes > limits.heapBytes + heldBytes) {
      const { heapBytes } = await during<Pick<Cost, 'heapBytes'>>(probe, 'heap', work);
      best.heapBytes = Math.min(best.heapBytes, heapBytes);
    }
  }
  return best;
}

export interface Row extends Cost {
  place: string;
  input: string;
}

/** The table that the suite prints at its end. */
export function tableOf(rows: readonly Row[]): string {
  const ms = (value: number) => `${value.toFixed(0)} ms`;
  const lines = [
    ['place', 'input', 'p99', 'max', 'by the clock', 'reference', 'heap'],
    ...rows.map((row) => [
      row.place,
      row.input,
      ms(row.p99Ms),
      ms(row.maxMs),
      ms(row.wallMaxMs),
      `${row.referenceMs.toFixed(1)} ms`,
      `${(row.heapBytes / 1024 ** 2).toFixed(1)} MB`,
    ]),
  ];
  const widths = lines[0]!.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines
    .map((line) => line.map((cell, at) => (at < 2 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!))).join('  '))
    .join('\n');
}
