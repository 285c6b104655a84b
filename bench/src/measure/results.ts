import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';

/** A figure over several rounds. */
export interface Spread {
  median: number;
  min: number;
  max: number;
}

export function spreadOf(values: number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  const upper = sorted[half] ?? Number.NaN;
  const median = sorted.length % 2 === 1 ? upper : ((sorted[half - 1] ?? Number.NaN) + upper) / 2;
  return { median, min: sorted[0] ?? Number.NaN, max: sorted.at(-1) ?? Number.NaN };
}

export const shown = ({ median, min, max }: Spread, digits = 0): string =>
  `${median.toFixed(digits)} (${min.toFixed(digits)} – ${max.toFixed(digits)})`;

/** The value that this share of all does not exceed (nearest rank). */
export const shareOf = (values: number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? Number.NaN;

/** Writes the results of a run for whoever made it, with more detail than the table in the README. */
export function keepResults(name: string, results: object): string {
  const directory = fileURLToPath(new URL('../../results/', import.meta.url));
  mkdirSync(directory, { recursive: true });
  const path = `${directory}${name}.json`;
  const machine = {
    cpu: cpus()[0]?.model,
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 1024 ** 3),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
  };
  writeFileSync(path, `${JSON.stringify({ at: new Date().toISOString(), machine, ...results }, null, 2)}\n`);
  return `bench/results/${name}.json`;
}
