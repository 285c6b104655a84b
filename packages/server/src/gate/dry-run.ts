import type { CheckFault } from '@agora-market/contract';
import { systemClock, withTimeout } from '../platform/index.ts';
import type { Sandbox, SandboxFile } from '../sandbox/index.ts';
import type { Check } from './acceptance.ts';
import { checkAdvice, checkFaultOf } from './check-faults.ts';
import { Unreadable, WorkspaceRefused } from './errors.ts';
import { checkEnv, outputFiles } from './evidence/checks.ts';
import { excerpt, opening } from './evidence/excerpt.ts';
import { allOutput, leastMs, reportOf } from './evidence/ran.ts';
import { openReader } from './reading/readers.ts';
import type { AnswerOf } from './reading/readings.ts';
import { execMeasured } from './sandboxes/apart.ts';
import { type CheckSandbox, inCheckSandbox, isEvidence } from './sandboxes/check-sandbox.ts';
import { createSandboxPool } from './sandboxes/sandbox-pool.ts';
import { defaultCaps } from './source.ts';

/** What a command did over some content. */
export interface TriedCheck {
  name: string;
  /** Its first part: the caller has it, and the reply must stay small enough to be kept for a repeated request. */
  command: string;
  passed: boolean;
  /** Null where it did not come to its end. */
  exitCode: number | null;
  timedOut: boolean;
  durationMs: number;
  /** As evidence quotes it, or why it was not run to its end. */
  output: string;
  /** What is wrong with the check itself. */
  fault: { code: CheckFault; advice: string } | null;
  tests: AnswerOf<'tally'>;
}

type Command = Pick<Check, 'name' | 'command'>;

interface DryRun {
  checks: readonly Command[];
  /** The workspace that they run over. */
  archive: Buffer;
  /** Written over it. */
  heldOut: readonly SandboxFile[];
  /** What the work says beside its workspace; null for an input. */
  output: Record<string, unknown> | null;
  openSandbox(): Promise<Sandbox>;
  /** For all commands together. */
  totalMs: number;
  /** Aborts when the run is over, and with it all its sandboxes. */
  over: AbortSignal;
}

/** Of a command, in the reply. */
const shownChars = 200;
const shown = ({ name, command }: Command) => ({ name, command: opening(command, shownChars) });

/** The rest of a run that is over. */
const notEnded = (check: Command): TriedCheck => ({
  ...{ ...shown(check), passed: false, exitCode: null, timedOut: true, durationMs: 0 },
  ...{ output: 'Not run to its end: the time of the dry run was up.', fault: faultOf('out_of_time'), tests: null },
});

const faultOf = (code: CheckFault | null) => code && { code, advice: checkAdvice[code] };

function told(error: Error): string {
  if (error instanceof WorkspaceRefused) return 'Not run: no sandbox can take the input with the held-out files.';
  return 'Not run to its end: the sandbox ended or refused the command, twice.';
}

/**
 * Runs commands over an input, or over a delivery as it is, as the gate runs checks, in one sandbox after the other.
 * Rejects with `GateUnavailable` where there is no sandbox.
 */
export async function tryChecks({ checks, archive, heldOut, output, openSandbox, totalMs, over }: DryRun) {
  const startedMs = performance.now();
  // Reads only what the checks print.
  const reader = openReader({ taskId: 'a dry run', originalFiles: [] });
  const opened: Sandbox[] = [];
  const open = async () => {
    const sandbox = await openSandbox();
    opened.push(sandbox);
    return sandbox;
  };
  const pool = createSandboxPool({ openSandbox: open, lay: (sandbox) => sandbox.importWorkspace(archive) });
  const setup = {
    ...{ pool, reader, heldOut, delivered: false, restoration: null, bins: null, answersCalls: true },
    extraFiles: outputFiles(output),
  };
  const tried: TriedCheck[] = [];
  try {
    for (const [done, check] of checks.entries()) {
      const shareMs = (totalMs - (performance.now() - startedMs)) / (checks.length - done);
      const capMs = Math.min(defaultCaps.checkMs, Math.max(leastMs, shareMs));
      tried.push(
        over.aborted ? notEnded(check) : await tryCheck({ ...setup, name: check.command }, check, capMs, over),
      );
      // One that is still ending has its place, and there may be no other.
      await withTimeout(systemClock, leastMs, Promise.all(opened.map(({ closed }) => closed)));
    }
    return tried;
  } finally {
    await pool.close();
    reader.close();
  }
}

async function tryCheck(setup: CheckSandbox, check: Command, capMs: number, over: AbortSignal): Promise<TriedCheck> {
  try {
    const ran = await inCheckSandbox(setup, (sandbox) =>
      execMeasured(setup, sandbox, check.command, capMs, { env: checkEnv }),
    );
    const { timedOut, durationMs } = ran.result;
    const exitCode = timedOut ? null : ran.result.exitCode;
    const said = allOutput(ran.result);
    const says = await setup.reader.read('complaints', { output: said, isBuyers: false });
    const report = reportOf({ ...ran, capMs });
    const fault = faultOf(
      checkFaultOf({ command: check.command, exitCode, timedOut, stderr: ran.result.stderr, ...says }),
    );
    const end = { passed: exitCode === 0, exitCode, timedOut, durationMs: Math.round(durationMs) };
    const tests = report && (await setup.reader.read('tally', report));
    return { ...shown(check), ...end, output: excerpt(said), fault, tests };
  } catch (error) {
    if (over.aborted) return notEnded(check);
    if (error instanceof Unreadable)
      return {
        ...notEnded(check),
        timedOut: false,
        output: `Not read: it ${error.message}.`,
        fault: faultOf('not_run'),
      };
    if (!isEvidence(error)) throw error;
    return { ...notEnded(check), timedOut: false, output: told(error), fault: faultOf('not_run') };
  }
}
