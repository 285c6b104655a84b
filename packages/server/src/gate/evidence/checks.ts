import type { ExecResult, Sandbox, SandboxFile } from '../../sandbox/index.ts';
import type { Check } from '../acceptance.ts';
import type { Finding } from '../criteria.ts';
import { execMeasured, onlyReads } from '../sandboxes/apart.ts';
import { type CheckSandbox, inCheckSandbox, isEvidence, untouched } from '../sandboxes/check-sandbox.ts';
import { tooDeep } from '../schema/limits.ts';
import { excerpt, label, quoting } from './excerpt.ts';
import { missingTool } from './missing-tool.ts';
import { startsTests } from './test-counts.ts';

/** Time left for the gate, in milliseconds. */
export type Remaining = () => number;

/** Files through which a check can look at the output, and the variables that name them. */
export function outputFiles(output: Record<string, unknown> | null): SandboxFile[] {
  const readable = tooDeep(output) ? null : output;
  const result = readable?.result;
  const text = typeof result === 'string' ? result : JSON.stringify(result ?? null);
  return [
    { path: '.agora/output.json', content: Buffer.from(JSON.stringify(readable)) },
    { path: '.agora/result.txt', content: Buffer.from(text) },
  ];
}

export const checkEnv = {
  CI: 'true',
  AGORA_OUTPUT: '/workspace/.agora/output.json',
  AGORA_RESULT: '/workspace/.agora/result.txt',
};

/** Every command gets at least this much, even where earlier ones have used the time up. */
export const leastMs = 1000;

const seconds = (ms: number) => `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`;

/** Said of a success that the work itself may have made, because it ran where the check ran. */
const notApart = ' The check did not use `delivered`: any work that it ran could have made it succeed.';

/** The gate's words do not name the tool, because an agent that may not see commands or held-out names reads them. */
const notRun = 'Not run: a program that it starts is not in the sandbox.';

/** How a command ended, and the end of its output. Without durations, so that evidence repeats exactly. */
export function describe(result: ExecResult, capMs: number, remark = '') {
  const ending = result.timedOut ? `Ended after its ${seconds(capMs)} were up.` : `Exit code ${result.exitCode}.`;
  const said = excerpt(`${result.stdout}\n${result.stderr}`);
  return said === '' ? ending + remark : ending + remark + quoting + said;
}

/** Why a check that succeeded does not pass: its tests did not run as they do over the buyer's own files. */
async function cutShort(setup: CheckSandbox, check: Check, delivered: ExecResult, capMs: number) {
  const compares = setup.delivered && setup.restoration?.comparesTests === true;
  if (!compares || !startsTests(check.command)) return null;
  const over = untouched(setup);
  const run = (sandbox: Sandbox) => execMeasured(over, sandbox, check.command, capMs, { env: checkEnv });
  const before = await inCheckSandbox(over, run).catch((error: unknown) => {
    if (!isEvidence(error)) throw error;
    return null;
  });
  return setup.reader.read('shortfall', {
    command: check.command,
    output: allOutput(delivered),
    before: before === null ? null : baseline(before.result),
  });
}

export const allOutput = ({ stdout, stderr }: ExecResult) => `${stdout}\n${stderr}`;

/** A run that did not come to its end, or whose end was not kept, has no count to compare with. */
export const baseline = (result: ExecResult) =>
  result.timedOut || result.truncated ? null : { output: allOutput(result), passed: result.exitCode === 0 };

async function runCheck(setup: CheckSandbox, check: Check, shareMs: number, remaining: Remaining): Promise<Finding> {
  const finding = (score: number | null, evidence: string): Finding => {
    return { kind: 'checks', name: `check: ${label(check.name)}`, score, weight: check.weight, evidence };
  };
  try {
    const ran = await inCheckSandbox(setup, async (sandbox) => {
      const capMs = Math.min(shareMs, Math.max(leastMs, remaining()));
      const { result, calls } = await execMeasured(setup, sandbox, check.command, capMs, { env: checkEnv });
      if (result.exitCode === 0 && !result.timedOut) return { result, capMs, calls };
      return { result, capMs, failed: true };
    });
    if ('failed' in ran) {
      const again = (sandbox: Sandbox, over: CheckSandbox) =>
        execMeasured(over, sandbox, check.command, ran.capMs, { env: checkEnv }).then(({ result }) => result);
      const tool = await missingTool(setup, check.command, ran.result, again);
      if (tool !== null) return finding(null, `${notRun} ${describe(ran.result, ran.capMs)}`);
      return finding(0, describe(ran.result, ran.capMs));
    }
    const reason = await cutShort(setup, check, ran.result, Math.min(shareMs, Math.max(leastMs, remaining())));
    const isApart = !setup.delivered || ran.calls > 0 || onlyReads(check.command);
    const told = describe(ran.result, ran.capMs, isApart ? '' : notApart);
    return reason === null ? finding(100, told) : finding(0, `Not passed: ${label(reason)}. ${told}`);
  } catch (error) {
    if (!isEvidence(error)) throw error;
    return finding(0, `Failed: ${error.message}.`);
  }
}

/**
 * Runs every buyer's check in a fresh sandbox of its own. Each has its share of the time that is left, so a
 * slow delivery cannot push later checks out of the gate's budget.
 */
export async function checksEvidence(
  /** By the number of the check. */
  stageOf: (check: number) => CheckSandbox,
  checks: readonly Check[],
  capMs: number,
  remaining: Remaining,
) {
  const findings: Finding[] = [];
  for (const [done, check] of checks.entries()) {
    const shareMs = Math.max(leastMs, remaining() / (checks.length - done));
    // A check that starts tests may be run twice, so it has half of its share for either run.
    const capOfRun = Math.min(capMs, startsTests(check.command) ? Math.max(leastMs, shareMs / 2) : shareMs);
    findings.push(await runCheck(stageOf(done), check, capOfRun, remaining));
  }
  return findings;
}
