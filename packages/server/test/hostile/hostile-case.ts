import type { World } from './world.ts';

/** The worst input for one place where the server reads what a party wrote, at the cap of that place. */
export interface HostileCase {
  /** As `places.ts` names it. Several inputs may be for the same place. */
  place: string;
  input: string;
  /** What is still to be done before it holds; it is not run until then. There must be none at a release. */
  gap?: string;
  /** What the place holds in memory by design, and bounds by something else, beside what every place may take. */
  heldBytes?: number;
  /** Prepares what the input needs, unmeasured; what it returns sends the input and waits until it has been read. */
  prepare(world: World): Promise<() => Promise<void>>;
}

/** Runs the work for each item, so many at a time. */
export async function atOnce<T>(items: readonly T[], width: number, work: (item: T) => Promise<unknown>) {
  const rest = [...items];
  const lane = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: width }, lane));
}

export const times = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
