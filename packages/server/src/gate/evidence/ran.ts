import type { ExecResult } from '../../sandbox/index.ts';
import type { RunReport } from '../runs/reports.ts';
import type { MeasuredResult } from '../sandboxes/apart.ts';
import { excerpt, label, quoting } from './excerpt.ts';

/** How a command of the gate ended: it ran, its tool is not there, or the delivery broke its sandbox. */
export type Ran = (MeasuredResult & { capMs: number; directory?: string }) | { lacking: string } | { broken: string };

/** Time left for the gate, in milliseconds. */
export type Remaining = () => number;

/** Every command gets at least this much, even where earlier ones have used the time up. */
export const leastMs = 1000;

export const succeeded = (ran: Ran) => 'result' in ran && ran.result.exitCode === 0 && !ran.result.timedOut;

/** What its tests report; null where it did not come to its end, or its end was not kept. */
export function reportOf(ran: Ran): RunReport | null {
  if (!('result' in ran) || ran.result.timedOut || ran.result.truncated) return null;
  const { reports: files, result, directory } = ran;
  return { files, stdout: result.stdout, stderr: result.stderr, ...(directory !== undefined && { directory }) };
}

export const allOutput = ({ stdout, stderr }: ExecResult) => `${stdout}\n${stderr}`;

const seconds = (ms: number) => `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;

/**
 * How a command ended, the names of tests that matter, and the end of its output. Without durations, so that evidence
 * repeats exactly.
 */
export function describe(result: ExecResult, capMs: number, remark = '', names: readonly string[] = []) {
  const ending = result.timedOut ? `Ended after its ${seconds(capMs)} were up.` : `Exit code ${result.exitCode}.`;
  const said = [...names.map(label), excerpt(`${result.stdout}\n${result.stderr}`)].filter((each) => each !== '');
  return said.length === 0 ? ending + remark : ending + remark + quoting + said.join('\n');
}
