import type { ExecResult } from '../../sandbox/index.ts';
import type { Outcome } from '../criteria.ts';
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

/** The gate's words on how a command ended, with the end of its output. Without durations, so that they repeat exactly. */
export function describe(result: ExecResult, capMs: number, remark = '') {
  const ending = result.timedOut ? `Ended after its ${seconds(capMs)} were up.` : `Exit code ${result.exitCode}.`;
  const said = excerpt(allOutput(result));
  return said === '' ? ending + remark : ending + remark + quoting + said;
}

/** How it ended, for a row. `tests`: of the buyer's, because those of the work would tell what it holds. */
export function outcomeOf(ran: Ran, tests: readonly string[] = []): Outcome {
  if (!('result' in ran)) return {};
  const { timedOut, exitCode, durationMs } = ran.result;
  return {
    exitCode: timedOut ? null : exitCode,
    durationMs: Math.round(durationMs),
    ...(tests.length > 0 && { tests: tests.map(label) }),
  };
}
