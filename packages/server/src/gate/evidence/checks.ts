import type { Sandbox, SandboxFile } from '../../sandbox/index.ts';
import type { Check } from '../acceptance.ts';
import { type Finding, mendsTests } from '../criteria.ts';
import { execMeasured, onlyReads } from '../sandboxes/apart.ts';
import { type CheckSandbox, inCheckSandbox, isEvidence } from '../sandboxes/check-sandbox.ts';
import { tooDeep } from '../schema/limits.ts';
import type { DeliveredFiles } from './changes.ts';
import { count, namesOf, saidOfBroken } from './compared-runs.ts';
import { changedWork } from './delivered.ts';
import { label } from './excerpt.ts';
import { missingTool } from './missing-tool.ts';
import type { Planned } from './planned.ts';
import { type Proved, prove, saidOfProof } from './proof.ts';
import { allOutput, describe, leastMs, outcomeOf, type Ran, type Remaining, reportOf, succeeded } from './ran.ts';
import { runTwice, type TwoRuns } from './two-runs.ts';

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

/** Said of a success that went with the names of tests, or with a runner that lets everything pass. */
const tamperedWith = 'Not passed: under other names, and beside tests that must fail, its tests end otherwise.';

/** How strong the proof of a success is, or which tests succeed by a trick. */
async function proofOf(
  setup: CheckSandbox,
  command: string,
  runs: TwoRuns,
  run: (over: CheckSandbox) => Promise<Ran>,
  remaining: Remaining,
): Promise<Proved> {
  return !setup.delivered || onlyReads(command) ? { proof: 'apart' } : prove(runs, run, remaining);
}

/** The gate's words do not name the tool, because an agent that may not see commands or held-out names reads them. */
const notRun = 'Not run: a program that it starts is not in the sandbox.';

/** Why a check that succeeded does not pass: tests of the buyer's do not pass any more, and it did not mind. */
async function cutShort({ asked }: Planned, { reader }: CheckSandbox, before: Ran, now: Ran) {
  const [reportBefore, reportNow] = [reportOf(before), reportOf(now)];
  if (reportBefore === null || reportNow === null) return null;
  const compared = await reader.read('compareRuns', { ...asked, before: reportBefore, now: reportNow });
  const { broken, wanting } = compared;
  if (broken.count > 0) return { why: saidOfBroken(compared), names: namesOf(broken) };
  // Where the buyer's own command minds no failure, it says nothing.
  if (wanting.count === 0 || (succeeded(before) && asked.wishes.mustPass === undefined)) return null;
  return { why: `${count(wanting.count, 'test')} that failed before did not pass now.`, names: wanting.first };
}

/** Whether a check fails over the untouched files for want of what cannot be had: that is no fault of the agent's. */
async function lacksPackages({ lacking, hidden }: Planned, { reader }: CheckSandbox, before: Ran): Promise<boolean> {
  if (lacking.length === 0 || succeeded(before) || !('result' in before)) return false;
  if (hidden !== null) return true;
  const said = await reader.read('complaints', { output: allOutput(before.result), isBuyers: true });
  return said.lacksDependencies || said.lacksModule;
}

const notHad = ({ lacking }: Planned) => `Not run: what it needs is not in the sandbox. ${lacking.join(' ')}`;

/** Said of a success that goes with the agent's settings. */
const steeredBy = 'Not passed: it succeeds only with files that the agent added and that steer it.';

async function runCheck(
  plan: Planned,
  setup: CheckSandbox,
  check: Check,
  delivered: DeliveredFiles | null,
  longestMs: number,
  remaining: Remaining,
): Promise<Finding> {
  const finding = (score: number | null, evidence: string): Finding => {
    return { kind: 'checks', name: `check: ${label(check.name)}`, score, weight: check.weight, evidence };
  };
  const { command } = check;
  const run = async (over: CheckSandbox): Promise<Ran> => {
    const capMs = Math.min(longestMs, Math.max(leastMs, remaining()));
    try {
      const exec = (sandbox: Sandbox) => execMeasured(over, sandbox, command, capMs, { env: checkEnv });
      return { ...(await inCheckSandbox(over, exec)), capMs };
    } catch (error) {
      if (!isEvidence(error)) throw error;
      return { broken: error.message };
    }
  };
  try {
    const runs = await runTwice(plan, setup, 'checks', run);
    const { before, now, steered } = runs;
    if (!('result' in now)) return finding(0, `Failed: ${'broken' in now ? now.broken : now.lacking}.`);
    const { result, capMs } = now;
    const failed = (why: string, tests: readonly string[] = []) => ({
      ...finding(0, describe(result, capMs, why === '' ? '' : ` ${why}`)),
      ...outcomeOf(now, tests),
    });
    if (steered.length > 0) return failed(`${steeredBy} ${steered.map(label).join(', ')}.`);
    if (!succeeded(now)) {
      const again = (sandbox: Sandbox, over: CheckSandbox) =>
        execMeasured(over, sandbox, command, capMs, { env: checkEnv }).then((ran) => ran.result);
      const tool = await missingTool(setup, command, result, again);
      if (tool !== null) return finding(null, `${notRun} ${describe(result, capMs)}`);
      const isIdle = mendsTests(plan.asked.taskType) && !changedWork(delivered, runs.restored, null);
      return !isIdle && (await lacksPackages(plan, setup, before)) ? finding(null, notHad(plan)) : failed('');
    }
    const reason = plan.asked.taskType === 'testing' ? null : await cutShort(plan, setup, before, now);
    if (reason !== null) return failed(`Not passed: ${reason.why}`, reason.names);
    const proved = await proofOf(setup, command, runs, run, remaining);
    if ('tampered' in proved) return failed(tamperedWith, proved.tampered);
    const { proof } = proved;
    return { ...finding(100, describe(result, capMs, saidOfProof(proved))), ...outcomeOf(now), proof };
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
  plan: Planned,
  /** By the number of the check. */
  stageOf: (check: number) => CheckSandbox,
  checks: readonly Check[],
  delivered: DeliveredFiles | null,
  capMs: number,
  remaining: Remaining,
) {
  const findings: Finding[] = [];
  for (const [done, check] of checks.entries()) {
    const stage = stageOf(done);
    const shareMs = Math.max(leastMs, remaining() / (checks.length - done));
    const endsMs = performance.now() + shareMs;
    // Half of it is for the run over the untouched files, unless that is known or there is nothing else.
    const runs = stage.delivered && !plan.isKnown(stage.name) ? 2 : 1;
    const longestMs = Math.min(capMs, Math.max(leastMs, shareMs / runs));
    findings.push(await runCheck(plan, stage, check, delivered, longestMs, () => endsMs - performance.now()));
  }
  return findings;
}
