import { type ExecResult, type OutsideCall, quote, type Sandbox, SandboxError } from '../../sandbox/index.ts';
import { GateUnavailable } from '../errors.ts';
import { collectReports, reportEnv, reporting } from '../runs/reporting.ts';
import type { ReportFile } from '../runs/reports.ts';
import { argumentBytes, type CheckSandbox, execIn, openBeside } from './check-sandbox.ts';
import { end } from './sandbox-pool.ts';

/**
 * Delivered work runs apart from the check that measures it. A command of the gate calls `delivered PROGRAM …`. The
 * program then runs in a sandbox with the delivery and nothing of the gate. Only arguments, standard streams and the
 * exit code cross.
 */

/** As of timeout(1): the time of the check is over. */
const timeIsUp = 124;
/** As of env(1) and its like: the call itself failed. */
const callFailed = 125;

/** Calls of one command of the gate, which share a sandbox: under way at once, and in all. */
const callsAtOnce = 8;
const mostCalls = 10_000;
/** The most bytes that may cross, both ways together. */
const mostBytes = 64 * 1024 ** 2;

/** Whether a command is likely to run something apart, so that a sandbox is made ready for it. */
export const callsApart = (command: string): boolean => /\bdelivered\b/.test(command);

/** Programs that read files and never run them. */
const readers = new Set(
  'test [ true false echo printf cat ls wc head tail cut tr sort uniq diff cmp grep egrep fgrep jq stat sha256sum cd'.split(
    ' ',
  ),
);

/**
 * Whether a command starts only such programs, so that no delivered work can have run in it. If in doubt, no: text in
 * double quotes counts as if it were started.
 */
export function onlyReads(command: string): boolean {
  const parts = command
    .replace(/'[^']*'/g, ' ')
    .replaceAll('"', ' ')
    .split(/[;&|()`\n]+/);
  const started = parts.map((part) => part.trim().replace(/^! /, '').split(/\s+/)[0] ?? '');
  return started.every((word) => word === '' || word.startsWith('-') || readers.has(word));
}

interface Sibling {
  calls: number;
  /** Why the platform could not give a sandbox; then the command's result says nothing. */
  fault: GateUnavailable | null;
  answer(call: OutsideCall): Promise<number>;
  end(): void;
}

async function tell(call: OutsideCall, code: number, why: string): Promise<number> {
  await call.write({ stream: 'stderr', bytes: Buffer.from(`delivered: ${why}\n`) });
  return code;
}

/** Lets so many bytes cross; `over` aborts when there are more. */
function createToll() {
  const over = new AbortController();
  let bytes = 0;
  const pass = <T extends Buffer>(some: T): T => {
    bytes += some.length;
    if (bytes > mostBytes) over.abort();
    return some;
  };
  return { pass, over: over.signal };
}

function createSibling(setup: CheckSandbox, capMs: number): Sibling {
  const deadlineMs = performance.now() + capMs;
  const toll = createToll();
  let opening: Promise<Sandbox> | undefined;
  let ended = false;

  async function run(box: Sandbox, call: OutsideCall, command: string): Promise<number> {
    const timeoutMs = deadlineMs - performance.now();
    if (timeoutMs <= 0) return tell(call, timeIsUp, "the check's time is up");
    const stdin = async () => toll.pass(await call.stdin());
    const { cwd, env, signal } = call;
    const result = await box.execStreamed(
      { command, cwd, env, timeoutMs, stdin },
      ({ stream, bytes }) => call.write({ stream, bytes: toll.pass(bytes) }),
      AbortSignal.any([signal, toll.over]),
    );
    if (toll.over.aborted) return tell(call, callFailed, `more than ${mostBytes} bytes have crossed in this check`);
    return result.timedOut ? tell(call, timeIsUp, "the check's time is up") : result.exitCode;
  }

  const sibling: Sibling = {
    calls: 0,
    fault: null,
    async answer(call) {
      sibling.calls += 1;
      const refuse = (why: string) => tell(call, callFailed, why);
      const command = call.argv.map(quote).join(' ');
      if (sibling.calls > mostCalls) return refuse(`a check can call ${mostCalls} times`);
      if (Buffer.byteLength(command) > argumentBytes) return refuse('the arguments are too long; use standard input');
      if (!`${call.cwd}/`.startsWith('/workspace/')) return refuse('call it from /workspace or a directory below');
      try {
        opening ??= openBeside(setup);
        return await run(await opening, call, command);
      } catch (error) {
        if (error instanceof GateUnavailable) sibling.fault = error;
        const why = error instanceof SandboxError ? error.code : 'it failed';
        return ended ? callFailed : refuse(`the program could not be run, or its sandbox has ended (${why})`);
      }
    },
    end() {
      ended = true;
      void opening?.then(end, () => undefined);
    },
  };
  return sibling;
}

/** How a command of the gate ended, how often it ran something apart, and what its tests report. */
export interface MeasuredResult {
  result: ExecResult;
  calls: number;
  reports: readonly ReportFile[];
}

/** Runs a command of the gate, which can run programs of the delivery apart from itself while it lasts. */
export async function execMeasured(
  setup: CheckSandbox,
  sandbox: Sandbox,
  command: string,
  capMs: number,
  more: { env?: Record<string, string>; cwd?: string } = {},
): Promise<MeasuredResult> {
  const run = async () => {
    const result = await execIn(sandbox, reporting(command), capMs, { ...more, env: { ...reportEnv, ...more.env } });
    return { result, reports: await collectReports(sandbox) };
  };
  if (!setup.answersCalls) return { ...(await run()), calls: 0 };
  const sibling = createSibling(setup, capMs);
  const stop = sandbox.answerCalls(callsAtOnce, sibling.answer);
  try {
    const ran = await run();
    if (sibling.fault) throw sibling.fault;
    return { ...ran, calls: sibling.calls };
  } finally {
    stop();
    sibling.end();
  }
}
